package mockserver

import (
	"slices"
	"strings"
	"time"
)

// Behaviour is one way to misbehave, by name.
type Behaviour struct {
	Name string
	Does string // what is on the wire
	// Outcome and Class are what a client should make of it: its end state (ok, error, overflow) and the
	// class that tells it apart (http, transport, in_stream, timeout, incomplete_stream, line_too_long,
	// no_visible_output, not_streamed, no_end; empty for a plain ok).
	Outcome, Class string

	stage  stage
	accept acceptFault // for those that strike before any request; build is nil then
	build  func(*play)
}

// Behaviours is the whole table, in groups.
func Behaviours() []Behaviour {
	return slices.Concat(acceptBehaviours(), requestBehaviours(), statusBehaviours(), slowBehaviours(), cutBehaviours(),
		framingBehaviours(), endBehaviours(), inStreamBehaviours(), noiseBehaviours(), shapeBehaviours(), volumeBehaviours())
}

// acceptBehaviours strike when a connection is accepted; rules count connections for them.
func acceptBehaviours() []Behaviour {
	return []Behaviour{
		{Name: "reset_at_accept", Does: "RST as soon as the connection is accepted", Outcome: "error", Class: "transport", accept: acceptReset},
		{Name: "close_at_accept", Does: "FIN as soon as the connection is accepted", Outcome: "error", Class: "transport", accept: acceptClose},
	}
}

// requestBehaviours answer, or not, before the request body was read.
func requestBehaviours() []Behaviour {
	tooLarge := func(p *play, lines ...string) {
		p.apiError(413, "RequestEntityTooLarge", "the request body is too large for this server", lines...)
	}
	return []Behaviour{
		{"reset_before_body", "RST once the request head is there", "error", "transport", beforeBody, 0, func(p *play) { p.ending = endReset }},
		{"close_before_body", "FIN once the request head is there; RST where body bytes are waiting", "error", "transport", beforeBody, 0, func(p *play) { p.ending = endClose }},
		{"early_413_keep", "413 before the body is read, then the body is read away and the connection serves on", "error", "http", beforeBody, 0,
			func(p *play) { tooLarge(p); p.body = bodyAfter }},
		{"early_413_close", "413 with Connection: close before the body is read, then the connection is closed at once, which resets it while the client writes", "error", "http", beforeBody, 0,
			func(p *play) { tooLarge(p, "Connection: close"); p.ending = endClose }},
		{"early_413_linger", "413 with Connection: close before the body is read, then FIN, then the rest of the body is read", "error", "http", beforeBody, 0,
			func(p *play) { tooLarge(p, "Connection: close"); p.ending = endLinger }},
		{"early_answer", "a whole answer before the body is read; the body is read afterwards", "ok", "", beforeBody, 0,
			func(p *play) { p.answer(); p.body = bodyAfter }},
		{"slow_body_read", "the request body is read at bytes (default 65,536) a second, then a whole answer", "ok", "", beforeBody, 0,
			func(p *play) { p.args.Bytes = orDefault(p.args.Bytes, 65536); p.body = bodyPaced; p.answer() }},
		{"stall_before_body", "the request body is not read and nothing is answered, for ten minutes", "error", "timeout", beforeBody, 0, stallUnread},
		{"continue_100", "100 Continue unasked before the body is read, then a whole answer", "ok", "", beforeBody, 0,
			func(p *play) { p.raw("HTTP/1.1 100 Continue\r\n\r\n"); p.answer(); p.body = bodyAfter }},
		{"early_hints", "102 and 103 heads, the second with a Link header, then a whole answer", "ok", "", afterBody, 0, func(p *play) {
			p.raw("HTTP/1.1 102 Processing\r\n\r\n")
			p.delay()
			p.raw("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
			p.answer()
		}},
		{"many_1xx", "count (default 50) heads of 102 Processing in one write, then a whole answer", "ok", "", afterBody, 0, func(p *play) {
			p.raw(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", int(orDefault(p.args.Count, 50))))
			p.answer()
		}},
	}
}

// stallUnread never reads the body. As whoever does not read cannot see the client leave, it has an end.
func stallUnread(p *play) {
	p.wait(10 * time.Minute)
	p.ending = endClose
}

func orDefault(value, fallback int64) int64 {
	if value == 0 {
		return fallback
	}
	return value
}
