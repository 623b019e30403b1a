package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/promtext"

	"github.com/parquet-go/parquet-go"
)

func TestSameLogGivesTheSameBytes(t *testing.T) {
	set := Set{Level: "raw", Raw: handRaw{}, Outputs: true, HTTPTrace: true, Everything: true}
	first, second := exported(t, analyzed(t, logtest.Mixed()), set), exported(t, analyzed(t, logtest.Mixed()), set)
	for _, name := range namesOf() {
		a, errA := os.ReadFile(filepath.Join(first, name))
		b, errB := os.ReadFile(filepath.Join(second, name))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs from one export to the next", name)
		}
	}
}

// namesOf are the files that a log without a latency probe has.
func namesOf() []string {
	return slices.DeleteFunc(FileNames(), func(name string) bool { return name == networkName })
}

// Every file of every prefix of a log is strict JSON: no NaN, no Inf, no null.
func TestFilesOfInterruptedLogsAreStrictJSON(t *testing.T) {
	whole := logtest.Mixed()
	for rows := 1; rows <= whole.Len(); rows += 3 {
		a := analyzed(t, whole.Cut(rows))
		dir := exported(t, a, Set{Level: "raw", Raw: handRaw{}, Outputs: true})
		for _, name := range namesOf() {
			if filepath.Ext(name) != ".json" && filepath.Ext(name) != ".jsonl" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name))
			if errors.Is(err, os.ErrNotExist) && a.Server == nil && strings.HasPrefix(name, "server_metrics") {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(bytes.NewReader(text))
			for {
				var value any
				if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("cut after %d rows: %s: %v", rows, name, err)
				}
				if path, found := nullIn(value); found {
					t.Fatalf("cut after %d rows: %s: null at %s", rows, name, path)
				}
			}
		}
	}
}

func nullIn(value any) (string, bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case []any:
		for _, entry := range value {
			if path, found := nullIn(entry); found {
				return "[]" + path, true
			}
		}
	case map[string]any:
		for key, entry := range value {
			if key == "settings" || key == "input_config" {
				continue // the run's own, as it resolved them
			}
			if path, found := nullIn(entry); found {
				return "." + key + path, true
			}
		}
	}
	return "", false
}

