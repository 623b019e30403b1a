package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentx/internal/mockserver"
	"agentx/internal/scenario"
	"agentx/internal/servermodel"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tidying{m}, map[string]func(){"agentx-run": main, hookedName: hooked})
}

// tidying removes what the tests share.
type tidying struct{ tests *testing.M }

func (t tidying) Run() int {
	code := t.tests.Run()
	if shared.folder != "" {
		_ = os.RemoveAll(shared.folder)
	}
	return code
}

// TestScripts runs the program as users do; scripts are in testdata/script. $BUNDLE is a bundle of two
// sample traces, $TRACES their folder, $PINNED the bundle as if it were of the pinned data set.
func TestScripts(t *testing.T) {
	bundle := sample(t)
	pinned := relabelled(t, "pinned", alias(scenario.ExampleAlias))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", env.Getenv("WORK")+"/cache")
			env.Setenv("HOME", env.Getenv("WORK"))
			env.Setenv("BUNDLE", bundle)
			env.Setenv("PINNED", pinned)
			env.Setenv("TRACES", filepath.Dir(bundle)+"/traces")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "mock": mock, "interrupt": interrupt, "clean": clean, "keys": keys,
		},
	})
}

// exits runs a program and requires its exit code: exits CODE PROGRAM ARGUMENT …
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code, err := codeOf(ts.Exec(args[1], args[2:]...))
	ts.Check(err)
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func codeOf(err error) (int, error) {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), nil
	}
	return 0, err
}

// mock starts a quick server for the rest of the script and sets $URL and $HOST: mock [FAULTS.json]
func mock(ts *testscript.TestScript, _ bool, args []string) {
	options := mockserver.Options{Server: servermodel.Config{TokenNs: int64(time.Millisecond), PrefillTokensPerSecond: 1e6}, KeepRecords: 100}
	if len(args) > 0 {
		options.FaultsFile = ts.MkAbs(args[0])
	}
	server, err := mockserver.Start(options)
	ts.Check(err)
	ts.Defer(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	ts.Setenv("URL", server.URL())
	ts.Setenv("HOST", strings.TrimPrefix(server.URL(), "http://"))
}

// interrupt runs a program, sends it SIGINT once a file exists, and requires the exit code:
// interrupt CODE FILE PROGRAM ARGUMENT …
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	file := ts.MkAbs(args[1])
	program := exec.Command(args[2], args[3:]...)
	program.Dir = ts.Getenv("WORK")
	var output bytes.Buffer
	program.Stdout, program.Stderr = &output, &output
	ts.Check(program.Start())
	for range 400 {
		if _, err := os.Stat(file); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	ts.Check(program.Process.Signal(os.Interrupt))
	code, err := codeOf(program.Wait())
	ts.Check(err)
	if code != want {
		ts.Fatalf("exit code %d, want %d\n%s", code, want, output.String())
	}
}

// clean requires that no file below a folder, and nothing that the last program printed, has one of the
// words: clean FOLDER WORD …
func clean(ts *testscript.TestScript, _ bool, args []string) {
	look := func(where string, text []byte) {
		for _, word := range args[1:] {
			if bytes.Contains(text, []byte(word)) {
				ts.Fatalf("%s has %q", where, word)
			}
		}
	}
	look("stdout", []byte(ts.ReadFile("stdout")))
	look("stderr", []byte(ts.ReadFile("stderr")))
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		look(path, text)
		return err
	}))
	if files == 0 {
		ts.Fatalf("%s has no files", args[0])
	}
}

// keys requires values in a JSON file: keys FILE PATH=VALUE …, with PATH like metadata.scenario and VALUE
// as JSON writes it.
func keys(ts *testscript.TestScript, _ bool, args []string) {
	var file any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	decoder.UseNumber() // seeds have more digits than a float64
	ts.Check(decoder.Decode(&file))
	for _, wanted := range args[1:] {
		path, want, _ := strings.Cut(wanted, "=")
		value := file
		for name := range strings.SplitSeq(path, ".") {
			object, ok := value.(map[string]any)
			if !ok {
				ts.Fatalf("%s: nothing at %s", args[0], path)
			}
			value = object[name]
		}
		got, err := json.Marshal(value)
		ts.Check(err)
		if string(got) != want {
			ts.Fatalf("%s: %s is %s, want %s", args[0], path, got, want)
		}
	}
}
