package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agentx/internal/hub/hubtest"
)

// TestFetchScripts runs the commands that need a hub against one of the test's own; scripts are in
// testdata/hub. A script switches the network off by pointing HF_ENDPOINT to a closed port.
func TestFetchScripts(t *testing.T) {
	h := hubtest.New(t)
	trace := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"models":["A"],"block_size":64,"hash_id_scope":"local","requests":[{"type":"n","t":0,"model":"A","in":130,"out":9,"hash_ids":[1,2,3]}]}`+"\n", id)
	}
	h.Add("datasets", "semianalysisai/cc-traces-weka-062126", map[string]string{"README.md": "# x\n", "traces.jsonl": trace("a") + trace("b"), "LICENSE": "x"}, "traces.jsonl")
	card := "---\nconfigs:\n- config_name: one\n  data_files: one.jsonl\n- config_name: two\n  data_files: two/*.jsonl\n---\n"
	h.Add("datasets", "org/two", map[string]string{"README.md": card, "one.jsonl": trace("c"), "two/x.jsonl": trace("d"), "two/y.jsonl": trace("e")})
	h.Add("models", "org/model", map[string]string{"tiktoken.model": "x"})
	testscript.Run(t, testscript.Params{
		Dir: "testdata/hub",
		Setup: func(env *testscript.Env) error {
			work := env.Getenv("WORK")
			for _, pair := range [][2]string{{"XDG_CACHE_HOME", work + "/cache"}, {"HOME", work}, {"HF_ENDPOINT", h.URL}, {"HF_TOKEN", hubtest.Token}, {"COMMIT", hubtest.Commit}, {"NOWHERE", "http://127.0.0.1:1"}} {
				env.Setenv(pair[0], pair[1])
			}
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "replace": replace},
	})
	h.NoLeak()
}

// replace changes a text in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not have %q", args[0], args[1])
	}
	out := strings.ReplaceAll(text, args[1], args[2])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(out), 0o644))
}
