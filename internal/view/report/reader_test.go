package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// A reader as benchmark harnesses have it: it takes its figures from profile_export_aiperf.json and
// profile_export.jsonl, knowing nothing of agentx.

type peerStat struct {
	Unit string   `json:"unit"`
	Avg  *float64 `json:"avg"`
	P50  *float64 `json:"p50"`
}

type peerProfile struct {
	RequestCount     *peerStat           `json:"request_count"`
	ErrorCount       *peerStat           `json:"error_request_count"`
	CompletedCount   *peerStat           `json:"completed_request_count"`
	Theoretical      *peerStat           `json:"theoretical_prefix_cache_hit"`
	WarmupMetrics    map[string]peerStat `json:"warmup_metrics"`
	Version          string              `json:"agentx_version"`
	WasCancelled     *bool               `json:"was_cancelled"`
	IsComplete       *bool               `json:"is_complete"`
	BranchStats      map[string]int      `json:"branch_stats"`
	ErrorSummary     []map[string]any    `json:"error_summary"`
	Metadata         map[string]any      `json:"metadata"`
	StartTime        string              `json:"start_time"`
	SkippedOverflows *peerStat           `json:"skipped_context_overflow_count"`
}

type peerRecord struct {
	Metadata struct {
		Phase   string `json:"benchmark_phase"`
		Start   int64  `json:"request_start_ns"`
		End     int64  `json:"request_end_ns"`
		Session string `json:"x_correlation_id"`
		Root    string `json:"root_correlation_id"`
		Parent  string `json:"parent_correlation_id"`
		Depth   int    `json:"agent_depth"`
	} `json:"metadata"`
	Metrics map[string]struct {
		Value json.RawMessage `json:"value"`
		Unit  string          `json:"unit"`
	} `json:"metrics"`
	Error *struct {
		Type    string `json:"type"`
		Code    *int   `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (r *peerRecord) value(t *testing.T, tag string) float64 {
	t.Helper()
	var value float64
	if err := json.Unmarshal(r.Metrics[tag].Value, &value); err != nil {
		t.Fatalf("%s of a record: %v", tag, err)
	}
	return value
}

func exported(t *testing.T, a *measure.Analysis, set Set) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := Export(dir, a, set); err != nil {
		t.Fatal(err)
	}
	return dir
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func readRecords(t *testing.T, dir string) []peerRecord {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "profile_export.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var records []peerRecord
	scanner := bufio.NewScanner(bytes.NewReader(text))
	for scanner.Scan() {
		var r peerRecord
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func TestHarnessReadsTheProfile(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var p peerProfile
	readJSON(t, filepath.Join(dir, "profile_export_aiperf.json"), &p)
	if *p.RequestCount.Avg != 6 || *p.ErrorCount.Avg != 2 || *p.CompletedCount.Avg != 8 || *p.SkippedOverflows.Avg != 1 {
		t.Errorf("requests %v, errors %v, completed %v, overflows %v", *p.RequestCount.Avg, *p.ErrorCount.Avg, *p.CompletedCount.Avg, *p.SkippedOverflows.Avg)
	}
	// alpha 1, 3 and the subagent's 1, beta 1 and, in the second play, 0 and 1: hit 2+6+3+3+0+3 of 3+7+4+4+2+4 blocks.
	if *p.Theoretical.Avg < 70.8 || *p.Theoretical.Avg > 70.9 || p.Theoretical.Unit != "%" {
		t.Errorf("theoretical hit %v %s, want 17 of 24 blocks", *p.Theoretical.Avg, p.Theoretical.Unit)
	}
	if *p.WarmupMetrics["request_count"].Avg != 2 || p.Version == "" || *p.WasCancelled || !*p.IsComplete {
		t.Errorf("warmup %v, version %q, cancelled %v, complete %v", p.WarmupMetrics["request_count"], p.Version, *p.WasCancelled, *p.IsComplete)
	}
	if p.BranchStats["children_spawned"] != 1 || p.BranchStats["parents_resumed"] != 1 || len(p.ErrorSummary) != 2 {
		t.Errorf("branches %v, errors %v", p.BranchStats, p.ErrorSummary)
	}
	if p.Metadata["submission_valid"] != false || p.Metadata["scenario"] != "inferencex-agentx-mvp" || !strings.HasPrefix(p.StartTime, "2026-01-01T00:00:01") || !strings.HasSuffix(p.StartTime, "Z") {
		t.Errorf("metadata %v, start %s", p.Metadata, p.StartTime)
	}
}

func TestHarnessDerivesItsFiguresFromTheRecords(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var profile map[string]json.RawMessage
	readJSON(t, filepath.Join(dir, "profile_export_aiperf.json"), &profile)
	var ttft, itl, interactivity, normalized []float64
	var input, output float64
	warmup, failed := 0, map[string]int{}
	first, last := int64(math.MaxInt64), int64(0)
	for _, r := range readRecords(t, dir) {
		switch {
		case r.Metadata.Phase == "warmup":
			warmup++
		case r.Error != nil:
			failed[r.Error.Type]++
		default:
			ttft = append(ttft, r.value(t, "time_to_first_token"))
			if _, ok := r.Metrics["inter_token_latency"]; ok {
				itl = append(itl, r.value(t, "inter_token_latency"))
				interactivity = append(interactivity, 1000/r.value(t, "inter_token_latency"))
			}
			normalized = append(normalized, r.value(t, "output_sequence_length")/(r.value(t, "request_latency")/1000))
			input += r.value(t, "input_sequence_length")
			output += r.value(t, "output_sequence_length")
			first, last = min(first, r.Metadata.Start), max(last, r.Metadata.End)
		}
	}
	if warmup != 2 || failed["Service Unavailable"] != 1 || failed["InvalidInferenceResultError"] != 1 {
		t.Errorf("warmup %d, failed %v", warmup, failed)
	}
	for tag, values := range map[string][]float64{
		"time_to_first_token": ttft, "inter_token_latency": itl, "output_token_throughput_per_user": interactivity, "e2e_output_token_throughput": normalized,
	} {
		var want peerStat
		if err := json.Unmarshal(profile[tag], &want); err != nil {
			t.Fatal(err)
		}
		slices.Sort(values)
		median := values[len(values)/2]
		if len(values)%2 == 0 {
			median = (values[len(values)/2-1] + values[len(values)/2]) / 2
		}
		if math.Abs(median-*want.P50) > 1e-9*median {
			t.Errorf("%s: median of the records %v, in the profile %v", tag, median, *want.P50)
		}
	}
	if input != 1644 || output != 36 || last-first != 10_300*1e6 {
		t.Errorf("input %v, output %v tokens over %d ns", input, output, last-first)
	}
}

func TestRecordsOfATreeShareItsRoot(t *testing.T) {
	records := readRecords(t, exported(t, analyzed(t, logtest.Mixed()), Set{}))
	children := 0
	for _, r := range records {
		if r.Metadata.Depth > 0 {
			children++
			if r.Metadata.Root != r.Metadata.Parent || r.Metadata.Session == r.Metadata.Root {
				t.Errorf("a subagent's request: %+v", r.Metadata)
			}
		} else if r.Metadata.Root != r.Metadata.Session {
			t.Errorf("a root's request: %+v", r.Metadata)
		}
	}
	if children != 2 {
		t.Errorf("%d requests of subagents, want 2", children)
	}
}

func TestTimeSlicesAreWritten(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var file struct {
		Slices []map[string]json.RawMessage `json:"timeslices"`
	}
	readJSON(t, filepath.Join(dir, "profile_export_aiperf_timeslices.json"), &file)
	requests := 0.0
	for _, slice := range file.Slices {
		var count peerStat
		if text, ok := slice["request_count"]; ok {
			if err := json.Unmarshal(text, &count); err != nil {
				t.Fatal(err)
			}
			requests += *count.Avg
		}
	}
	if requests != 6 {
		t.Errorf("the slices have %v requests, want 6", requests)
	}
}

func TestHarnessReadsTheServersMetrics(t *testing.T) {
	dir := exported(t, analyzed(t, logtest.Mixed()), Set{})
	var file struct {
		Phase   string `json:"metrics_phase"`
		Metrics map[string]struct {
			Type   string `json:"type"`
			Series []struct {
				URL    string               `json:"endpoint_url"`
				Labels map[string]string    `json:"labels"`
				Stats  map[string]float64   `json:"stats"`
				Slices []map[string]float64 `json:"timeslices"`
			} `json:"series"`
		} `json:"metrics"`
	}
	readJSON(t, filepath.Join(dir, "server_metrics_export.json"), &file)
	tokens := file.Metrics["vllm:prompt_tokens"]
	if file.Phase != "profiling" || tokens.Type != "counter" || tokens.Series[0].Stats["total"] != 2000 || tokens.Series[0].Labels["engine"] != "0" {
		t.Errorf("phase %s, prompt tokens %+v", file.Phase, tokens)
	}
	if slices := file.Metrics["vllm:num_requests_running"].Series[0].Slices; len(slices) != 2 || slices[0]["max"] != 3 {
		t.Errorf("slices of 5 s: %v", slices)
	}
}
