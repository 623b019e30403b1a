package measure

import (
	"math"
	"testing"
)

// The vectors of spec metrics 8, typed in: they hold without the peer's files.

func recordValue(t *testing.T, r *Record, tag string) (float64, bool) {
	t.Helper()
	basis := DefaultBasis()
	d, known := Lookup(Definitions(), tag)
	if !known {
		t.Fatalf("no metric %s", tag)
	}
	return d.Value(r, &basis)
}

func TestVectors1To15OfRecords(t *testing.T) {
	absent := math.NaN()
	vectors := recordVectors()
	for name, want := range map[string]map[string]float64{
		"V01_basic": {"time_to_first_token": 100, "time_to_second_token": 50, "time_to_first_output_token": 100, "request_latency": 300,
			"decode_duration": 200, "inter_token_latency": 200.0 / 3, "output_token_throughput_per_user": 15, "e2e_output_token_throughput": 4 / 0.3,
			"prefill_throughput_per_user": 10000, "osl_mismatch_diff_pct": 0},
		"V02_single_chunk": {"request_latency": 80, "decode_duration": 0, "inter_token_latency": 0, "output_token_throughput_per_user": absent,
			"time_to_second_token": absent, "osl_mismatch_diff_pct": -25, "osl_mismatch_count": 1},
		"V03_one_token":             {"inter_token_latency": absent, "e2e_output_token_throughput": 12.5},
		"V04_reasoning":             {"time_to_first_token": 100, "time_to_first_output_token": 200, "time_to_second_token": 20, "request_latency": 260, "inter_token_latency": 160.0 / 7, "output_sequence_length": 8},
		"V05_first_chunk_bundle":    {"inter_token_latency": 200.0 / 6, "output_token_throughput_per_user": 30},
		"V06_first_chunk_bad":       {"inter_token_latency": 200.0 / 9},
		"V07_usage":                 {"usage_prompt_tokens": 1100, "usage_completion_tokens": 3, "usage_prompt_cache_read_tokens": 800, "usage_prompt_tokens_diff_pct": 10, "usage_discrepancy_count": 0},
		"V09_osl_mismatch_1000_951": {"osl_mismatch_diff_pct": -4.9, "osl_mismatch_count": 0},
		"V10_osl_mismatch_1000_949": {"osl_mismatch_diff_pct": -5.1, "osl_mismatch_count": 1},
		"V11_osl_mismatch_10_9":     {"osl_mismatch_count": 1},
		"V12_no_token_counts": {"time_to_first_token": 100, "time_to_second_token": 100, "time_to_first_output_token": 100, "request_latency": 200, "decode_duration": 100,
			"input_sequence_length": absent, "output_sequence_length": absent, "inter_token_latency": absent, "prefill_throughput_per_user": absent, "osl_mismatch_diff_pct": absent},
		"V13_error":               {"error_isl": 77, "time_to_first_token": absent, "request_latency": absent, "input_sequence_length": absent},
		"V15_same_instant_chunks": {"time_to_second_token": 0, "inter_token_latency": 25},
		"V16_reasoning_only":      {"time_to_first_token": 100, "time_to_first_output_token": absent, "output_sequence_length": 8, "inter_token_latency": 200.0 / 7, "output_token_count": absent},
	} {
		for tag, figure := range want {
			got, ok := recordValue(t, vectors[name].record(), tag)
			if ok == math.IsNaN(figure) || ok && !near(got, figure) {
				t.Errorf("%s: %s = %v (present: %v), want %v", name, tag, got, ok, figure)
			}
		}
	}
}

func TestVector13And14ErrorAndOverflowWithoutScenario(t *testing.T) {
	basis := DefaultBasis()
	how := How{Basis: &basis, Window: NoWindow()}
	set := Aggregate([]*Record{recordVectors()["V14_error_overflow"].record()}, how)
	for tag, want := range map[string]float64{"error_request_count": 1, "context_overflow_count": 1} {
		if got, ok := set.Average(tag); !ok || got != want {
			t.Errorf("%s = %v, want %v", tag, got, want)
		}
	}
	basis.OverflowSkipped = true
	set = Aggregate([]*Record{recordVectors()["V14_error_overflow"].record()}, how)
	for tag, want := range map[string]float64{"skipped_context_overflow_count": 1, "context_overflow_count": 1} {
		if got, ok := set.Average(tag); !ok || got != want {
			t.Errorf("under a scenario %s = %v, want %v", tag, got, want)
		}
	}
	if got, ok := set.Average("error_request_count"); ok {
		t.Errorf("under a scenario an overflow is an error: %v", got)
	}
}

