package measure

// sweepDefinitions are the time-weighted metrics (spec metrics 4).
func sweepDefinitions() []*Definition {
	curve := func(tag, header, unit string, table Table, order int, formula string) *Definition {
		better := Higher
		streamed, absent := tag != "effective_concurrency", "no window and no request"
		if streamed {
			absent += ", or all answers came in one piece"
		}
		switch unit {
		case "requests", "tokens":
			better = Neither
		}
		return &Definition{
			Tag: tag, Header: header, Unit: unit, Better: better, Order: order, Table: table, Family: FamilyWeighted,
			Formula: formula, Absent: absent, Source: "AIPerf 0.13", Streamed: streamed,
		}
	}
	const perSec, perUser = "tokens/sec", "tokens/sec/user"
	effective := func(tag, header, unit string, order int, formula string) *Definition {
		return curve(tag, header, unit, TableEffective, order, formula)
	}
	while := func(tag, header, unit string, order int, formula string) *Definition {
		return curve(tag, header, unit, TableActive, order, formula)
	}
	return []*Definition{
		effective("effective_concurrency", "Effective Concurrency", "requests", 20, "requests in flight, from start to the end of the response, failed ones included"),
		effective("effective_decode_throughput", "Effective Decode Throughput", perSec, 30, "over a gap between two chunks: (OSL − 1) / gaps of length > 0 / gap, summed over requests; without chunks (OSL − 1) evenly from first token to end"),
		effective("effective_prefill_throughput", "Effective Prefill Throughput", perSec, 40, "ISL / TTFT from start to first token, summed over requests"),
		effective("effective_decode_concurrency", "Effective Decode Concurrency", "requests", 50, "requests between first token and end"),
		effective("effective_prefill_concurrency", "Effective Prefill Concurrency", "requests", 60, "requests between start and first token"),
		effective("effective_total_throughput", "Effective Total Throughput", perSec, 70, "prefill throughput + (OSL − 1) evenly from first token to end; not the sum of the two curves above"),
		effective("effective_decode_throughput_per_user", "Effective Decode Throughput Per User", perUser, 80, "decode throughput / decode concurrency at each moment, 0 where nobody decodes"),
		effective("effective_prefill_throughput_per_user", "Effective Prefill Throughput Per User", perUser, 90, "prefill throughput / prefill concurrency at each moment, 0 where nobody prefills"),
		effective("tokens_in_flight", "Tokens in Flight", "tokens", 100, "ISL from start on, output as its chunks arrive (nothing for an answer of one chunk), all gone at the end: what a KV cache must hold at least"),
		while("active_decode_throughput", "Active Decode Throughput", perSec, 10, "effective_decode_throughput while somebody decodes"),
		while("active_prefill_throughput", "Active Prefill Throughput", perSec, 20, "effective_prefill_throughput while somebody prefills"),
		while("active_decode_throughput_per_user", "Active Decode Throughput Per User", perUser, 30, "effective_decode_throughput_per_user while somebody decodes"),
		while("active_prefill_throughput_per_user", "Active Prefill Throughput Per User", perUser, 40, "effective_prefill_throughput_per_user while somebody prefills"),
		while("active_total_throughput", "Active Total Throughput", perSec, 50, "effective_total_throughput while any request is in flight"),
	}
}
