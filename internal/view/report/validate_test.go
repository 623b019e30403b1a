package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// everything is a set with every file.
func everything(prefix string) Set {
	return Set{Level: "raw", Raw: handRaw{}, Prefix: prefix, HTTPTrace: true, Outputs: true, Everything: true}
}

func validateAll(t *testing.T, dir string, want int) {
	t.Helper()
	paths, err := Exported(dir)
	if err != nil || len(paths) != want {
		t.Errorf("%d exported files, %v; want %d: %q", len(paths), err, want, paths)
	}
	for _, path := range paths {
		if _, err := Validate(path); err != nil {
			t.Error(err)
		}
	}
}

// Every file of a run, whatever became of the run and whatever its files are called, and every file of a
// series fits its schema, and each has one but the text for people.
func TestEveryExportFitsItsSchema(t *testing.T) {
	whole := logtest.Mixed()
	for rows := 1; rows <= whole.Len(); rows += 5 {
		dir := exported(t, analyzed(t, whole.Cut(rows)), Set{HTTPTrace: true, Outputs: true})
		paths, err := Exported(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if _, err := Validate(path); err != nil {
				t.Fatalf("cut after %d rows: %v", rows, err)
			}
		}
	}
	whole.Scrape(2e9, "http://127.0.0.1:8000/metrics", "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3\n# TYPE x histogram\nx_bucket{le=\"1\"} 2\nx_bucket{le=\"+Inf\"} 3\nx_sum 4\nx_count 3\n")
	whole.Scrape(6e9, "http://127.0.0.1:8000/metrics", "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n# TYPE x histogram\nx_bucket{le=\"1\"} 3\nx_bucket{le=\"+Inf\"} 5\nx_sum 9\nx_count 5\n")
	a := analyzed(t, whole)
	every := len(namesOf()) // without the text, with the marker
	validateAll(t, exported(t, a, everything("")), every)
	validateAll(t, exported(t, a, everything("own.name")), every)
	r := &measure.Repetitions{Runs: []*measure.Analysis{a, a, a}, Labels: []string{"run_0001", "run_0002", "run_0003"}, Level: 0.95,
		Rule: &measure.ConvergenceRule{Tag: "request_latency", Statistic: "avg", Mode: measure.ConvergedByInterval, Threshold: 0.1}}
	dir := t.TempDir()
	if _, err := Aggregate(dir, r, 0); err != nil {
		t.Fatal(err)
	}
	validateAll(t, dir, len(seriesFiles()))
}

// A schema that allows everything would be none: each names what must be there.
func TestSchemasDemandSomething(t *testing.T) {
	for _, name := range validNames() {
		if ext := filepath.Ext(name); ext != ".json" && ext != ".jsonl" {
			continue
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidError
		if _, err := Validate(path); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "$ lacks") {
			t.Errorf("an empty %s: %v", name, err)
		}
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), everything(""))
	for _, c := range []struct{ name, old, new, want string }{
		{"validity.json", `"is_complete": true`, `"is_complete": "yes"`, "$.is_complete is string, expected boolean"},
		{"validity.json", `"is_complete": true,`, ``, "$ lacks is_complete"},
		{"validity.json", `"result": "pass"`, `"result": "maybe"`, "expected one of"},
		{"records.jsonl", `"outcome":"overflow"`, `"outcome":"over"`, "line 9"},
		{"report.json", `"max": "inf"`, `"max": "much"`, "fits none of the forms"},
		{"profile_export_aiperf.json", `"avg": 200,`, `"avg": null,`, "is null, expected number"},
		{"report.json", "{", "{{", "invalid character"},
		{"profile_export_raw.jsonl", `"start_perf_ns":1000000`, `"start_perf_ns":"soon"`, "line 1 does not fit its schema: $.start_perf_ns is string"},
		{"profile_export_raw.jsonl", `"name":"data"`, `"nom":"data"`, "$.responses[0].packets[1] lacks name"},
		{"outputs.json", `"session_num": 0,`, ``, "$.data[0] lacks session_num"},
		{"profile_export_aiperf_timeslices.json", `"end_ns": 1`, `"end_ms": 1`, "$.timeslices[0] lacks end_ns"},
		{"profile_export_aiperf_timeslices.csv", ",Stat,", ",Statistic,", "does not begin with Timeslice"},
		{"profile_export_aiperf.csv", "\n\n", "\n", "expected 2"},
		{"profile_export_aiperf.csv", "Time to First Token (ms),", "Time to First Token (ms),,", "wrong number of fields"},
		{"records.jsonl", `"outcome":"ok"`, "\"outcome\":\"ok\", \"note\":\"\xff\"", "it is not UTF-8"},
		{"metrics.txt", "# EOF", "# THE END", "does not end with # EOF"},
		{"metrics.txt", "agentx_is_complete{", "agentx is complete{", "cannot be read"},
		{".aiperf_results_ready.json", `"ready":true`, `"ready":false`, "$.ready is false, expected true"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, c.name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s has no %s", c.name, c.old)
		}
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		var invalid *InvalidError
		if _, err := Validate(path); !errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: %v, want %q", c.name, c.new, err, c.want)
		}
	}
	cut := filepath.Join(dir, "profile_export_aiperf_timeslices.csv")
	if info, err := os.Stat(cut); err != nil || os.Truncate(cut, info.Size()-2) != nil {
		t.Fatal(err)
	}
	if _, err := Validate(cut); err == nil || !strings.Contains(err.Error(), "the last line does not end") {
		t.Errorf("a table without its last digit: %v", err)
	}
	parquet := filepath.Join(dir, "records.parquet")
	text, err := os.ReadFile(parquet)
	if err == nil {
		err = os.WriteFile(parquet, text[:len(text)/2], 0o644)
	}
	var invalid *InvalidError
	_, broken := Validate(parquet)
	if err != nil || !errors.As(broken, &invalid) {
		t.Errorf("half a Parquet file: %v, %v", err, broken)
	}
	if _, err := Validate(filepath.Join(dir, "swim_lane.html")); err == nil || !strings.Contains(err.Error(), "report.json") {
		t.Errorf("a file without a schema: %v", err)
	}
}

// TestValidateCountsTheRecords: a run that sent nothing has files without a line, which are valid; the number says so.
func TestValidateCountsTheRecords(t *testing.T) {
	dir := t.TempDir()
	if _, err := Export(dir, analyzed(t, logtest.Mixed()), Set{Only: []string{"records.jsonl", "report.json"}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "records.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Validate(filepath.Join(dir, "records.jsonl")); err != nil || got != strings.Count(string(text), "\n") || got == 0 {
		t.Errorf("%d records, %v", got, err)
	}
	if got, err := Validate(filepath.Join(dir, "report.json")); err != nil || got != -1 {
		t.Errorf("%d records of a file that has none, %v", got, err)
	}
	empty := filepath.Join(dir, "records.jsonl")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := Validate(empty); err != nil || got != 0 {
		t.Errorf("%d records of an empty file, %v", got, err)
	}
}
