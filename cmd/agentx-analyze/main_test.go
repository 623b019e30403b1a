package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/mockserver"
	"agentx/internal/prep"
	"agentx/internal/progress"
	"agentx/internal/servermodel"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tidying{m}, map[string]func(){"agentx-analyze": main})
}

// tidying removes what the tests share.
type tidying struct{ tests *testing.M }

func (t tidying) Run() int {
	code := t.tests.Run()
	if folder, err := workshop(); err == nil {
		_ = os.RemoveAll(folder)
	}
	return code
}

// workshop is the folder of what the tests share.
var workshop = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "agentx-analyze-test-") })

// runProgram is agentx-run, built once: logs come from the real program.
var runProgram = sync.OnceValues(func() (string, error) {
	folder, err := workshop()
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "bin", "agentx-run")
	if output, err := exec.Command("go", "build", "-o", path, "agentx/cmd/agentx-run").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building agentx-run: %w\n%s", err, output)
	}
	return path, nil
})

// buildBundle makes a bundle of traces.
func buildBundle(folder, name string, inputs ...string) (string, error) {
	options := prep.DefaultOptions()
	options.Inputs, options.CacheDir, options.NoCache = inputs, folder, true
	options.Output = filepath.Join(folder, name)
	result, err := prep.Build(context.Background(), options, progress.New(os.Stderr, true))
	if err != nil {
		return "", err
	}
	return result.Path, nil
}

// sampleBundle is the bundle of the sample corpus, built once.
var sampleBundle = sync.OnceValues(func() (string, error) {
	folder, err := workshop()
	if err != nil {
		return "", err
	}
	return buildBundle(folder, "sample.agentx", "../../testdata/corpus")
})

// TestScripts runs the program as users do; scripts are in testdata/script. $BUNDLE is the bundle of the
// sample corpus; simulate FOLDER FLAG … and live FOLDER FLAG … make runs of it.
func TestScripts(t *testing.T) {
	program, err := runProgram()
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := sampleBundle()
	if err != nil {
		t.Fatal(err)
	}
	page, err := filepath.Abs("../../docs/event-log.md")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("BUNDLE", bundle)
			env.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", env.Getenv("WORK"))
			env.Setenv("RECIPES", page)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "simulate": simulate, "live": live, "killed": killed, "flip": flip, "cut": cut, "follow": follow, "recipes": recipes,
		},
	})
}

// exits runs a program and requires its exit code: exits CODE PROGRAM ARGUMENT …
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if code := codeOf(ts, ts.Exec(args[1], args[2:]...)); code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func codeOf(ts *testscript.TestScript, err error) int {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode()
	}
	ts.Check(err)
	return 0
}

// simulate makes a simulated run: simulate FOLDER FLAG …
func simulate(ts *testscript.TestScript, _ bool, args []string) {
	flags := []string{"--simulate", "--bundle", ts.Getenv("BUNDLE"), "--artifact-dir", args[0], "-q"}
	defaults := []string{"--random-seed", "7", "--concurrency", "2", "--benchmark-duration", "60", "--cache-bust", "first_turn_prefix"}
	ts.Check(ts.Exec("agentx-run", append(flags, over(defaults, args[1:])...)...))
}

// over is flags with values, and those of the defaults that they do not have.
func over(defaults, flags []string) []string {
	for i := 0; i < len(defaults); i += 2 {
		if !slices.Contains(flags, defaults[i]) {
			flags = append(flags, defaults[i], defaults[i+1])
		}
	}
	return flags
}

// liveFlags are those of a short run against a quick server, which goes away with the script: [FAULTS.json] FOLDER FLAG …
func liveFlags(ts *testscript.TestScript, args []string) []string {
	options := mockserver.Options{Server: servermodel.Config{TokenNs: int64(time.Millisecond), PrefillTokensPerSecond: 1e6}, KeepRecords: 100}
	if strings.HasSuffix(args[0], ".json") {
		options.FaultsFile, args = ts.MkAbs(args[0]), args[1:]
	}
	server, err := mockserver.Start(options)
	ts.Check(err)
	ts.Defer(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	flags := []string{"--bundle", ts.Getenv("BUNDLE"), "--url", server.URL(), "--model", "mock", "--artifact-dir", args[0], "-q"}
	defaults := []string{
		"--random-seed", "7", "--concurrency", "2", "--benchmark-duration", "1.5", "--cache-bust", "first_turn_prefix",
		"--system-idle-gap-cap-seconds", "0.05", "--trace-idle-gap-cap-seconds", "0.05",
	}
	return append(flags, over(defaults, args[1:])...)
}

// live makes a run against a mock server: live [FAULTS.json] FOLDER FLAG …
func live(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("agentx-run", liveFlags(ts, args)...))
}

