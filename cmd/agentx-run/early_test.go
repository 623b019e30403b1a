//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A signal that comes while the run is still being made ready ends it with 130, before anything is written, also where
// SIGINT was ignored at the start, as it is for a shell's background job. The configuration is a pipe, so that the
// program waits for the test in its first moments. What nohup asks for is kept.
func TestEarlyInterruptEndsTheRun(t *testing.T) {
	bundle := sample(t)
	for _, c := range []struct {
		name, before string
		signal       syscall.Signal
		stops        bool
	}{
		{"terminal", "", syscall.SIGINT, true},
		{"background job", `trap "" INT; `, syscall.SIGINT, true},
		{"closed terminal", "", syscall.SIGHUP, true},
		{"nohup", `trap "" HUP; `, syscall.SIGHUP, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			pipe := filepath.Join(dir, "pipe.yaml")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			program := exec.Command("sh", "-c", c.before+"exec agentx-run --config pipe.yaml --simulate --request-count 2 --artifact-dir out")
			program.Dir = dir
			var errs bytes.Buffer
			program.Stderr = &errs
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			config, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns when the program reads
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond) // for the program to take it
			if _, err := config.WriteString("bundle: " + bundle + "\n"); err != nil {
				t.Fatal(err)
			}
			if err := config.Close(); err != nil {
				t.Fatal(err)
			}
			err = program.Wait()
			if !c.stops {
				if err != nil {
					t.Errorf("%v: %s", err, errs.String())
				}
				return
			}
			var ended *exec.ExitError
			if !errors.As(err, &ended) || ended.ExitCode() != 130 || !strings.Contains(errs.String(), "interrupted before the run began") {
				t.Errorf("%v: %s", err, errs.String())
			}
			if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was written: %v", err)
			}
		})
	}
}
