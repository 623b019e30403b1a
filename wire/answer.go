package wire

import (
	"bytes"

	"agentx/wire/chat"
	"agentx/wire/sse"
)

// answerKind says how an answer's body is read.
type answerKind uint8

const (
	undecided answerKind = iota
	asStream             // server-sent events
	asWhole              // one JSON text, or an error body
)

// keptStart is how much of a failed body is kept in its record.
const keptStart = 4 << 10

// maxChoices is how many choices' texts are kept apart.
const maxChoices = 256

// answer reads the body of one answer.
type answer struct {
	x       *exchange
	kind    answerKind
	scanner sse.Scanner
	parser  chat.Parser
	event   sse.Event

	start    []byte // the body's first bytes
	body     []byte // of an answer that is no stream
	cut      bool   // body ends at the limit
	past     int64  // bytes that came after the answer passed a limit
	unframed []byte // lines of a stream that are no field
	batch    []Chunk

	textBytes int64
	broken    bool // a whole answer had been put into a stream
	trailing  bool // a usage that stands alone came, as the last chunk of a stream does
	failed    *streamFault
}

// streamFault is an error that the server reported inside a 2xx answer.
type streamFault struct {
	kind    string
	code    int
	message string
}

func (f *streamFault) Error() string { return f.message }

// codeInStream is the code of an in-stream error that has none of its own.
const codeInStream = 502

func (a *answer) reset(x *exchange) {
	a.scanner.Reset()
	*a = answer{x: x, scanner: a.scanner, parser: a.parser, start: a.start[:0], body: a.body[:0], unframed: a.unframed[:0], batch: a.batch[:0]}
	if cap(a.body) > keptBody {
		a.body = nil
	}
}

// keptBody is the largest buffer for a whole answer that is kept for the next one.
const keptBody = 1 << 20

// begin decides by the head how the body is read.
func (a *answer) begin() {
	h := &a.x.head
	switch {
	case h.status < 200 || h.status > 299:
		a.kind = asWhole
	case h.mediaType() == "text/event-stream":
		a.kind = asStream
	}
}

// take takes the next body bytes, which arrived at the given ns.
func (a *answer) take(data []byte, at int64) {
	if a.passed() {
		a.past += int64(len(data))
	}
	if room := keptStart - len(a.start); room > 0 {
		a.start = append(a.start, data[:min(room, len(data))]...)
	}
	if a.x.request.KeepRaw {
		a.keepRaw(data)
	}
	if a.kind == undecided {
		a.hold(data)
		if a.kind = sniff(a.body); a.kind == undecided && len(a.body) >= keptStart {
			a.kind = asWhole
		}
		if a.kind != asStream {
			return
		}
		data = a.body
	}
	if a.kind == asWhole {
		a.hold(data)
		return
	}
	a.scanner.Feed(data, at)
	for a.scanner.Next(&a.event) {
		a.takeEvent()
	}
}

// errorBody is how much of an error's body is kept. A server may send any amount, to every lane at once.
const errorBody = 1 << 20

// bodyLimit is how much is kept of a body that is no stream.
func (a *answer) bodyLimit() int64 {
	limit := a.x.options.Limits.BodyBytes
	if status := a.x.head.status; status < 200 || status > 299 {
		limit = min(limit, errorBody)
	}
	return limit
}

// passed tells whether the answer has passed its limit, which settles its outcome.
func (a *answer) passed() bool { return a.cut || a.scanner.Overlong() }

// flooded tells whether to give the connection up: after an answer has passed its limit, as much again is
// read away, so that the connection can be used again, and no more. Such answers may have no end at all,
// and reading them takes the cores from the other lanes.
func (a *answer) flooded() bool {
	limit := a.bodyLimit()
	if a.kind == asStream {
		limit = int64(a.x.lineLimit())
	}
	return a.past > limit
}

// hold keeps bytes of a body that is no stream, up to the limit.
func (a *answer) hold(data []byte) {
	limit := a.bodyLimit()
	if room := limit - int64(len(a.body)); int64(len(data)) > room {
		data, a.cut = data[:room], true
	}
	a.body = append(a.body, data...)
}

func (a *answer) keepRaw(data []byte) {
	r := &a.x.result
	if room := a.x.options.Limits.BodyBytes - int64(len(r.RawBody)); int64(len(data)) > room {
		data, r.RawCut = data[:room], true
	}
	r.RawBody = append(r.RawBody, data...)
}

const byteOrderMark = "\xef\xbb\xbf"

// sniff tells a stream that is not labelled as one by its first bytes.
func sniff(start []byte) answerKind {
	if len(start) < len(byteOrderMark) && bytes.HasPrefix([]byte(byteOrderMark), start) {
		return undecided
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), " \t\r\n")
	for _, field := range [...]string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(start, []byte(field)) {
			return asStream
		}
		if len(start) < len(field) && bytes.HasPrefix([]byte(field), start) {
			return undecided
		}
	}
	return asWhole
}

// flush hands on the chunks of the last read.
func (a *answer) flush() {
	if len(a.batch) == 0 {
		return
	}
	x := a.x
	if x.request.Hooks.Chunks != nil {
		x.request.Hooks.Chunks(a.batch)
	} else {
		room := max(x.options.Limits.Chunks-len(x.result.Chunks), 0)
		kept := min(room, len(a.batch))
		x.result.Chunks = append(x.result.Chunks, a.batch[:kept]...)
		x.result.ChunksLost += len(a.batch) - kept
	}
	a.batch = a.batch[:0]
}

// end takes the body's end: an event that it cut off counts.
func (a *answer) end() {
	if a.kind == asStream {
		a.scanner.End()
		for a.scanner.Next(&a.event) {
			a.takeEvent()
		}
	}
	a.flush()
}
