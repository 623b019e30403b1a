package measure

// scalarDefinitions are the numbers of a whole run (spec metrics 3, 6).
func scalarDefinitions() []*Definition {
	return append(countDefinitions(), append(tokenTotalDefinitions(), append(rateDefinitions(), hitDefinitions()...)...)...)
}

func countDefinitions() []*Definition {
	return []*Definition{
		run("request_count", "Request Count", "requests", Higher, "valid requests", "none", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Valid), t.Valid > 0 }).in(TableMain, 1000).
			each(onValid(func(*Record, *Basis) (float64, bool) { return 1, true })),
		run("error_request_count", "Error Request Count", "requests", Lower, "failed requests; skipped context overflows are not in it", "0", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Errors), t.Errors > 0 }).in(TableMain, 1010),
		run("completed_request_count", "Completed Request Count", "requests", Higher, "request_count + error_request_count", "0", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Valid + t.Errors), t.Valid+t.Errors > 0 }),
		run("request_error_rate", "Request Error Rate", "%", Lower, "100 · errors / completed", "nothing completed", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return percent(float64(t.Errors), float64(t.Valid+t.Errors)) }),
		run("context_overflow_count", "Context Overflow Count", "requests", Lower, "requests that did not fit the server's context window, skipped ones included", "no failed request and no overflow", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Overflows), t.Overflows > 0 || t.Errors > 0 }),
		run("skipped_context_overflow_count", "Skipped Context Overflow Count", "requests", Lower, "overflows that count neither as answer nor as error", "0", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Skipped), t.Skipped > 0 }),
		run("no_visible_output_count", "No Visible Output Count", "requests", Lower, "answers that ended properly without visible content; errors in the peer's files", "0", "agentx",
			func(t *Totals) (float64, bool) { return float64(t.NoVisible), t.NoVisible > 0 }).own(),
		run("benchmark_duration", "Benchmark Duration", "sec", Neither, "last content chunk − first start, over valid requests", "no valid request", "AIPerf 0.13",
			(*Totals).BenchmarkSeconds),
	}
}

func tokenTotalDefinitions() []*Definition {
	of := func(tag, header, formula string, count func(*Totals) Count) *Definition {
		return run(tag, header, "tokens", Neither, formula, "not counted", "AIPerf 0.13", func(t *Totals) (float64, bool) { return known(count(t)) })
	}
	return []*Definition{
		of("total_isl", "Total Input Sequence Length", "sum of input_sequence_length", func(t *Totals) Count { return t.ISL }),
		of("total_osl", "Total Output Sequence Length", "sum of output_sequence_length", func(t *Totals) Count { return t.OSL }),
		of("total_output_tokens", "Total Output Tokens", "sum of output tokens without reasoning", func(t *Totals) Count { return t.Output }),
		of("total_reasoning_tokens", "Total Reasoning Tokens", "sum of reasoning tokens", func(t *Totals) Count { return t.Reasoning }),
		of("total_error_isl", "Total Error ISL", "sum of error_isl", func(t *Totals) Count { return t.ErrorISL }),
		of("total_usage_prompt_tokens", "Total Usage Prompt Tokens", "sum", func(t *Totals) Count { return t.Usage.Prompt }),
		of("total_usage_completion_tokens", "Total Usage Completion Tokens", "sum", func(t *Totals) Count { return t.Usage.Completion }),
		of("total_usage_total_tokens", "Total Usage Total Tokens", "sum", func(t *Totals) Count { return t.Usage.Total }),
		of("total_usage_reasoning_tokens", "Total Usage Reasoning Tokens", "sum", func(t *Totals) Count { return t.Usage.Reasoning }),
		of("total_usage_prompt_cache_read_tokens", "Total Usage Prompt Cache Read Tokens", "sum", func(t *Totals) Count { return t.Usage.CacheRead }),
		of("total_usage_prompt_cache_write_tokens", "Total Usage Prompt Cache Write Tokens", "sum", func(t *Totals) Count { return t.Usage.CacheWrite }),
		of("total_usage_prompt_cache_miss_tokens", "Total Usage Prompt Cache Miss Tokens", "sum", func(t *Totals) Count { return t.Usage.CacheMiss }),
		of("total_usage_accepted_prediction_tokens", "Total Usage Accepted Prediction Tokens", "sum", func(t *Totals) Count { return t.Usage.AcceptedPrediction }),
		of("total_usage_rejected_prediction_tokens", "Total Usage Rejected Prediction Tokens", "sum", func(t *Totals) Count { return t.Usage.RejectedPrediction }),
		of("total_usage_tool_use_prompt_tokens", "Total Usage Tool Use Prompt Tokens", "sum", func(t *Totals) Count { return t.Usage.ToolUsePrompt }),
		run("overall_thinking_efficiency", "Overall Thinking Efficiency", "ratio", Neither, "total_reasoning_tokens / total_output_tokens", "no reasoning, or no output counted", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return thinking(t.Reasoning, t.Output) }).own(),
	}
}

