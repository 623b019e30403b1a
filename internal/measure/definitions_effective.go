package measure

// effectiveDefinitions count from the moment the scheduler let the request go.
func effectiveDefinitions() []*Definition {
	return []*Definition{
		{Tag: "effective_latency", Header: "Effective Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 10, Table: TableEffective,
			Formula: "end of the response, tail included − dispatch by the scheduler", Source: "AIPerf, valid requests only",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return effectiveLatency(r) })},
		{Tag: "effective_latency_with_errors", Header: "Effective Latency with Errors", Unit: "ms", Divisor: nsPerMs, Better: Lower, Own: true,
			Formula: "as effective_latency, failed requests included, as the peer's 0.13 has it", Source: "AIPerf 0.13",
			value: func(r *Record, b *Basis) (float64, bool) {
				ns, ok := effectiveLatency(r)
				return ns, ok && (r.Valid() || b.IsError(r))
			}},
		{Tag: "credit_to_start_latency", Header: "Credit to Start Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower,
			Formula: "start − dispatch by the scheduler, failed requests included", Absent: "never sent", Source: "AIPerf 0.13",
			value: func(r *Record, b *Basis) (float64, bool) {
				ns, ok := span(r.Times.Start, r.Times.Issued)
				return max(ns, 0), ok && (r.Valid() || b.IsError(r))
			}},
	}
}

func effectiveLatency(r *Record) (float64, bool) {
	ns, ok := span(r.AxisEnd(), r.Times.Issued)
	return max(ns, 0), ok
}

// adjustedTags are the metrics that have an error-adjusted twin (spec metrics 5).
func adjustedTags() []string {
	return []string{"time_to_first_token", "request_latency", "decode_duration", "inter_token_latency", "effective_latency"}
}

// adjustedDefinitions are distributions where a failed request counts as one that never answered.
func adjustedDefinitions() []*Definition {
	base := append(latencyDefinitions(), effectiveDefinitions()...)
	var list []*Definition
	for _, tag := range adjustedTags() {
		plain, _ := Lookup(base, tag)
		list = append(list, &Definition{
			Tag: "adj_" + tag, Header: plain.Header + " (error-adjusted)", Unit: plain.Unit, Divisor: plain.Divisor,
			Better: Lower, Family: FamilyAdjusted, Streamed: plain.Streamed,
			Formula: "values of " + tag + " and one infinite value per failed request; percentiles by nearest rank, half to even; infinity is written as \"inf\" in our own files",
			Absent:  "no request failed, or none succeeded", Source: "AIPerf 0.13",
			value: plain.value,
		})
	}
	return list
}
