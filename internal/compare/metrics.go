package compare

import (
	"agentx/internal/measure"
)

// requestTags are the metrics with one value per request that are compared with an interval, in the
// order in which they are shown.
func requestTags() []string {
	return []string{
		"time_to_first_token", "time_to_first_output_token", "request_latency", "inter_token_latency", "decode_duration",
		"output_token_throughput_per_user", "e2e_output_token_throughput", "prefill_throughput_per_user",
		"prefill_throughput_per_user_uncached", "effective_latency", "slowdown",
		"input_sequence_length", "output_sequence_length", "uncached_input_tokens", "usage_prompt_cache_read_tokens",
		"error_latency", "lateness", "read_delay",
	}
}

// requestRanks are the percentiles that are compared with an interval.
func requestRanks() []float64 { return []float64{50, 90, 99} }

// rankName is the key of a percentile.
func rankName(rank float64) string {
	switch rank {
	case 50:
		return "p50"
	case 90:
		return "p90"
	}
	return "p99"
}

// share is a metric of a run that is a ratio of two sums over requests, or of a sum over requests and
// lane time. Its value is measure's; here it only says what each request adds.
type share struct {
	tag    string
	perRun bool // under is lane time: the metric is a rate
	scale  float64
	add    func(*measure.Record, *measure.Basis) (above, under float64, ok bool)
}

// shares are the run-level metrics that are compared with an interval.
func shares() []share {
	definitions := measure.Definitions()
	good, _ := measure.Lookup(definitions, "good_request_count")
	return append(rates(good), portions(good)...)
}

func rates(good *measure.Definition) []share {
	rate := func(tag string, amount func(*measure.Record) measure.Count) share {
		return share{tag, true, 1, func(r *measure.Record, _ *measure.Basis) (float64, float64, bool) {
			n := amount(r)
			return float64(n.Or(0)), 0, r.Valid() && n.Known()
		}}
	}
	return []share{
		rate("request_throughput", func(*measure.Record) measure.Count { return 1 }),
		rate("input_token_throughput", func(r *measure.Record) measure.Count { return r.Tokens.Input }),
		rate("output_token_throughput", (*measure.Record).OSL),
		rate("total_token_throughput", func(r *measure.Record) measure.Count { return both(r.Tokens.Input, r.OSL()) }),
		{"goodput", true, 1, func(r *measure.Record, b *measure.Basis) (float64, float64, bool) {
			kept, ok := good.Value(r, b)
			return kept, 0, ok
		}},
	}
}

// both is the sum of two counts, of which one may not be known.
func both(a, b measure.Count) measure.Count {
	if !a.Known() && !b.Known() {
		return measure.NoCount
	}
	return measure.Count(a.Or(0) + b.Or(0))
}

func portions(good *measure.Definition) []share {
	percent := func(tag string, add func(*measure.Record) (above, under measure.Count)) share {
		return share{tag, false, 100, func(r *measure.Record, _ *measure.Basis) (float64, float64, bool) {
			above, under := add(r)
			return float64(above.Or(0)), float64(under.Or(0)), r.Valid() && above.Known() && under.Known()
		}}
	}
	reported := func(r *measure.Record, above, under measure.Count) (measure.Count, measure.Count) {
		if !r.Tokens.Usage.CacheRead.Known() || !r.Plan.ReachTokens.Known() {
			return measure.NoCount, measure.NoCount
		}
		return above, under
	}
	return []share{
		{"request_error_rate", false, 100, func(r *measure.Record, b *measure.Basis) (float64, float64, bool) {
			if b.IsError(r) {
				return 1, 1, true
			}
			return 0, 1, r.Valid()
		}},
		{"good_request_fraction", false, 1, func(r *measure.Record, b *measure.Basis) (float64, float64, bool) {
			kept, ok := good.Value(r, b)
			return kept, 1, len(b.Objectives) > 0 && (ok || b.IsError(r))
		}},
		percent("overall_usage_prompt_cache_read_pct", func(r *measure.Record) (measure.Count, measure.Count) {
			return measure.Count(r.Tokens.Usage.CacheRead.Or(0)), r.Tokens.Usage.Prompt
		}),
		percent("theoretical_prefix_cache_hit_tokens_pct", func(r *measure.Record) (measure.Count, measure.Count) {
			return r.Plan.HitTokens, r.Plan.In
		}),
		percent("reachable_prefix_cache_hit_pct", func(r *measure.Record) (measure.Count, measure.Count) {
			return reported(r, r.Plan.ReachTokens, r.Plan.In)
		}),
		percent("reuse_captured_pct", func(r *measure.Record) (measure.Count, measure.Count) {
			return reported(r, r.Tokens.Usage.CacheRead, r.Plan.ReachTokens)
		}),
	}
}

// headline are the figures that a reader looks at first, as tag and statistic; what is found among them
// is corrected for their number.
func headline() [][2]string {
	return [][2]string{
		{"time_to_first_token", "p50"}, {"time_to_first_token", "p99"},
		{"request_latency", "p50"}, {"request_latency", "p99"},
		{"inter_token_latency", "p50"}, {"inter_token_latency", "p99"},
		{"output_token_throughput", "avg"}, {"request_throughput", "avg"},
		{"overall_usage_prompt_cache_read_pct", "avg"}, {"request_error_rate", "avg"}, {"goodput", "avg"},
	}
}

// headlineTurns are those among the same turns.
func headlineTurns() []string {
	return []string{"time_to_first_token", "request_latency", "inter_token_latency"}
}
