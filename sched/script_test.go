package sched_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/sched/schedtest"
)

var update = flag.Bool("update", false, "rewrite the logs of the scenario scripts (what they want stays)")

// TestScripts plays every scenario of testdata: what each wants was typed in by hand; the whole log
// behind it is kept by -update, so that a change of any decision shows.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) { playScript(t, name) })
	}
}

func playScript(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	script, err := schedtest.Parse(filepath.Base(name), string(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Wants) == 0 {
		t.Fatal("the script wants nothing")
	}
	played, err := script.Play()
	if err != nil {
		t.Fatal(err)
	}
	log := played.Log()
	failures := played.Check()
	for _, failure := range failures {
		t.Error(failure)
	}
	if len(failures) > 0 {
		t.Log("\n" + strings.Join(log[:min(len(log), 60)], "\n"))
		return
	}
	if len(log) > 120 {
		log = append(log[:120:120], "…")
	}
	if *update {
		head := strings.TrimRight(strings.Join(script.Head, "\n"), "\n")
		if err := os.WriteFile(name, []byte(head+"\nlog\n"+strings.Join(log, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !slices.Equal(log, script.Log) {
		t.Errorf("the log differs (go test ./sched -run TestScripts -update keeps a new one):\n%s", difference(script.Log, log))
	}
}

// difference shows the first line that differs.
func difference(want, got []string) string {
	for i := range max(len(want), len(got)) {
		w, g := "(end)", "(end)"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return "want " + w + "\ngot  " + g
		}
	}
	return ""
}