func TestMarkerComesLastAndIsTakenAwayFirst(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var ready struct{ Ready, WasCancelled, Partial bool }
	readJSON(t, filepath.Join(dir, Marker), &ready)
	if !ready.Ready || ready.Partial {
		t.Errorf("marker %+v", ready)
	}
	info, err := os.Stat(filepath.Join(dir, Marker))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("marker's mode %v, error %v", info.Mode(), err)
	}
	// A folder in the place of a file makes the export fail: then there is no marker.
	broken := filepath.Join(dir, "validity.json")
	if err := errors.Join(os.Remove(broken), os.Mkdir(broken, 0o755), os.WriteFile(filepath.Join(broken, "x"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(dir, analyzed(t, logtest.Mixed()), Set{}); err == nil || !strings.Contains(err.Error(), "validity.json") {
		t.Errorf("export over a folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, Marker)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the marker is there although the export failed: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*.*.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

func TestSummaryLevelAndPrefixAndChoice(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	dir := exported(t, a, Set{Level: "summary", Prefix: "mine"})
	for name, there := range map[string]bool{"mine.json": true, "mine.csv": true, "mine_console.txt": true, "mine_timeslices.csv": true, "mine.jsonl": false,
		"records.jsonl": false, "report.json": true, "profile_export_aiperf.json": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: there %v, want %v", name, err == nil, there)
		}
	}
	if written, err := Export(t.TempDir(), a, Set{Only: []string{"validity.json"}}); err != nil || len(written) != 1 {
		t.Errorf("one file: %v, %v", written, err)
	}
	if _, err := Export(t.TempDir(), a, Set{Only: []string{"nope.json"}}); err == nil || !strings.Contains(err.Error(), "validity.json") {
		t.Errorf("an unknown file: %v", err)
	}
}

func TestInfinityIsAWordInOurFilesAndAbsentInThePeers(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var own struct {
		Metrics map[string]map[string]any `json:"metrics"`
	}
	readJSON(t, filepath.Join(dir, "report.json"), &own)
	if got := own.Metrics["adj_request_latency"]["max"]; got != "inf" {
		t.Errorf("our maximum with failures is %v, want the word inf", got)
	}
	if got := own.Metrics["adj_request_latency"]["failure_fraction"]; got != 1.0/7 {
		t.Errorf("failure fraction %v, want one of seven", got)
	}
	var peer map[string]map[string]any
	text, err := os.ReadFile(filepath.Join(dir, "profile_export_aiperf.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	peer = map[string]map[string]any{"adj": {}}
	adj := peer["adj"]
	if err := json.Unmarshal(all["adj_request_latency"], &adj); err != nil {
		t.Fatal(err)
	}
	if _, there := adj["max"]; there || adj["min"] == nil {
		t.Errorf("the peer's file has %v", adj)
	}
}

func TestTablesOfRunsAndGroups(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	for name, print := range map[string]func(io.Writer, Format) error{
		"runs": func(w io.Writer, f Format) error {
			return Runs(w, []string{"one", "two"}, []*measure.Analysis{a, a}, f)
		},
		"by_depth": func(w io.Writer, f Format) error { return Breakdown(w, a, "depth", f) },
		"by_isl":   func(w io.Writer, f Format) error { return Breakdown(w, a, "isl-bucket", f) },
		"by_turn":  func(w io.Writer, f Format) error { return Breakdown(w, a, "turn", f) },
		"by_trace": func(w io.Writer, f Format) error { return Breakdown(w, a, "trace", f) },
	} {
		for _, format := range []Format{FormatText, FormatCSV, FormatJSON} {
			path := filepath.Join(t.TempDir(), name+"."+string(format))
			var text bytes.Buffer
			if err := print(&text, format); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			compare(t, path)
		}
	}
	if err := Breakdown(io.Discard, a, "moon", FormatText); err == nil || !strings.Contains(err.Error(), "isl-bucket") {
		t.Errorf("an unknown dimension: %v", err)
	}
}

func TestAggregateOfTwoRuns(t *testing.T) {
	a, b := analyzed(t, logtest.Mixed()), analyzed(t, logtest.Mixed().Cut(60))
	both := &measure.Repetitions{Runs: []*measure.Analysis{a, b}, Labels: []string{"run_0001", "run_0002"}, Level: 0.95,
		Failed: []measure.FailedRun{{Label: "run_0003", Error: "warmup failed"}}}
	dir := t.TempDir()
	written, err := Aggregate(dir, both, 0)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, written[1])
	var file struct {
		Metadata struct {
			Valid   bool     `json:"submission_valid"`
			Reasons []string `json:"submission_invalid_reasons"`
			Good    int      `json:"num_successful_runs"`
		} `json:"metadata"`
		Metrics map[string]map[string]any `json:"metrics"`
	}
	readJSON(t, written[0], &file)
	if file.Metadata.Valid || file.Metadata.Good != 2 || len(file.Metadata.Reasons) != 3 || file.Metrics["request_count_avg"]["mean"] != 6.0 {
		t.Errorf("metadata %+v, request count %v", file.Metadata, file.Metrics["request_count_avg"])
	}
	var text bytes.Buffer
	if err := AggregateSummary(&text, both); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "2 of 3 runs") || !strings.Contains(text.String(), "Time to First Token") {
		t.Errorf("summary:\n%s", text.String())
	}
}

// Adaptive repetitions have a file of all requests pooled, and say whether they agree.
func TestCollatedFileOfAdaptiveRepetitions(t *testing.T) {
	a, b := analyzed(t, logtest.Mixed()), analyzed(t, logtest.Mixed().Cut(60))
	r := &measure.Repetitions{Runs: []*measure.Analysis{a, b}, Labels: []string{"run_0001", "run_0002"}, Level: 0.95,
		Rule: &measure.ConvergenceRule{Tag: "request_latency", Statistic: "avg", Mode: measure.ConvergedByInterval, Threshold: 0.1}}
	written, err := Aggregate(t.TempDir(), r, 0)
	if err != nil || len(written) != 3 {
		t.Fatalf("%q, %v", written, err)
	}
	var file struct {
		Metadata struct {
			Convergence struct {
				Runs      int
				Converged bool
			}
		}
		Metrics map[string]struct {
			Combined map[string]float64
			PerRun   []struct {
				Label string
				Count float64
			} `json:"per_run"`
		}
	}
	readJSON(t, written[2], &file)
	latency := file.Metrics["request_latency"]
	first, _ := a.Compatible.Get("request_latency")
	second, _ := b.Compatible.Get("request_latency")
	count, sum := float64(first.Stats.Count+second.Stats.Count), first.Stats.Sum+second.Stats.Sum
	if latency.Combined["count"] != count || math.Abs(latency.Combined["mean"]-sum/count) > 1e-9 || len(latency.PerRun) != 2 || latency.PerRun[0].Count+latency.PerRun[1].Count != count {
		t.Errorf("pooled latency %+v, want %v values of mean %v", latency, count, sum/count)
	}
	if c := file.Metadata.Convergence; c.Converged || c.Runs != 2 {
		t.Errorf("convergence %+v: two runs are too few", c)
	}
}

func TestParquetHoldsEveryRecord(t *testing.T) {
	a := analyzed(t, logtest.Mixed())
	path := filepath.Join(exported(t, a, Set{Everything: true}), "records.parquet")
	rows, err := parquet.ReadFile[parquetRow](path)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(a.Records) {
		t.Fatalf("%d rows of %d records", len(rows), len(a.Records))
	}
	outcomes := map[string]int{}
	for _, r := range rows {
		outcomes[r.Outcome]++
	}
	if outcomes["ok"] != 8 || outcomes["overflow"] != 1 || outcomes["never_sent"] != 1 || rows[2].TTFT == nil || *rows[2].TTFT != 200 || *rows[2].Input != 210 || rows[len(rows)-1].Exchange != nil {
		t.Errorf("outcomes %v, third row %+v, last %+v", outcomes, rows[2], rows[len(rows)-1])
	}
}

func TestOpenMetricsCanBeReadBack(t *testing.T) {
	path := filepath.Join(exported(t, analyzed(t, logtest.Mixed()), Set{Only: []string{"metrics.txt"}}), "metrics.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page, skipped, first := promtext.Parse(text)
	if skipped > 0 || !strings.HasSuffix(string(text), "# EOF\n") {
		t.Errorf("%d lines cannot be read: %v", skipped, first)
	}
	if family := page.Family("agentx_time_to_first_token"); family != nil {
		for _, s := range family.Series {
			if s.Label("stat") == "p50" && s.Value == 200 && s.Label("concurrency") == "2" {
				return
			}
		}
	}
	t.Error("the median of the time to first token is missing")
}
