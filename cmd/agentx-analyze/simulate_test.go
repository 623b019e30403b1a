package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/sched/schedtest"

	"github.com/zeebo/blake3"
)

// simulatedLog makes a simulated run in a folder of its own and gives its rows as one digest each, without
// what may differ between two runs of one command: the folder and the wall clock.
func simulatedLog(t testing.TB, bundle string, flags ...string) (folder string, rows [][32]byte) {
	t.Helper()
	program, err := runProgram()
	if err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	flags = append([]string{"--simulate", "--bundle", bundle, "--artifact-dir", folder, "-q"}, flags...)
	if output, err := exec.Command(program, flags...).CombinedOutput(); err != nil {
		t.Fatalf("agentx-run: %v\n%s", err, output)
	}
	log, err := eventlog.Open(filepath.Join(folder, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for event, err := range log.Events(eventlog.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		switch event.Kind {
		case eventlog.KindRunConfig:
			event.Payload = withoutFolder(t, event)
		case eventlog.KindAnchor:
			event.Payload = nil
		}
		rows = append(rows, blake3.Sum256(fmt.Appendf(nil, "%v", event)))
	}
	return folder, rows
}

func withoutFolder(t testing.TB, event eventlog.Event) []byte {
	t.Helper()
	config, err := eventlog.Decode[eventlog.RunConfig](event)
	if err != nil {
		t.Fatal(err)
	}
	if !config.Simulated {
		t.Error("the log does not say that the run was simulated")
	}
	config.Args = nil
	delete(config.Settings, "artifact-dir")
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sameRows(t testing.TB, first, second [][32]byte) {
	t.Helper()
	if len(first) != len(second) {
		t.Errorf("%d rows, then %d", len(first), len(second))
	}
	for i := range min(len(first), len(second)) {
		if first[i] != second[i] {
			t.Fatalf("row %d differs", i+1)
		}
	}
}

func TestTheSameSimulationGivesTheSameLog(t *testing.T) {
	bundle, err := sampleBundle()
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{
		"--concurrency", "5", "--benchmark-duration", "300", "--random-seed", "11", "--cache-bust", "system_suffix", "--dataset-sampling-strategy", "shuffle",
		"--sim-error-rate", "0.05", "--sim-abort-rate", "0.05", "--sim-window-tokens", "6000", "--sim-batch-limit", "2", "--sim-cache-tokens", "20000",
		"--prefill-concurrency", "2", "--export-level", "summary",
	}
	_, first := simulatedLog(t, bundle, flags...)
	_, second := simulatedLog(t, bundle, flags...)
	sameRows(t, first, second)
	if len(first) < 2000 {
		t.Errorf("only %d rows", len(first))
	}
	_, other := simulatedLog(t, bundle, append(flags, "--sim-seed", "1")...)
	if len(other) == len(first) && other[len(other)/2] == first[len(first)/2] {
		t.Error("another seed of the server's errors gives the same log")
	}
}

var simulatedIn = regexp.MustCompile(`simulated [0-9a-z.]+ in ([0-9a-z.µ]+)`)

// BenchmarkSimulateHalfHour replays half an hour of 64 lanes of the shared traces against a modelled server,
// by the real program, and requires that every time gives the same log. simulation-s is the replay with its
// log (the bound is 5 s); s/op is the whole program, with the closing summary and exports.
func BenchmarkSimulateHalfHour(b *testing.B) {
	shared, err := schedtest.SharedDir("../..")
	if err != nil {
		b.Skip(err)
	}
	folder := b.TempDir()
	packed := filepath.Join(shared, "traces", "kv-cache-tester.tar.zst")
	if output, err := exec.Command("tar", "--zstd", "-xf", packed, "-C", folder).CombinedOutput(); err != nil {
		b.Skipf("unpacking the traces: %v %s", err, output)
	}
	bundle, err := buildBundle(b.TempDir(), "all.agentx", folder)
	if err != nil {
		b.Fatal(err)
	}
	var first [][32]byte
	var simulation time.Duration
	runs := 0
	for b.Loop() {
		run, rows := simulatedLog(b, bundle, "--concurrency", "64", "--benchmark-duration", "1800", "--random-seed", "1",
			"--trace-idle-gap-cap-seconds", "10", "--cache-bust", "first_turn_prefix", "--export-level", "summary")
		lines, err := os.ReadFile(filepath.Join(run, "logs", "agentx.log"))
		if err != nil {
			b.Fatal(err)
		}
		found := simulatedIn.FindSubmatch(lines)
		if found == nil {
			b.Fatalf("the program does not say how long it took: %s", lines)
		}
		took, err := time.ParseDuration(string(found[1]))
		if err != nil {
			b.Fatal(err)
		}
		simulation += took
		runs++
		if first == nil {
			first = rows
		}
		sameRows(b, first, rows)
	}
	b.ReportMetric(simulation.Seconds()/float64(runs), "simulation-s")
	b.ReportMetric(float64(len(first)), "rows")
}
