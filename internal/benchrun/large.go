package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"agentx/internal/benchhost"
	"agentx/internal/mockserver"
)

// recorded is a bundle of the recorded traces, made once; empty where there are none, which is said.
func (s *suite) recorded() (string, error) {
	packed, bundle := filepath.Join(s.shared, "traces", "kv-cache-tester.tar.zst"), filepath.Join(s.work, "traces.bundle")
	if _, err := os.Stat(bundle); err == nil {
		return bundle, nil
	}
	if _, err := os.Stat(packed); err != nil {
		fmt.Printf("skipped: no %s\n", packed)
		return "", nil
	}
	traces := filepath.Join(s.work, "traces")
	if err := os.MkdirAll(traces, 0o755); err != nil {
		return "", err
	}
	if output, err := exec.Command("tar", "--zstd", "-xf", packed, "-C", traces).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpacking %s: %w\n%s", packed, err, output)
	}
	return bundle, run(filepath.Join(s.bin, "agentx-prep"), "build", "--quiet", "--no-cache", "--input-file", traces, "-o", bundle)
}

// live replays the recorded traces with their pauses: how late requests go out, the burst included in
// which all trees go on when the pause that they share is cut.
func (s *suite) live() error {
	bundle, err := s.recorded()
	if err != nil || bundle == "" {
		return err
	}
	for _, idle := range []bool{true, false} {
		l := &setup{name: "64 lanes, server at the same priority", lanes: 64, bundle: bundle, seconds: s.length(120), server: []string{"--overhead-ms", "20", "--token-ms", "8"},
			run: []string{"--trace-idle-gap-cap-seconds", "2", "--system-idle-gap-cap-seconds", "10"}, idle: idle, verify: true}
		if idle {
			l.name = "64 lanes, server on the time that the client leaves (SCHED_IDLE)"
		}
		if !s.wants(l.name) {
			continue
		}
		t, err := s.measure(l)
		if err != nil {
			return err
		}
		t.print(l)
		t.printLate()
	}
	return nil
}

// printLate writes what the live replay is about.
func (t *outcome) printLate() {
	late := 0
	for _, ns := range t.lateness {
		if ns > int64(2*time.Millisecond) {
			late++
		}
	}
	cores := t.seconds * float64(runtime.NumCPU())
	fmt.Printf("  lateness max %.3f ms, above 2 ms %d of %d; of all cores the client took %.0f %%, the server %.0f %%; verify found nothing wrong\n",
		quantile(t.lateness, 1), late, len(t.lateness), 100*t.clientCPU/cores, 100*t.serverCPU/cores)
}

// memory replays the recorded traces on many lanes.
func (s *suite) memory() error {
	bundle, err := s.recorded()
	if err != nil || bundle == "" {
		return err
	}
	l := &setup{name: "256 lanes", lanes: 256, bundle: bundle, seconds: s.length(60), server: []string{"--overhead-ms", "20", "--token-ms", "5"},
		run: []string{"--burst-phase-starts", "--trace-idle-gap-cap-seconds", "5", "--system-idle-gap-cap-seconds", "5"}}
	t, err := s.measure(l)
	if err != nil {
		return err
	}
	t.print(l)
	return nil
}

// print writes the figures of a run with many lanes.
func (t *outcome) print(l *setup) {
	fmt.Printf("%s, %d s: %d requests, %.0f/s, %.1f MB/s; peak memory %d MiB; lateness p50 %.3f, p99 %.3f ms; read delay p50 %.3f, p99 %.3f ms; client CPU %.1f s; log %d MiB; load %s; errors %v\n",
		l.name, l.seconds, t.requests, float64(t.requests)/t.seconds, float64(t.bytes)/1e6/t.seconds, t.peakBytes>>20,
		quantile(t.lateness, 0.5), quantile(t.lateness, 0.99), quantile(t.readDelay, 0.5), quantile(t.readDelay, 0.99), t.clientCPU, t.logBytes>>20, benchhost.Load(), t.errors)
}

// streams holds many slow streams open at once: each lane's request outlives the duration, so all of them
// are sent at its beginning and none is cut.
func (s *suite) streams() error {
	const streams, tokenMs = 2700, 200
	seconds := s.length(60)
	l := &setup{name: strconv.Itoa(streams) + " streams at 5 tokens/s", lanes: streams, promptTokens: 192, outTokens: 1000*seconds/tokenMs + 10, seconds: seconds, grace: 60,
		server: []string{"--overhead-ms", "0", "--token-ms", strconv.Itoa(tokenMs)}, run: []string{"--burst-phase-starts"}}
	t, err := s.measure(l)
	if err != nil {
		return err
	}
	t.print(l)
	return nil
}

// faultsFile writes faults for the built-in server.
func (s *suite) faultsFile(faults mockserver.Faults) (string, error) {
	text, err := json.Marshal(faults)
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.work, "faults.json")
	return path, os.WriteFile(path, text, 0o644)
}
