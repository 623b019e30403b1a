package measure

// httpDefinitions are the phases of a request on its connection under k6's names (spec metrics 2,
// wire 9). Sending counts from the moment a connection was there, so that duration is exactly
// sending + waiting + receiving.
func httpDefinitions() []*Definition {
	timing := func(tag, header, formula string, of func(*Record) (float64, bool)) *Definition {
		return &Definition{
			Tag: tag, Header: header, Unit: "ms", Divisor: nsPerMs, Better: Lower, Table: TableHTTP,
			Formula: formula, Absent: "the connection was never used", Source: "k6",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return of(r) }),
		}
	}
	amount := func(tag, header, unit string, divisor float64, formula string, of func(*Record) float64) *Definition {
		return &Definition{
			Tag: tag, Header: header, Unit: unit, Divisor: divisor, Table: TableHTTP, Formula: formula, Source: "k6",
			value: onValid(func(r *Record, _ *Basis) (float64, bool) { return of(r), r.Times.SendStart.Known() }),
		}
	}
	list := []*Definition{
		timing("http_req_blocked", "HTTP Req Blocked", "wait for a pooled connection; 0 if none", ifSent(blocked)),
		timing("http_req_dns_lookup", "HTTP Req DNS Lookup", "name resolution; 0 on reuse", ifSent(dns)),
		timing("http_req_connecting", "HTTP Req Connecting", "TCP and TLS set-up; 0 on reuse", ifSent(connecting)),
		timing("http_req_sending", "HTTP Req Sending", "last request byte written − connection obtained", sending),
		timing("http_req_waiting", "HTTP Req Waiting", "first response byte − last request byte written", waiting),
		timing("http_req_receiving", "HTTP Req Receiving", "last response byte − first response byte", receiving),
		timing("http_req_duration", "HTTP Req Duration", "sending + waiting + receiving", duration),
		timing("http_req_connection_overhead", "HTTP Req Connection Overhead", "blocked + DNS + connecting", ifSent(overhead)),
		timing("http_req_total", "HTTP Req Total", "connection overhead + duration", func(r *Record) (float64, bool) {
			ns, ok := duration(r)
			return overhead(r) + ns, ok
		}),
		amount("http_req_data_sent", "HTTP Req Data Sent", "KB", perKB, "request body bytes / 1024", func(r *Record) float64 { return float64(r.HTTP.SentBytes) }),
		amount("http_req_data_received", "HTTP Req Data Received", "KB", perKB, "response body bytes / 1024", func(r *Record) float64 { return float64(r.HTTP.ReceivedBytes) }),
		amount("http_req_chunks_sent", "HTTP Req Chunks Sent", "count", 1, "writes to the socket", func(r *Record) float64 { return float64(r.HTTP.Writes) }),
		amount("http_req_chunks_received", "HTTP Req Chunks Received", "count", 1, "reads from the socket", func(r *Record) float64 { return float64(r.HTTP.Reads) }),
		amount("http_req_connection_reused", "HTTP Req Connection Reused", "ratio", 1, "1 if the connection had served a request before", func(r *Record) float64 { return oneIf(r.HTTP.Reused) }),
	}
	for i, d := range list {
		d.Order = 10 * (i + 1)
	}
	return list
}

func ifSent(of func(*Record) float64) func(*Record) (float64, bool) {
	return func(r *Record) (float64, bool) { return of(r), r.Times.SendStart.Known() }
}

func blocked(r *Record) float64 { return float64(max(r.HTTP.ConnWaitNs, 0)) }
func dns(r *Record) float64     { return float64(max(r.HTTP.DNSNs, 0)) }
func connecting(r *Record) float64 {
	return float64(max(r.HTTP.ConnectNs, 0) + max(r.HTTP.TLSNs, 0))
}
func overhead(r *Record) float64 { return blocked(r) + dns(r) + connecting(r) }

func sending(r *Record) (float64, bool) { return span(r.Times.Written, r.Times.SendStart) }

// waiting is 0 where the answer came before the request was written out (decision 16).
func waiting(r *Record) (float64, bool) {
	ns, ok := span(r.Times.FirstByte, r.Times.Written)
	return max(ns, 0), ok
}

func receiving(r *Record) (float64, bool) { return span(r.Times.LastByte, r.Times.FirstByte) }

func duration(r *Record) (float64, bool) {
	s, sent := sending(r)
	w, waited := waiting(r)
	v, received := receiving(r)
	return s + w + v, sent && waited && received
}
