package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/simulate"
	"agentx/sched"
)

// Logs of every released format stay in testdata, with the results that they gave: testdata/v<format>.
// They are written once, by -new-logs on the first program of a format, and never again.
var newLogs = flag.Bool("new-logs", false, "write the logs of today's format, where they are not there")

// oldLogs is the folder of a format's logs.
func oldLogs(format int) string { return fmt.Sprintf("testdata/v%d", format) }

// TestOldLogsGiveTheirResults: a log of an older program is read by this one, and says the same. Every
// format up to today's has its logs.
func TestOldLogsGiveTheirResults(t *testing.T) {
	if *newLogs {
		writeLog(t, filepath.Join(oldLogs(eventlog.SchemaVersion), "mixed.db"), logtest.Mixed())
		writeLog(t, filepath.Join(oldLogs(eventlog.SchemaVersion), "simulated.db"), simulated(t))
	}
	for format := 1; format <= eventlog.SchemaVersion; format++ {
		giveTheirResults(t, oldLogs(format))
	}
}

func giveTheirResults(t *testing.T, folder string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.db"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("%s has the logs %q, %v: a format that was made by mistake is taken back; for a new one run go test ./internal/view/report -run OldLogs -new-logs -update", folder, paths, err)
	}
	for _, path := range paths {
		golden := path[:len(path)-len(".db")] + "_"
		written := exportLog(t, path, measure.Options{}, Set{Only: []string{"report.json", "profile_export_aiperf.json", "records.jsonl", "validity.json"}})
		if len(written) != 4 {
			t.Fatalf("%s: %q", path, written)
		}
		for _, file := range written {
			compareWith(t, file, golden+filepath.Base(file))
		}
		// Of all others the digests are kept: which differ is seen, and how with agentx-analyze export.
		digests := filepath.Join(t.TempDir(), "sha256")
		if err := os.WriteFile(digests, []byte(digestsOf(t, exportAll(t, path))), 0o644); err != nil {
			t.Fatal(err)
		}
		compareWith(t, digests, golden+"all.sha256")
	}
}

// exportAll writes every file that a log gives, time slices, Parquet and OpenMetrics too.
func exportAll(t *testing.T, path string) []string {
	t.Helper()
	second := 1.0
	written := exportLog(t, path, measure.Options{SliceSeconds: &second}, Set{Level: "raw", Raw: handRaw{}, Outputs: true, HTTPTrace: true, ShowTrace: true, Everything: true})
	if len(written) != len(namesOf()) && len(written) != len(namesOf())-len(serverFiles()) {
		t.Errorf("%s gives %d of %d files: %q", path, len(written), len(namesOf()), written)
	}
	return written
}

// serverFiles are there only where a run had a server's metrics.
func serverFiles() []string {
	return []string{"server_metrics_export.json", "server_metrics_export.csv"}
}

// exportLog checks a copy of a log and writes files of it.
func exportLog(t *testing.T, path string, options measure.Options, set Set) []string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "run.db")
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(copied, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	reader, err := eventlog.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	if check := reader.Check(); len(check.Damages) > 0 {
		t.Errorf("%s: %v", path, check.Damages)
	}
	a, err := measure.Analyze(reader, options)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	written, err := Export(t.TempDir(), a, set)
	if err = errors.Join(err, reader.Close()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return written
}

// digestsOf lists files as sha256sum does.
func digestsOf(t *testing.T, paths []string) string {
	t.Helper()
	var list strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(text), filepath.Base(path))
	}
	return list.String()
}

// TestALogGivesTheSameBytesEverywhere: neither the folder, nor the time zone and the language of a machine, nor the
// number of its processors is in any file, and a second analysis is as the first.
func TestALogGivesTheSameBytesEverywhere(t *testing.T) {
	zone, processors := time.Local, runtime.GOMAXPROCS(0)
	defer func() { time.Local = zone; runtime.GOMAXPROCS(processors) }()
	for format := 1; format <= eventlog.SchemaVersion; format++ {
		for _, name := range []string{"mixed.db", "simulated.db"} {
			path, first := filepath.Join(oldLogs(format), name), ""
			for _, machine := range []struct {
				zone       *time.Location
				language   string
				processors int
			}{{time.UTC, "C", 1}, {time.FixedZone("east", 9*3600+1800), "tr_TR.UTF-8", 4}, {time.FixedZone("west", -8*3600), "de_DE", 2}} {
				time.Local = machine.zone
				runtime.GOMAXPROCS(machine.processors)
				t.Setenv("LC_ALL", machine.language)
				if got := digestsOf(t, exportAll(t, path)); first == "" {
					first = got
				} else if got != first {
					t.Errorf("%s gives other files on another machine (%+v):\n%s\nfirst:\n%s", path, machine, got, first)
				}
			}
		}
	}
}

func compareWith(t *testing.T, path, golden string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err == nil && *update {
		err = os.WriteFile(golden, got, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is another than before (%v); if the change is meant, run go test ./internal/view/report -update and read the difference", golden, err)
	}
}

// writeLog writes a log into a file that is not there yet.
func writeLog(t *testing.T, path string, log *logtest.Log) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for event, err := range log.Events(eventlog.Filter{}) {
		if err == nil && event.Kind == eventlog.KindModelMap {
			var models eventlog.ModelMap
			if models, err = eventlog.Decode[eventlog.ModelMap](event); err == nil {
				err = addPlan(w, log, models.Digest)
			}
		}
		if err == nil {
			_, err = w.Add(event)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func addPlan(w *eventlog.Writer, log *logtest.Log, text string) error {
	var digest eventlog.Digest
	if _, err := hex.Decode(digest[:], []byte(text)); err != nil {
		return err
	}
	plan, found, err := log.Plan(digest)
	if err != nil || !found {
		return err
	}
	return w.AddPlan(digest, plan)
}

// simulated is the log of the real machine on two small traces, with an error and an overflow.
func simulated(t *testing.T) *logtest.Log {
	t.Helper()
	log := logtest.New()
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), logtest.Config("inferencex-agentx-mvp", nil))
	log.Row(eventlog.KindAnchor, 0, logtest.Nowhere(), eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
	plans := []*corpus.Plan{logtest.Alpha(), logtest.Beta()}
	for i, plan := range plans {
		log.Trace(0, i, plan)
	}
	latencies, err := simulate.ReadLatencies([]byte(`{"default": 0.7, "turns": {"beta": [null, null, [0.2, "error"]], "alpha::sa:a1": [[0.4, "ok"], [0.1, "overflow"]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	machine := sched.DefaultConfig()
	duration, grace := int64(12e9), int64(2e9)
	machine.Concurrency, machine.Seed, machine.DurationNs, machine.GraceNs = 2, 7, &duration, &grace
	machine.BenchmarkID, machine.CacheBust = "0123456789abcdef0123456789abcdef", sched.CacheBustFirstTurnPrefix
	options := simulate.Options{Machine: machine, Plans: plans, Server: simulate.NewLatencies(latencies), Observer: simulate.NewJournal(machine, log.Add)}
	if err := simulate.Run(context.Background(), options); err != nil {
		t.Fatal(err)
	}
	log.Row(eventlog.KindRunEnd, 30e9, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
	return log
}
