package report

import (
	"net"
	"strconv"

	"agentx/internal/measure"
)

// traceData are the connection's facts in the peer's keys, wall times in ns since the Unix epoch
// (spec wire 9).
func traceData(a *measure.Analysis, r *measure.Record) object {
	var o object
	o.set("trace_type", "agentx")
	at := func(key string, stamp measure.Stamp) {
		if stamp.Known() {
			o.set(key, a.Clock.Wall(stamp))
		}
	}
	at("request_send_start_ns", r.Times.SendStart)
	at("request_send_end_ns", r.Times.Written)
	o.set("request_chunks_count", r.HTTP.Writes).set("request_bytes_total", r.HTTP.SentBytes)
	if r.HTTP.Status > 0 {
		o.set("response_status_code", r.HTTP.Status)
	}
	at("response_receive_start_ns", r.Times.FirstByte)
	at("response_headers_received_ns", r.Times.Headers)
	o.set("response_chunks_count", r.HTTP.Reads).set("response_bytes_total", r.HTTP.ReceivedBytes)
	at("response_receive_end_ns", r.Times.LastByte)
	if a.Basis.IsError(r) {
		at("error_timestamp_ns", r.Times.End)
	}
	address := func(prefix, text string) {
		host, port, err := net.SplitHostPort(text)
		if err != nil {
			return
		}
		o.text(prefix+"_ip", host)
		if number, err := strconv.Atoi(port); err == nil {
			o.set(prefix+"_port", number)
		}
	}
	address("local", r.HTTP.LocalAddr)
	address("remote", r.HTTP.RemoteAddr)
	span := func(key string, to, from measure.Stamp) {
		if ns, ok := to.Since(from); ok {
			o.set(key, max(ns, 0))
		}
	}
	span("sending_ns", r.Times.Written, r.Times.SendStart)
	span("waiting_ns", r.Times.FirstByte, r.Times.Written)
	span("receiving_ns", r.Times.LastByte, r.Times.FirstByte)
	span("duration_ns", r.Times.LastByte, r.Times.SendStart)
	for _, d := range []struct {
		key string
		ns  int64
	}{{"blocked_ns", r.HTTP.ConnWaitNs}, {"dns_lookup_ns", r.HTTP.DNSNs}, {"connecting_ns", r.HTTP.ConnectNs}, {"tls_ns", r.HTTP.TLSNs}} {
		if d.ns >= 0 {
			o.set(d.key, d.ns)
		}
	}
	return o
}