// killed makes a run that is killed once its log has requests, and once a program that looks at it while it goes on has
// succeeded: killed FOLDER [PROGRAM ARGUMENT …]
func killed(ts *testscript.TestScript, _ bool, args []string) {
	program := exec.Command(lookPath(ts, "agentx-run"), liveFlags(ts, append(args[:1:1], "--benchmark-duration", "60"))...)
	program.Dir = ts.Getenv("WORK")
	ts.Check(program.Start())
	ts.Check(awaitRequests(filepath.Join(program.Dir, args[0])))
	var looking error
	if len(args) > 1 {
		looking = ts.Exec(args[1], args[2:]...)
	}
	ts.Check(program.Process.Kill())
	_ = program.Wait()
	ts.Check(looking)
}

func lookPath(ts *testscript.TestScript, name string) string {
	return filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], name)
}

// awaitRequests waits until a live log has ends of requests.
func awaitRequests(folder string) error {
	for range 200 {
		time.Sleep(25 * time.Millisecond)
		log, err := eventlog.OpenUnverified(filepath.Join(folder, "run.db"))
		if err != nil {
			continue // not there yet
		}
		ends := 0
		for _, err := range log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindExchangeEnd}}) {
			if err == nil {
				ends++
			}
		}
		_ = log.Close()
		if ends > 12 {
			return nil
		}
	}
	return errors.New("the run made no requests in time")
}

// follow runs tail on a run that it makes, and requires that tail ends by itself with the run: follow FOLDER
func follow(ts *testscript.TestScript, _ bool, args []string) {
	program := exec.Command(lookPath(ts, "agentx-run"), liveFlags(ts, args)...)
	program.Dir = ts.Getenv("WORK")
	ts.Check(program.Start())
	defer func() { _ = program.Wait() }()
	log := filepath.Join(program.Dir, args[0], "run.db")
	for range 200 {
		if _, err := os.Stat(log); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Check(ts.Exec("agentx-analyze", "tail", args[0], "--lines", "-1"))
}

// recipes runs the recipes of docs/event-log.md on a run: recipes FOLDER [WORDS]. With words it runs the one whose title
// has them; without, all of them: those without a word about warnings or interrupted runs must give rows.
func recipes(ts *testscript.TestScript, _ bool, args []string) {
	texts := strings.Split(ts.ReadFile(ts.Getenv("RECIPES")), "```sql\n")
	if len(texts) < 10 {
		ts.Fatalf("%d recipes on the page", len(texts)-1)
	}
	ran := 0
	for i, block := range texts[1:] {
		sql, _, _ := strings.Cut(block, "```")
		paragraphs := strings.Split(strings.TrimSpace(texts[i]), "\n\n")
		title := paragraphs[len(paragraphs)-1]
		if len(args) > 1 && !strings.Contains(title, args[1]) {
			continue
		}
		ran++
		if err := ts.Exec("agentx-analyze", "query", args[0], "--format", "csv", sql); err != nil {
			ts.Fatalf("%v in the recipe:\n%s", err, sql)
		}
		sparse := strings.HasPrefix(title, "Warnings") || strings.Contains(title, "interrupted")
		if rows := strings.Count(ts.ReadFile("stdout"), "\n") - 1; rows < 1 && !sparse {
			ts.Fatalf("no row from the recipe:\n%s", sql)
		}
	}
	if ran == 0 {
		ts.Fatalf("no recipe about %v", args[1:])
	}
}

// flip changes the byte of a file in the middle of where a text stands: flip FILE TEXT
func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	content, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.LastIndex(content, []byte(args[1]))
	if at < 0 {
		ts.Fatalf("%s does not hold %q", path, args[1])
	}
	content[at+len(args[1])/2] ^= 1
	ts.Check(os.WriteFile(path, content, 0o644))
}

// cut leaves only the beginning of a file: cut FILE PERCENT
func cut(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	percent, err := strconv.ParseInt(strings.TrimSuffix(args[1], "%"), 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()*percent/100))
}
