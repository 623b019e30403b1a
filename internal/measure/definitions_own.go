package measure

// ownDefinitions are metrics that the peer does not have (spec metrics 10). They appear in report.json
// and records.jsonl only.
func ownDefinitions() []*Definition {
	return append(networkDefinitions(), append(fidelityDefinitions(), cacheDefinitions()...)...)
}

// networkDefinitions take one network round trip off (spec wire 12); the peer has them too.
func networkDefinitions() []*Definition {
	adjusted := func(of string, header string, streamed bool, value func(*Record) (float64, bool)) *Definition {
		return &Definition{
			Tag: "network_adjusted_" + of, Header: "Network Adjusted " + header, Unit: "ms", Divisor: nsPerMs, Better: Lower, Streamed: streamed,
			Formula: "max(" + of + " − network_rtt, 0)", Absent: "no latency probe", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, b *Basis) (float64, bool) {
				ns, ok := value(r)
				return max(ns-b.RTTNs, 0), ok && b.RTTNs > 0
			}),
		}
	}
	return []*Definition{
		adjusted("request_latency", "Request Latency", false, latency),
		adjusted("time_to_first_token", "Time to First Token", true, ttft),
		adjusted("time_to_first_output_token", "Time to First Output Token", true, func(r *Record) (float64, bool) {
			return streamed(r, r.Times.FirstText, r.Times.Start)
		}),
	}
}

// fidelityDefinitions say how well the client kept the schedule (spec scheduling 11.6).
func fidelityDefinitions() []*Definition {
	ms := func(tag, header, formula, absent string, value func(*Record, *Basis) (float64, bool)) *Definition {
		return &Definition{
			Tag: tag, Header: header, Unit: "ms", Divisor: nsPerMs, Better: Lower, Own: true,
			Formula: formula, Absent: absent, Source: "agentx", value: value,
		}
	}
	return []*Definition{
		ms("schedule_lag", "Schedule Lag", "dispatch − max(due, ready), without the wait for a prefill slot", "no due time", func(r *Record, _ *Basis) (float64, bool) { return scheduleLag(r) }),
		ms("slot_wait", "Slot Wait", "time queued for a prefill slot", "never sent", func(r *Record, _ *Basis) (float64, bool) { return float64(r.Times.SlotWaitNs), r.Times.Issued.Known() }),
		ms("wire_lag", "Wire Lag", "first request byte written − dispatch", "no byte was written", func(r *Record, _ *Basis) (float64, bool) { return span(r.Times.SendStart, r.Times.Issued) }),
		ms("lateness", "Lateness", "schedule lag + wire lag: how late the request was for reasons of the client", "no due time, or no byte was written", lateness),
		ms("read_delay", "Read Delay", "greatest difference between the client's and the kernel's time of a read", "no kernel time", func(r *Record, _ *Basis) (float64, bool) {
			return float64(r.Times.ReadDelayNs), r.Times.ReadDelayNs > 0
		}),
		ms("error_latency", "Error Latency", "end − start of a failed request", "none failed", func(r *Record, b *Basis) (float64, bool) {
			ns, ok := span(r.Times.End, r.Times.Start)
			return ns, ok && b.IsError(r)
		}),
		ms("censored_latency", "Censored Latency", "time from start to the cancellation or the end of the log of a request that never ended by itself: its latency is at least this", "none was cut short", func(r *Record, _ *Basis) (float64, bool) { return censored(r) }),
		{Tag: "slowdown", Header: "Slowdown", Unit: "ratio", Better: Lower, Own: true,
			Formula: "request latency / recorded server time of the same turn", Absent: "no server time recorded", Source: "agentx",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) {
				ns, ok := latency(r)
				return ns / float64(r.Plan.APINs), ok && r.Plan.APINs > 0
			})},
	}
}

func scheduleLag(r *Record) (float64, bool) {
	if !r.Times.Issued.Known() || !r.Times.Due.Known() {
		return 0, false
	}
	return float64(int64(r.Times.Issued-max(r.Times.Due, r.Times.Ready)) - r.Times.SlotWaitNs), true
}

func lateness(r *Record, _ *Basis) (float64, bool) {
	lag, ok := scheduleLag(r)
	wire, sent := span(r.Times.SendStart, r.Times.Issued)
	return lag + wire, ok && sent
}

func censored(r *Record) (float64, bool) {
	if !r.Outcome.IsCancelled() && r.Outcome != OutcomeUnfinished {
		return 0, false
	}
	if r.Times.Cancel.Known() {
		return span(r.Times.Cancel, r.Times.Start)
	}
	return span(r.Times.End, r.Times.Start)
}

// cacheDefinitions pair what the cache gave with what it could give.
func cacheDefinitions() []*Definition {
	return []*Definition{
		{Tag: "uncached_input_tokens", Header: "Uncached Input Tokens", Unit: "tokens", Own: true,
			Formula: "prompt tokens − cached tokens, both as the server reports them", Absent: "cached tokens not reported", Source: "agentx",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return uncached(r) })},
		{Tag: "prefill_throughput_per_user_uncached", Streamed: true, Header: "Prefill Throughput Per User on Uncached Tokens", Unit: "tokens/sec/user", Better: Higher, Own: true,
			Formula: "uncached input tokens / TTFT", Absent: "cached tokens not reported", Source: "agentx",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) {
				tokens, counted := uncached(r)
				ns, timed := ttft(r)
				return tokens / (ns / nsPerSec), counted && timed && ns > 0
			})},
		{Tag: "reach_tokens", Header: "Reachable Hit", Unit: "tokens", Better: Higher, Own: true,
			Formula: "longest common beginning, in full blocks, with what this run had sent before", Absent: "not recorded", Source: "agentx",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return known(r.Plan.ReachTokens) })},
		{Tag: "tokens_per_chunk", Header: "Tokens Per Chunk", Unit: "tokens", Own: true,
			Formula: "OSL / content chunks", Absent: "chunks not read, or OSL not counted", Source: "agentx",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) {
				osl, ok := known(r.OSL())
				return osl / float64(r.Trail.Len()), ok && r.Trail.Len() > 0
			})},
	}
}

func uncached(r *Record) (float64, bool) {
	u := &r.Tokens.Usage
	if !u.Prompt.Known() || !u.CacheRead.Known() {
		return 0, false
	}
	return float64(max(u.Prompt-u.CacheRead, 0)), true
}