func TestVector16Percentiles(t *testing.T) {
	stats, _ := Distribute([]float64{90, 50, 60})
	want := []float64{50.2, 51, 52, 55, 60, 75, 84, 87, 89.4}
	for i, figure := range want {
		if !near(stats.Percentiles[i], figure) {
			t.Errorf("p%v = %v, want %v", quantiles[i], stats.Percentiles[i], figure)
		}
	}
	if !near(stats.Avg, 200.0/3) || math.Abs(stats.Std-16.996732) > 1e-6 {
		t.Errorf("avg %v, std %v", stats.Avg, stats.Std)
	}
}

// figures of a set: avg, or the statistic behind a colon.
type figures map[string]float64

func checkFigures(t *testing.T, name string, set *Set, want figures) {
	t.Helper()
	for key, figure := range want {
		tag, which := key, "avg"
		for i := range key {
			if key[i] == ':' {
				tag, which = key[:i], key[i+1:]
			}
		}
		result, ok := set.Get(tag)
		if !ok {
			t.Errorf("%s: %s is missing", name, tag)
			continue
		}
		s := &result.Stats
		got := map[string]float64{"avg": s.Avg, "std": s.Std, "max": s.Max, "min": s.Min, "n": float64(s.Count),
			"p50": s.Percentile(50), "p75": s.Percentile(75), "p90": s.Percentile(90), "p95": s.Percentile(95), "p99": s.Percentile(99)}[which]
		if got != figure && math.Abs(got-figure) > 1e-6*math.Max(1, math.Abs(figure)) {
			t.Errorf("%s: %s = %v, want %v", name, key, got, figure)
		}
	}
}

func TestVectors17To26OfS1(t *testing.T) {
	inf := math.Inf(1)
	checkFigures(t, "without window", Aggregate(setS1(), howS1(NoWindow())), figures{
		"request_count": 4, "error_request_count": 1, "completed_request_count": 5, "request_error_rate": 20,
		"time_to_first_token": 92.5, "time_to_first_token:p50": 90, "time_to_first_token:p90": 135, "time_to_first_token:p95": 142.5,
		"time_to_first_token:p99": 148.5, "time_to_first_token:std": 39.607449, "request_latency": 255, "request_latency:p90": 335,
		"inter_token_latency": 36.666667, "inter_token_latency:p90": 61.666667, "inter_chunk_latency:n": 7, "inter_chunk_latency": 92.857143, "inter_chunk_latency:p90": 140,
		"benchmark_duration": 0.8, "request_throughput": 5, "output_token_throughput": 32.5, "input_token_throughput": 4500, "total_token_throughput": 4532.5,
	})
	checkFigures(t, "window 0 to 810", Aggregate(setS1(), howS1(Window{0, Stamp(810 * ms)})), figures{
		"effective_concurrency": 1.339506, "effective_concurrency:p50": 1, "effective_concurrency:p90": 2, "effective_concurrency:max": 2, "effective_concurrency:std": 0.668180,
		"effective_decode_concurrency": 0.845679, "effective_prefill_concurrency": 0.456790,
		"effective_decode_throughput": 27.160494, "effective_decode_throughput:p50": 20, "effective_decode_throughput:p90": 50, "effective_decode_throughput:p95": 100, "effective_decode_throughput:max": 100,
		"effective_prefill_throughput": 4444.444444, "effective_prefill_throughput:p50": 0, "effective_prefill_throughput:p90": 14000, "effective_prefill_throughput:max": 40000,
		"effective_total_throughput": 4471.604938, "tokens_in_flight": 1079.419753, "tokens_in_flight:p50": 811, "tokens_in_flight:p90": 1607,
		"tokens_in_flight:p95": 2001, "tokens_in_flight:max": 2006, "effective_decode_throughput_per_user": 25.144033, "effective_prefill_throughput_per_user": 3518.518519,
		"active_decode_throughput": 37.931034, "active_decode_throughput:p50": 31.111111, "active_prefill_throughput": 12000, "active_prefill_throughput:p50": 10000,
		"active_total_throughput": 5030.555556, "active_decode_throughput_per_user": 35.114943, "active_prefill_throughput_per_user": 9500,
	})
	checkFigures(t, "window -25 to 975", Aggregate(setS1(), howS1(Window{Stamp(-25 * ms), Stamp(975 * ms)})), figures{
		"benchmark_duration": 0.8, "request_throughput": 4, "output_token_throughput": 26, "input_token_throughput": 3600, "total_token_throughput": 3626,
		"effective_concurrency": 1.085, "effective_concurrency:std": 0.798608, "effective_decode_throughput": 22, "effective_prefill_throughput": 3600, "tokens_in_flight": 874.33,
		"active_decode_throughput": 37.931034, "active_prefill_throughput": 12000, "active_total_throughput": 5030.555556,
		// 25: valid requests only, as decided; the peer's figure under a name of its own.
		"effective_latency": 272.5, "effective_latency:n": 4, "effective_latency_with_errors": 224, "effective_latency_with_errors:p50": 295, "effective_latency_with_errors:p90": 352,
		"credit_to_start_latency": 7, "credit_to_start_latency:p90": 16,
		"adj_time_to_first_token:n": 5, "adj_time_to_first_token:p50": 100, "adj_time_to_first_token:p75": 150, "adj_time_to_first_token:p90": inf,
		"adj_time_to_first_token:p95": inf, "adj_time_to_first_token:p99": inf, "adj_time_to_first_token:min": 40,
	})
}

