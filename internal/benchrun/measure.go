package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"agentx/internal/benchhost"
)

// setup is one run of agentx-run against the built-in server.
type setup struct {
	name         string
	lanes        int
	promptTokens int
	outTokens    int
	bundle       string // empty: made of promptTokens and outTokens
	server       []string
	idle         bool // the server gets only the processor time that the client leaves
	run          []string
	seconds      int
	grace        int // seconds; 0 is 5
	verify       bool
}

// outcome is what a run gave.
type outcome struct {
	*truth
	serverCPU float64 // seconds
	peakBytes int64   // of agentx-run, resident
}

// measure makes one run in a folder of its own.
func (s *suite) measure(l *setup) (*outcome, error) {
	dir, err := os.MkdirTemp(s.work, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if l.bundle == "" {
		if l.bundle, err = s.bundle(dir, l); err != nil {
			return nil, err
		}
	}
	server, url, err := s.serve(dir, l)
	if err != nil {
		return nil, err
	}
	used, runErr := s.replay(l, url, filepath.Join(dir, "run"))
	serverCPU, err := stopServer(server)
	if err := errors.Join(runErr, err); err != nil {
		return nil, err
	}
	if l.verify {
		if err := run(filepath.Join(s.bin, "agentx-analyze"), "verify", "--bundle", l.bundle, filepath.Join(dir, "run")); err != nil {
			return nil, err
		}
	}
	t, err := readTruth(filepath.Join(dir, "run"), filepath.Join(dir, "server.jsonl"))
	return &outcome{t, serverCPU, used.peakBytes}, err
}

// bundle prepares a corpus of one prompt length.
func (s *suite) bundle(dir string, l *setup) (string, error) {
	bundle := filepath.Join(dir, "bench.bundle")
	if err := writeCorpus(filepath.Join(dir, "corpus"), min(l.lanes, 8), l.promptTokens, l.outTokens); err != nil {
		return "", err
	}
	return bundle, run(filepath.Join(s.bin, "agentx-prep"), "build", "--quiet", "--no-cache", "--ignore-trace-delays",
		"--input-file", filepath.Join(dir, "corpus"), "-o", bundle)
}

// usage is what agentx-run took.
type usage struct {
	peakBytes int64
	cores     float64 // see follow
}

// replay runs agentx-run. A run in which requests fail as ordered ends with another code than 0: its log
// tells.
func (s *suite) replay(l *setup, url, dir string) (used usage, err error) {
	arguments := append([]string{"--quiet", "--bundle", l.bundle, "--url", url, "--model", "bench",
		"--concurrency", strconv.Itoa(l.lanes), "--benchmark-duration", strconv.Itoa(l.seconds), "--benchmark-grace-period", strconv.Itoa(max(l.grace, 5)),
		"--random-seed", "1", "--cache-bust", "first_turn_prefix", "--export-level", "summary", "--artifact-dir", dir}, l.run...)
	command := exec.Command(filepath.Join(s.bin, "agentx-run"), arguments...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	used.cores, err = follow(command, l.seconds)
	if _, missing := os.Stat(filepath.Join(dir, "run.db")); err != nil && missing != nil {
		return used, fmt.Errorf("agentx-run %s: %w\n%s", strings.Join(arguments, " "), err, &output)
	}
	used.peakBytes = benchhost.PeakMemory(command.ProcessState)
	return used, nil
}

// serve starts the built-in server; it writes what it truly did to server.jsonl.
func (s *suite) serve(dir string, l *setup) (*exec.Cmd, string, error) {
	address := filepath.Join(dir, "url")
	server := exec.Command(filepath.Join(s.bin, "agentx-run"), append([]string{"mock-server", "--quiet", "--port", "0", "--address-file", address,
		"--record", filepath.Join(dir, "server.jsonl"), "--prefill-tokens-per-second", "0"}, l.server...)...)
	server.Stderr = os.Stderr
	start := server.Start
	if l.idle {
		start = func() error { return benchhost.StartIdle(server) }
	}
	if err := start(); err != nil {
		return nil, "", err
	}
	for range 200 {
		if text, err := os.ReadFile(address); err == nil && strings.HasSuffix(string(text), "\n") {
			return server, strings.TrimSpace(string(text)), nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	_, err := stopServer(server)
	return nil, "", errors.Join(errors.New("the mock server did not start"), err)
}

// stopServer ends the server and gives its CPU seconds.
func stopServer(server *exec.Cmd) (float64, error) {
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	err := server.Wait()
	return benchhost.CPUSeconds(server.ProcessState), err
}

func run(program string, arguments ...string) error {
	command := exec.Command(program, arguments...)
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(arguments, " "), err, output)
	}
	return nil
}
