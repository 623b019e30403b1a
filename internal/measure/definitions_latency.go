package measure

// latencyDefinitions are the times of one request (spec metrics 2).
func latencyDefinitions() []*Definition {
	return []*Definition{
		{Tag: "time_to_first_token", Streamed: true, Header: "Time to First Token", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 100, Table: TableMain,
			Formula: "first content chunk − start", Absent: "the answer was not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return ttft(r) })},
		{Tag: "time_to_second_token", Streamed: true, Header: "Time to Second Token", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 200, Table: TableMain,
			Formula: "second content chunk − first content chunk: a gap, and of chunks, not of tokens", Absent: "fewer than 2 chunks, or not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return streamed(r, r.Times.Second, r.Times.First) })},
		{Tag: "time_to_first_output_token", Streamed: true, Header: "Time to First Output Token", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 210, Table: TableMain,
			Formula: "first content chunk that is not reasoning − start", Absent: "only reasoning came, or the answer was not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return streamed(r, r.Times.FirstText, r.Times.Start) })},
		{Tag: "request_latency", Header: "Request Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 300, Table: TableMain,
			Formula: "last content chunk − start; of an answer in one piece its last byte − start", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return latency(r) })},
		{Tag: "decode_duration", Streamed: true, Header: "Decode Duration", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 350, Table: TableMain,
			Formula: "last content chunk − first content chunk", Absent: "the answer was not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return streamed(r, r.Times.Last, r.Times.First) })},
		{Tag: "inter_token_latency", Streamed: true, Header: "Inter Token Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 400, Table: TableMain,
			Formula: "(request latency − TTFT) / (OSL − k); k = running completion tokens on the first content chunk where the server reports them and 0 < k < OSL, else 1", Absent: "OSL < 2 or not counted, or not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return itl(r) })},
		{Tag: "inter_chunk_latency", Streamed: true, Header: "Inter Chunk Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 410, Family: FamilyPooled,
			Formula: "all gaps between neighbouring content chunks of all requests, pooled: long answers weigh more", Absent: "fewer than 2 chunks, or not streamed", Source: "AIPerf 0.13"},
		{Tag: "output_token_throughput_per_user", Streamed: true, Header: "Output Token Throughput Per User", Unit: "tokens/sec/user", Better: Higher, Order: 500, Table: TableMain,
			Formula: "1 / inter token latency", Absent: "inter token latency absent or 0", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { v, ok := itl(r); return nsPerSec / v, ok && v > 0 })},
		{Tag: "e2e_output_token_throughput", Header: "E2E Output Token Throughput", Unit: "tokens/sec/user", Better: Higher, Order: 510, Table: TableMain,
			Formula: "OSL / request latency", Absent: "latency 0 or OSL not counted", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return perSecond(r.OSL(), latency, r) })},
		{Tag: "full_response_inter_token_latency", Streamed: true, Header: "Full Response Inter Token Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Order: 420,
			Formula: "(end of the response, tail included − first content chunk) / (OSL − 1)", Absent: "OSL < 2 or not streamed", Source: "AIPerf after 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return fullITL(r) })},
		{Tag: "full_response_output_token_throughput_per_user", Streamed: true, Header: "Full Response Output Token Throughput Per User", Unit: "tokens/sec/user", Better: Higher, Order: 520,
			Formula: "(OSL − 1) / (end of the response, tail included − first content chunk)", Absent: "0 or not streamed", Source: "AIPerf after 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { v, ok := fullITL(r); return nsPerSec / v, ok && v > 0 })},
		{Tag: "prefill_throughput_per_user", Streamed: true, Header: "Prefill Throughput Per User", Unit: "tokens/sec/user", Better: Higher, Order: 530,
			Formula: "ISL / TTFT, the cached part of the input included", Absent: "ISL not counted, TTFT 0, or not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return perSecond(r.Tokens.Input, ttft, r) })},
		{Tag: "stream_setup_latency", Header: "Stream Setup Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Own: true,
			Formula: "response head complete − start", Absent: "no response head", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return span(r.Times.Headers, r.Times.Start) })},
		{Tag: "stream_prefill_latency", Streamed: true, Header: "Stream Prefill Latency", Unit: "ms", Divisor: nsPerMs, Better: Lower, Own: true,
			Formula: "first content chunk − response head complete", Absent: "the answer was not streamed", Source: "AIPerf 0.13",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return streamed(r, r.Times.First, r.Times.Headers) })},
	}
}

// onValid restricts a value to valid requests.
func onValid(value func(*Record, *Basis) (float64, bool)) func(*Record, *Basis) (float64, bool) {
	return func(r *Record, basis *Basis) (float64, bool) {
		if !r.Valid() {
			return 0, false
		}
		return value(r, basis)
	}
}

func span(to, from Stamp) (float64, bool) {
	ns, ok := to.Since(from)
	return float64(ns), ok
}

// streamed is span for answers that came as a stream.
func streamed(r *Record, to, from Stamp) (float64, bool) {
	if !r.Streams {
		return 0, false
	}
	return span(to, from)
}

func ttft(r *Record) (float64, bool) { return streamed(r, r.Times.First, r.Times.Start) }

func latency(r *Record) (float64, bool) { return span(r.Times.Last, r.Times.Start) }

// itl is the inter token latency in ns.
func itl(r *Record) (float64, bool) {
	osl := r.OSL()
	decode, ok := streamed(r, r.Times.Last, r.Times.First)
	if !ok || !osl.Known() || osl < 2 {
		return 0, false
	}
	first := Count(1)
	if k := r.Tokens.FirstChunk; k.Known() && k > 0 && k < osl {
		first = k
	}
	return decode / float64(osl-first), true
}

func fullITL(r *Record) (float64, bool) {
	osl := r.OSL()
	decode, ok := streamed(r, r.AxisEnd(), r.Times.First)
	if !ok || !osl.Known() || osl < 2 {
		return 0, false
	}
	return decode / float64(osl-1), true
}

// perSecond is tokens over a time of the record.
func perSecond(tokens Count, time func(*Record) (float64, bool), r *Record) (float64, bool) {
	ns, ok := time(r)
	if !ok || ns <= 0 || !tokens.Known() {
		return 0, false
	}
	return float64(tokens) / (ns / nsPerSec), true
}
