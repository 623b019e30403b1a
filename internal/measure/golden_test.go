package measure

import (
	"math"
	"testing"
)

func TestRecordVectorsEqualThePeer(t *testing.T) {
	var want map[string]struct{ Record map[string]any }
	golden(t, "record_vectors.json", &want)
	definitions := Definitions()
	vectors := recordVectors()
	if len(want) != len(vectors) {
		t.Fatalf("%d vectors in the file, %d here", len(want), len(vectors))
	}
	for name, figures := range want {
		s, known := vectors[name]
		if !known {
			t.Errorf("%s is not among the vectors here", name)
			continue
		}
		checkRecordVector(t, name, s.record(), figures.Record, definitions)
	}
}

// notRecordMetrics are keys of the file that are no values of a record: internal carriers of the peer,
// and counters that ours takes over the population.
var notRecordMetrics = map[string]bool{
	"min_request_timestamp": true, "max_response_timestamp": true, "requested_osl": true, "inter_chunk_latency": true,
	"error_request_count": true, "context_overflow_count": true,
}

func checkRecordVector(t *testing.T, name string, r *Record, want map[string]any, definitions []*Definition) {
	t.Helper()
	basis := DefaultBasis()
	seen := map[string]bool{}
	for _, d := range definitions {
		got, ok := d.raw(r, &basis)
		if !ok || d.Own || d.Family == FamilyAdjusted || laterThanThePeer[d.Tag] {
			continue
		}
		seen[d.Tag] = true
		figure, expected := want[d.Tag]
		if !expected {
			t.Errorf("%s: %s = %v, the peer has none", name, d.Tag, got)
			continue
		}
		if !near(got, figure.(float64)) {
			t.Errorf("%s: %s = %v, want %v", name, d.Tag, got, figure)
		}
	}
	for tag := range want {
		if !seen[tag] && !notRecordMetrics[tag] {
			t.Errorf("%s: %s is missing, want %v", name, tag, want[tag])
		}
	}
	checkGaps(t, name, r, want["inter_chunk_latency"])
}

func checkGaps(t *testing.T, name string, r *Record, want any) {
	t.Helper()
	list, _ := want.([]any)
	var got []int64
	for gap := range r.Trail.Gaps() {
		got = append(got, gap)
	}
	if len(got) != len(list) {
		t.Errorf("%s: %d chunk gaps, want %d", name, len(got), len(list))
		return
	}
	for i := range got {
		if float64(got[i]) != list[i].(float64) {
			t.Errorf("%s: gap %d = %d, want %v", name, i, got[i], list[i])
		}
	}
}

// laterThanThePeer are metrics of later versions than the one the figures come from, and those of
// which the vectors do not tell.
var laterThanThePeer = map[string]bool{
	"full_response_inter_token_latency": true, "full_response_output_token_throughput_per_user": true,
	"adj_effective_latency": true, "e2e_normalized_interactivity_p90": true, "e2e_normalized_interactivity_p75": true,
	"effective_latency": true, "credit_to_start_latency": true,
	"http_req_blocked": true, "http_req_dns_lookup": true,
}

func TestAggregateVectorsEqualThePeer(t *testing.T) {
	var want map[string]any
	golden(t, "aggregate_vectors_T0_small.json", &want)
	limit, err := ParseObjectives("time_to_first_token:100 request_latency:320")
	if err != nil {
		t.Fatal(err)
	}
	good := DefaultBasis()
	good.Objectives = limit
	second := Window{0, Stamp(1000 * ms)}
	sets := map[string]*Set{
		"S1_no_window":              Aggregate(setS1(), howS1(NoWindow())),
		"S1_window_-25_975":         Aggregate(setS1(), howS1(Window{Stamp(-25 * ms), Stamp(975 * ms)})),
		"S1_warmup":                 Aggregate(warmupS1(), howS1(NoWindow())),
		"S1_goodput_ttft100_lat320": Aggregate(setS1(), How{Basis: &good, Window: second}),
	}
	for name, set := range sets {
		checkSet(t, name, set, want[name].(map[string]any), name != "S1_goodput_ttft100_lat320")
	}
	slices := SliceUp(setS1(), howS1(NoWindow()), 500*ms)
	figures := want["S1_slices_0.5"].([]any)
	if len(slices) != len(figures) {
		t.Fatalf("%d slices, want %d", len(slices), len(figures))
	}
	for i, slice := range slices {
		figure := figures[i].(map[string]any)
		if float64(slice.Window.From) != figure["start"].(float64) || float64(slice.Window.To) != figure["end"].(float64) {
			t.Errorf("slice %d is %v, want %v to %v", i, slice.Window, figure["start"], figure["end"])
		}
		if cut := figure["is_complete"] == false; cut == slice.Complete {
			t.Errorf("slice %d: complete %v", i, slice.Complete)
		}
		checkSet(t, "slice", slice.Set, figure["metrics"].(map[string]any), false)
	}
}

// checkSet compares a set with the peer's figures; all means that the set has no other metric.
func checkSet(t *testing.T, name string, set *Set, want map[string]any, all bool) {
	t.Helper()
	for tag, figure := range want {
		result, ok := set.Get(tag)
		if !ok {
			t.Errorf("%s: %s is missing", name, tag)
			continue
		}
		if tag == "effective_latency" { // decided otherwise: valid requests only
			result, _ = set.Get("effective_latency_with_errors")
		}
		checkStats(t, name, result, figure.(map[string]any))
	}
	for i := range set.Results {
		r := &set.Results[i]
		if _, ok := want[r.Tag]; all && !ok && !r.Own && !laterThanThePeer[r.Tag] {
			t.Errorf("%s: %s = %v, the peer has none", name, r.Tag, r.Stats.Avg)
		}
	}
}

func checkStats(t *testing.T, name string, result *Result, want map[string]any) {
	t.Helper()
	if want["unit"] != result.Unit {
		t.Errorf("%s: %s is in %s, want %s", name, result.Tag, result.Unit, want["unit"])
	}
	got := map[string]float64{
		"avg": result.Stats.Avg, "min": result.Stats.Min, "max": result.Stats.Max, "std": result.Stats.Std,
		"sum": result.Stats.Sum, "count": float64(result.Stats.Count),
	}
	for i, q := range []string{"p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"} {
		got[q] = result.Stats.Percentiles[i]
	}
	for key, figure := range want {
		if key == "unit" {
			continue
		}
		value := math.Inf(1)
		if figure != "inf" {
			value = figure.(float64)
		}
		if !near(got[key], value) {
			t.Errorf("%s: %s.%s = %v, want %v", name, result.Tag, key, got[key], figure)
		}
	}
}
