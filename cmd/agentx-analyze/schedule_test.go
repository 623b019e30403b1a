package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"agentx/internal/analyze"
	"agentx/sched/schedtest"

	"github.com/klauspost/compress/zstd"
)

// referenceSchedule is a file of shared golden/schedules: the send times of one trace by an independent
// simulator.
type referenceSchedule struct {
	Trace string          `json:"trace"`
	Cases []referenceCase `json:"cases"`
}

type referenceCase struct {
	Case     string `json:"case"`
	Settings struct {
		Lanes     int      `json:"lanes"`
		TStarMs   float64  `json:"t_star_ms"`
		SystemCap *float64 `json:"system_idle_gap_cap_seconds"`
		TraceCap  *float64 `json:"trace_idle_gap_cap_seconds"`
		Duration  float64  `json:"duration_seconds"`
		Grace     float64  `json:"grace_seconds"`
	} `json:"settings"`
	Sends [][]any `json:"sends"`
}

// TestScheduleOfRealTraces simulates real traces with recorded latencies by agentx-run, from a bundle of the
// one trace, and compares the schedule that agentx-analyze gives with the reference, to the nanosecond. Three
// traces with two cases each; with AGENTX_LONG all six with all twelve.
func TestScheduleOfRealTraces(t *testing.T) {
	shared, err := schedtest.SharedDir("../..")
	if err != nil {
		t.Skip(err)
	}
	names, err := filepath.Glob(filepath.Join(shared, "golden", "schedules", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no schedules", err)
	}
	long := os.Getenv("AGENTX_LONG") != ""
	for i, name := range names {
		if !long && i%2 == 1 {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var schedule referenceSchedule
		if err := json.Unmarshal(text, &schedule); err != nil {
			t.Fatal(err)
		}
		bundle := traceBundle(t, shared, schedule.Trace)
		for c := range schedule.Cases {
			if !long && c != i%12 && c != (i+6)%12 {
				continue
			}
			one := &schedule.Cases[c]
			t.Run(schedule.Trace+"/"+one.Case, func(t *testing.T) { compareSchedule(t, bundle, one) })
		}
	}
}

// traceBundle makes a bundle of one of the shared traces.
func traceBundle(t *testing.T, shared, trace string) string {
	t.Helper()
	packed, err := os.Open(filepath.Join(shared, "traces", "kv-cache-tester.tar.zst"))
	if err != nil {
		t.Skip(err)
	}
	defer packed.Close()
	unpacked, err := zstd.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacked.Close()
	files := tar.NewReader(unpacked)
	for {
		header, err := files.Next()
		if err != nil {
			t.Fatalf("looking for %s: %v", trace, err)
		}
		if filepath.Base(header.Name) != trace+".json" {
			continue
		}
		content, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		path := filepath.Join(folder, trace+".json")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		bundle, err := buildBundle(folder, trace+".agentx", path)
		if err != nil {
			t.Fatal(err)
		}
		return bundle
	}
}

func compareSchedule(t *testing.T, bundle string, want *referenceCase) {
	program, err := runProgram()
	if err != nil {
		t.Fatal(err)
	}
	number := func(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
	folder := t.TempDir()
	flags := []string{
		"--simulate", "--simulate-latencies", "recorded", "--bundle", bundle, "--artifact-dir", folder, "-q", "--export-level", "summary",
		"--random-seed", "1", "--concurrency", strconv.Itoa(want.Settings.Lanes), "--trajectory-start-at", number(want.Settings.TStarMs),
		"--benchmark-duration", number(want.Settings.Duration), "--benchmark-grace-period", number(want.Settings.Grace),
	}
	if limit := want.Settings.SystemCap; limit != nil {
		flags = append(flags, "--system-idle-gap-cap-seconds", number(*limit))
	}
	if limit := want.Settings.TraceCap; limit != nil {
		flags = append(flags, "--trace-idle-gap-cap-seconds", number(*limit))
	}
	if output, err := exec.Command(program, flags...).CombinedOutput(); err != nil {
		t.Fatalf("agentx-run: %v\n%s", err, output)
	}
	var listing bytes.Buffer
	if err := analyze.Schedule(&listing, io.Discard, folder, true); err != nil {
		t.Fatal(err)
	}
	var got, wanted []string
	for decoder := json.NewDecoder(&listing); decoder.More(); {
		var send struct {
			Phase, Conversation string
			Lane, Turn          int64
			AtNs                int64 `json:"at_ns"`
		}
		if err := decoder.Decode(&send); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%018d %s %d %s %d", send.AtNs, send.Phase, send.Lane, send.Conversation, send.Turn))
	}
	for _, send := range want.Sends {
		wanted = append(wanted, fmt.Sprintf("%018.0f %s %v %s %v", send[4], send[0], send[1], send[2], send[3]))
	}
	slices.Sort(got) // the order within one nanosecond is free
	slices.Sort(wanted)
	if len(got) != len(wanted) {
		t.Errorf("%d sends, want %d", len(got), len(wanted))
	}
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Fatalf("send %d: %s, want %s", i, got[i], wanted[i])
		}
	}
}
