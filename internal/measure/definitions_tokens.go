package measure

import "math"

// tokenDefinitions are the token counts of one request and what is wrong with them (spec metrics 2, 3).
func tokenDefinitions() []*Definition {
	return []*Definition{
		{Tag: "output_sequence_length", Header: "Output Sequence Length", Unit: "tokens", Order: 600, Table: TableMain,
			Formula: "output + reasoning tokens", Absent: "neither counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return known(r.OSL()) })},
		{Tag: "input_sequence_length", Header: "Input Sequence Length", Unit: "tokens", Order: 700, Table: TableMain,
			Formula: "input tokens, the cache-bust marker included; local counts are the planned message tokens plus the marker's", Absent: "not counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return known(r.Tokens.Input) })},
		{Tag: "output_token_count", Header: "Output Token Count", Unit: "tokens", Order: 610,
			Formula: "output tokens without reasoning", Absent: "0 or not counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { v, ok := known(r.Tokens.Output); return v, ok && v > 0 })},
		{Tag: "reasoning_token_count", Header: "Reasoning Token Count", Unit: "tokens", Order: 620,
			Formula: "reasoning tokens", Absent: "not counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return known(r.Tokens.Reasoning) })},
		{Tag: "thinking_efficiency", Header: "Thinking Efficiency", Unit: "ratio", Order: 625, Own: true,
			Formula: "reasoning tokens / output tokens without reasoning", Absent: "no reasoning, or no output counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return thinking(r.Tokens.Reasoning, r.Tokens.Output) })},
		{Tag: "osl_mismatch_diff_pct", Header: "OSL Mismatch Diff", Unit: "%", Order: 630,
			Formula: "100 · (OSL − output limit sent) / output limit sent", Absent: "no limit sent, OSL not counted, or the recorded output was 0", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return mismatchPct(r) })},
		{Tag: "osl_mismatch_count", Header: "OSL Mismatch Count", Unit: "requests", Family: FamilyCounter, Better: Lower, Order: 1200,
			Formula: "requests with |OSL − limit| > min(5 % of the limit, 50 tokens); AGENTX_METRICS_OSL_MISMATCH_PCT_THRESHOLD and _MAX_TOKEN_THRESHOLD of the run set other bounds", Absent: "no limit sent", Source: "AIPerf 0.13",
			value: onValid(mismatch)},
		{Tag: "usage_prompt_tokens_diff_pct", Header: "Usage Prompt Tokens Diff", Unit: "%", Better: Lower,
			Formula: "100 · |server − local| / local of input tokens", Absent: "server counts in use, or one of the two missing", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, b *Basis) (float64, bool) {
				return diffPct(b, r.Tokens.Usage.Prompt, r.Tokens.LocalInput)
			})},
		{Tag: "usage_completion_tokens_diff_pct", Header: "Usage Completion Tokens Diff", Unit: "%", Better: Lower,
			Formula: "100 · |server − local| / local of output + reasoning tokens", Absent: "server counts in use, or one of the two missing", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, b *Basis) (float64, bool) {
				return diffPct(b, r.Tokens.Usage.Completion, sumCounts(r.Tokens.LocalOutput, r.Tokens.LocalReasoning))
			})},
		{Tag: "usage_reasoning_tokens_diff_pct", Header: "Usage Reasoning Tokens Diff", Unit: "%", Better: Lower,
			Formula: "100 · |server − local| / local of reasoning tokens", Absent: "server counts in use, or one of the two missing", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, b *Basis) (float64, bool) {
				return diffPct(b, r.Tokens.Usage.Reasoning, r.Tokens.LocalReasoning)
			})},
		{Tag: "usage_discrepancy_count", Header: "Usage Discrepancy Count", Unit: "requests", Family: FamilyCounter, Better: Lower, Order: 1210,
			Formula: "requests where one of the three differences is over 10 %, or the run's AGENTX_METRICS_USAGE_PCT_DIFF_THRESHOLD", Absent: "no difference known", Source: "AIPerf 0.13",
			value: onValid(discrepancy)},
		{Tag: "error_isl", Header: "Error ISL", Unit: "tokens", Family: FamilyError,
			Formula: "local input tokens of a failed request", Absent: "server counts in use", Source: "AIPerf 0.13",
			value: func(r *Record, b *Basis) (float64, bool) {
				v, ok := known(r.Tokens.LocalInput)
				return v, ok && b.IsError(r) && b.Source != TokensServer
			}},
	}
}

func known(c Count) (float64, bool) {
	if !c.Known() {
		return 0, false
	}
	return float64(c), true
}

// thinking is reasoning tokens for each token of the answer (spec metrics 2).
func thinking(reasoning, output Count) (float64, bool) {
	if !reasoning.Known() || !output.Known() || output <= 0 {
		return 0, false
	}
	return float64(reasoning) / float64(output), true
}

func mismatchPct(r *Record) (float64, bool) {
	osl, limit := r.OSL(), r.MaxTokens
	if !osl.Known() || !limit.Known() || limit <= 0 || r.Plan.Out == 0 {
		return 0, false
	}
	return 100 * float64(osl-limit) / float64(limit), true
}

func mismatch(r *Record, b *Basis) (float64, bool) {
	if _, ok := mismatchPct(r); !ok {
		return 0, false
	}
	limit := float64(r.MaxTokens)
	off := math.Abs(float64(r.OSL() - r.MaxTokens))
	return oneIf(off > min(b.MismatchPct/100*limit, b.MismatchTokens)), true
}

func diffPct(b *Basis, server, local Count) (float64, bool) {
	if b.Source == TokensServer || !server.Known() || !local.Known() || local <= 0 {
		return 0, false
	}
	return 100 * math.Abs(float64(server-local)) / float64(local), true
}

func discrepancy(r *Record, b *Basis) (float64, bool) {
	t := &r.Tokens
	prompt, promptKnown := diffPct(b, t.Usage.Prompt, t.LocalInput)
	completion, completionKnown := diffPct(b, t.Usage.Completion, sumCounts(t.LocalOutput, t.LocalReasoning))
	reasoning, reasoningKnown := diffPct(b, t.Usage.Reasoning, t.LocalReasoning)
	if !promptKnown && !completionKnown && !reasoningKnown {
		return 0, false
	}
	return oneIf(max(prompt, completion, reasoning) > b.UsagePct), true
}

func oneIf(set bool) float64 {
	if set {
		return 1
	}
	return 0
}