func TestVector27Goodput(t *testing.T) {
	how := howS1(Window{0, Stamp(1000 * ms)})
	objectives, err := ParseObjectives("time_to_first_token:100 request_latency:320")
	if err != nil {
		t.Fatal(err)
	}
	how.Basis.Objectives = objectives
	checkFigures(t, "goodput", Aggregate(setS1(), how), figures{"good_request_count": 3, "good_request_fraction": 0.6, "goodput": 3})
}

func TestVector28Slices(t *testing.T) {
	slices := SliceUp(setS1(), howS1(NoWindow()), 500*ms)
	if len(slices) != 2 || !slices[0].Complete || slices[1].Complete || slices[1].Window != (Window{Stamp(500 * ms), Stamp(810 * ms)}) {
		t.Fatalf("slices %+v", slices)
	}
	checkFigures(t, "slice 0", slices[0].Set, figures{"request_count": 2, "request_throughput": 4, "output_token_throughput": 18, "effective_concurrency": 1.33})
	checkFigures(t, "slice 1", slices[1].Set, figures{"request_count": 2, "request_throughput": 6.451613, "output_token_throughput": 54.838710, "effective_concurrency": 1.354839})
}

func TestFullResponseVector(t *testing.T) {
	r := NewRecord()
	r.Outcome, r.Streams = OutcomeOK, true
	r.Times.Start, r.Times.First, r.Times.Last, r.Times.LastResponse = 0, 529_058_811, 145_000_000_000, 145_861_451_000
	r.Tokens.Output = 26571
	if got, _ := recordValue(t, r, "full_response_inter_token_latency"); math.Abs(got-5.4698) > 5e-5 {
		t.Errorf("latency %v ms, want 5.4698", got)
	}
	if got, _ := recordValue(t, r, "full_response_output_token_throughput_per_user"); math.Abs(got-182.83) > 1e-2 {
		t.Errorf("throughput %v, want 182.83", got)
	}
}

func TestCoverageVectors(t *testing.T) {
	sec := int64(1e9)
	request := func(start, first, end int64) *Record {
		r := NewRecord()
		r.Phase, r.Outcome, r.Streams = PhaseProfiling, OutcomeOK, true
		r.Times.Start, r.Times.First, r.Times.Last, r.Times.LastResponse = Stamp(start*sec), Stamp(first*sec), Stamp(first*sec), Stamp(end*sec)
		r.Tokens.Output = 8
		return r
	}
	for _, v := range []struct {
		start, first, end int64
		ttft, itl         float64
		sufficient        bool
	}{{147, 148, 149, 0.48, 0.49, false}, {197, 198, 199, 0.98, 0.99, true}} {
		c := cover([]*Record{request(v.start, v.first, v.end)}, PhaseProfiling, Stamp(100*sec), 100*sec)
		if !near(c.TTFT, v.ttft) || !near(c.ITL, v.itl) || c.Sufficient() != v.sufficient {
			t.Errorf("%+v gives %+v", v, c)
		}
	}
	for _, v := range []struct {
		last       int64
		content    float64
		sufficient bool
	}{{1790, 1790.0 / 1800, true}, {1710, 0.95, true}, {1709, 1709.0 / 1800, false}, {1830, 1, true}, {-10, 0, false}} {
		r := request(0, 0, 0)
		r.Outcome, r.Times.Last = OutcomeCancelledGrace, Stamp(v.last*sec)
		c := cover([]*Record{r}, PhaseProfiling, 0, 1800*sec)
		if !near(c.Content, v.content) || c.Sufficient() != v.sufficient {
			t.Errorf("last content at %d gives %+v", v.last, c)
		}
	}
}