func rateDefinitions() []*Definition {
	per := func(tag, header, unit, what string, amount func(*Totals) (float64, bool)) *Definition {
		return run(tag, header, unit, Higher, what+" / window; the peer-compatible window runs from profiling start to the last return of the phase", "no window", "AIPerf 0.13",
			func(t *Totals) (float64, bool) {
				value, ok := amount(t)
				seconds, windowed := t.WindowSeconds()
				return value / seconds, ok && windowed && t.Valid > 0
			})
	}
	return []*Definition{
		per("request_throughput", "Request Throughput", "requests/sec", "request_count", func(t *Totals) (float64, bool) { return float64(t.Valid), true }).in(TableMain, 900),
		per("input_token_throughput", "Input Token Throughput", "tokens/sec", "total_isl", func(t *Totals) (float64, bool) { return known(t.ISL) }),
		per("output_token_throughput", "Output Token Throughput", "tokens/sec", "total_osl", func(t *Totals) (float64, bool) { return known(t.OSL) }).in(TableMain, 800),
		per("total_token_throughput", "Total Token Throughput", "tokens/sec", "total_isl + total_osl", func(t *Totals) (float64, bool) { return known(sumCounts(t.ISL, t.OSL)) }),
		run("good_request_count", "Good Request Count", "requests", Higher, "valid requests that keep every limit of --goodput", "no --goodput", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return float64(t.Good), t.Objectives }).in(TableMain, 1020).each(good),
		run("good_request_fraction", "Good Request Fraction", "ratio", Higher, "good / (valid + failed), 0 when nothing was attempted", "no --goodput", "AIPerf 0.13",
			func(t *Totals) (float64, bool) {
				return float64(t.Good) / float64(max(t.Valid+t.Errors, 1)), t.Objectives
			}),
		per("goodput", "Goodput", "requests/sec", "good_request_count", func(t *Totals) (float64, bool) { return float64(t.Good), t.Objectives }).in(TableMain, 910),
		run("e2e_normalized_interactivity_p90", "E2E Normalized Interactivity P90", "tokens/sec/user", Higher, "1 / 90th percentile of (request latency / OSL)", "no OSL", "AIPerf after 0.13",
			func(t *Totals) (float64, bool) { return t.interactivity(90) }),
		run("e2e_normalized_interactivity_p75", "E2E Normalized Interactivity P75", "tokens/sec/user", Higher, "1 / 75th percentile of (request latency / OSL)", "no OSL", "AIPerf after 0.13",
			func(t *Totals) (float64, bool) { return t.interactivity(75) }),
		run("network_rtt", "Network RTT", "ms", Lower, "mean connect time of the latency probe, or the given mean", "no probe", "AIPerf 0.13",
			func(t *Totals) (float64, bool) { return t.RTTNs / nsPerMs, t.RTTNs > 0 }),
	}
}

func (t *Totals) interactivity(q float64) (float64, bool) {
	stats, ok := Distribute(t.e2eSecondsPerToken)
	if !ok || stats.Percentile(q) <= 0 {
		return 0, false
	}
	return 1 / stats.Percentile(q), true
}

func hitDefinitions() []*Definition {
	return []*Definition{
		run("overall_usage_prompt_cache_read_pct", "Overall Usage Prompt Cache Read", "%", Higher, "100 · Σ cached / Σ prompt tokens as reported; requests that do not report cached tokens still add their prompt", "no cached tokens reported", "AIPerf 0.13",
			func(t *Totals) (float64, bool) {
				if !t.Usage.CacheRead.Known() {
					return 0, false
				}
				return percent(t.Usage.CacheRead.float(), t.Usage.Prompt.float())
			}).in(TableUsage, 1100),
		{Tag: "theoretical_prefix_cache_hit", Header: "Theoretical Prefix Cache Hit", Unit: "%", Better: Higher, Family: FamilyRatio, Order: 1110, Table: TableUsage,
			Formula: "100 · Σ hit blocks / Σ blocks over valid requests, by the recording's own block ids and a cache that never forgets; count = Σ blocks, sum = Σ hit blocks", Absent: "no block ids recorded", Source: "AIPerf 0.13"},
		run("theoretical_prefix_cache_hit_tokens_pct", "Theoretical Prefix Cache Hit by Tokens", "%", Higher, "100 · Σ hit tokens / Σ recorded input tokens over valid requests; hit tokens = min(hit blocks, floor(in / block)) · block", "no block ids recorded", "agentx",
			func(t *Totals) (float64, bool) { return percent(float64(t.HitTokens), float64(t.PlannedTokens)) }).own(),
		run("reachable_prefix_cache_hit_pct", "Reachable Prefix Cache Hit", "%", Higher, "100 · Σ reachable tokens / Σ recorded input tokens over requests that report cached tokens; reachable is what earlier requests of this run make possible. Both are planned counts, so a server that counts otherwise does not shift it", "nobody reports cached tokens", "agentx",
			func(t *Totals) (float64, bool) {
				return percent(float64(t.Captured.Reach), float64(t.Captured.Planned))
			}).own(),
		run("reuse_captured_pct", "Reuse Captured", "%", Higher, "100 · Σ cached / Σ reachable tokens over requests that report cached tokens", "nobody reports cached tokens, or nothing was reachable", "agentx",
			func(t *Totals) (float64, bool) { return percent(float64(t.Captured.Cached), float64(t.Captured.Reach)) }).own(),
		run("cached_tokens_coverage_pct", "Cached Tokens Coverage", "%", Neither, "100 · valid requests that report cached tokens / valid requests", "no valid request", "agentx",
			func(t *Totals) (float64, bool) { return percent(float64(t.Captured.Reporting), float64(t.Valid)) }).own(),
	}
}

func (c Count) float() float64 { return float64(c.Or(0)) }

func percent(part, whole float64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return 100 * part / whole, true
}

// run makes the definition of a number of a whole run.
func run(tag, header, unit string, better Better, formula, absent, source string, scalar func(*Totals) (float64, bool)) *Definition {
	return &Definition{
		Tag: tag, Header: header, Unit: unit, Better: better, Family: FamilyScalar,
		Formula: formula, Absent: absent, Source: source, scalar: scalar,
	}
}

func (d *Definition) in(table Table, order int) *Definition {
	d.Table, d.Order = table, order
	return d
}

// each gives a run-level number a value per record, for the record files.
func (d *Definition) each(value func(*Record, *Basis) (float64, bool)) *Definition {
	d.value = value
	return d
}

func (d *Definition) own() *Definition {
	d.Own = true
	return d
}
