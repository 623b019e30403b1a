package measure

import (
	"math"
	"testing"
)

// runsOf are runs whose only metric is the request throughput.
func runsOf(values ...float64) []*Analysis {
	d, _ := Lookup(Definitions(), "request_throughput")
	var runs []*Analysis
	for _, value := range values {
		runs = append(runs, &Analysis{Compatible: &Set{Results: []Result{{d, scalar(value)}}}})
	}
	return runs
}

func TestConvergenceOfRepetitions(t *testing.T) {
	// Mean 10, sample deviation 0.1: CV 0.01; the interval is ± 4.302653 · 0.1 / √3.
	close := []float64{9.9, 10, 10.1}
	for _, c := range []struct {
		rule    ConvergenceRule
		values  []float64
		value   float64
		reached bool
	}{
		{ConvergenceRule{"request_throughput", "avg", ConvergedByInterval, 0.10}, close, 2 * 4.302652729696142 * 0.1 / math.Sqrt(3) / 10, true},
		{ConvergenceRule{"request_throughput", "avg", ConvergedByInterval, 0.04}, close, 2 * 4.302652729696142 * 0.1 / math.Sqrt(3) / 10, false},
		{ConvergenceRule{"request_throughput", "avg", ConvergedBySpread, 0.05}, close, 0.01, true},
		{ConvergenceRule{"request_throughput", "avg", ConvergedBySpread, 0.009}, close, 0.01, false},
		{ConvergenceRule{"request_throughput", "avg", ConvergedBySpread, 0.05}, []float64{10, 10}, 0, false},       // too few
		{ConvergenceRule{"request_throughput", "avg", ConvergedByInterval, 0.10}, []float64{0, 0, 0}, 0, true},     // nothing differs
		{ConvergenceRule{"request_throughput", "avg", ConvergedByInterval, 0.10}, []float64{5}, math.NaN(), false}, // no interval
		{ConvergenceRule{"request_latency", "p99", ConvergedByInterval, 0.10}, close, math.NaN(), false},           // no such metric there
	} {
		got := c.rule.Judge(runsOf(c.values...), 0.95)
		same := math.Abs(got.Value-c.value) < 1e-9 || math.IsNaN(got.Value) && math.IsNaN(c.value)
		if !same || got.Reached != c.reached {
			t.Errorf("%+v of %v: %v, reached %v; want %v, %v", c.rule, c.values, got.Value, got.Reached, c.value, c.reached)
		}
	}
}

func TestConvergenceRuleNamesWhatFilesHave(t *testing.T) {
	for _, c := range []struct {
		tag, stat string
		fits      bool
	}{
		{"request_latency", "p99", true}, {"time_to_first_token", "std", true}, {"effective_concurrency", "p90", true}, {"request_throughput", "avg", true},
		{"theoretical_prefix_cache_hit", "sum", true},
		{"request_throughput", "p50", false}, {"effective_concurrency", "p25", false}, {"request_latency", "median", false}, {"lateness", "avg", false}, {"speed", "avg", false},
	} {
		if err := (&ConvergenceRule{Tag: c.tag, Statistic: c.stat}).Check(); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.tag, c.stat, err)
		}
	}
}
