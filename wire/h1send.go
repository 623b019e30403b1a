package wire

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
	"time"
)

// gatherBody is how much of a body goes out in one write. A multiple of digestBlock, so that the digest
// takes whole blocks straight from the gathered bytes.
const gatherBody = 64 << 10

// firstBody is how much of a larger body goes out in the first write, after which it waits for the others of
// its Burst.
const firstBody = digestBlock

// gatherSize holds the head as well.
const gatherSize = gatherBody + 8<<10

// exchangeH1 makes the exchange on an HTTP/1.1 connection.
func (x *exchange) exchangeH1() {
	err := x.sendH1()
	x.begin()
	x.letGo()
	if passed := x.endedWriting(err); passed {
		return
	}
	x.receiveH1(err)
}

// endedWriting tells whether writing ended because a limit passed, the caller gave up, or his body is wrong.
func (x *exchange) endedWriting(err error) bool {
	var timeout *timeoutError
	var body *bodyError
	if errors.Is(err, errContext) || errors.As(err, &timeout) || errors.As(err, &body) {
		x.failReading(err)
		return true
	}
	return false
}

// sendH1 writes the request. What the stream kept of the body before goes out as it lies; other pieces are
// gathered into one buffer (measured: cheaper than a vector of a thousand of them), hashed there, and
// written.
func (x *exchange) sendH1() error {
	body := &x.send.body
	body.begin(&x.send.plan, x.request.StreamBody)
	head, room := x.appendHead(x.send.gather[:0]), gatherBody
	if x.burst != nil && x.send.plan.length > gatherBody {
		room = firstBody
	}
	for {
		offset := body.given
		if err := x.fillParts(head, room); err != nil {
			return err
		}
		x.digestParts(offset, len(head))
		if offset == 0 {
			if err := x.mayWrite(); err != nil {
				return err
			}
		}
		n, err := x.conn.WriteParts(&x.send.parts)
		x.result.SentBytes += int64(max(n-len(head), 0))
		if err != nil {
			return err
		}
		if body.done() {
			x.noteWritten()
			return nil
		}
		if room == firstBody {
			if err := x.beginTogether(); err != nil {
				return err
			}
		}
		head, room = nil, gatherBody
	}
}

// mayWrite comes before the first write of a request.
func (x *exchange) mayWrite() error {
	err := x.holdBack()
	x.guard.writeUntil(time.Now().Add(stall))
	return err
}

// fillParts makes what is written next: head, and bytes of the body where they lie, unless they are few (to
// copy them costs less than a write of their own) or the connection copies them anyway; else head and up to
// room gathered bytes. What has to be gathered is never in one write with what lies ready: a late stamp of
// the last write is bounded by the one before it.
func (x *exchange) fillParts(head []byte, room int) error {
	s, body := x.send, &x.send.body
	s.parts = s.storage[:0]
	if x.conn.tls != nil || room < gatherBody || s.plan.length <= gatherBody || body.keptTo-body.given < firstBody {
		buffer, err := body.take(append(s.gather[:0], head...), room)
		s.gather, s.parts = buffer[:0], append(s.parts, buffer)
		return err
	}
	if len(head) > 0 {
		s.parts = append(s.parts, head)
	}
	for body.keptTo-body.given >= firstBody && len(s.parts) < len(s.storage) {
		s.parts = append(s.parts, body.takeKept(keptBlock))
	}
	return nil
}

// digestParts hands what is about to be written to the stream; the body begins at offset behind head bytes.
func (x *exchange) digestParts(offset int64, head int) {
	if x.request.StreamBody == nil {
		return
	}
	for _, part := range x.send.parts {
		over := min(head, len(part))
		x.request.StreamBody.writeAt(offset, part[over:])
		offset += int64(len(part) - over)
		head -= over
	}
}

// noteWritten records that the whole request has been handed over.
func (x *exchange) noteWritten() {
	r := &x.result
	r.WrittenNs, x.lastPart = x.meter.writtenNs, x.meter.lastWriteNs
	if x.request.StreamBody != nil {
		r.BodyDigest, r.HasBodyDigest = x.request.StreamBody.digest.sum(), true
	}
	x.limits.written(r.WrittenNs)
	if x.request.Hooks.Written != nil {
		x.request.Hooks.Written(r.WrittenNs, r.SentBytes)
	}
}

// appendHead writes the request's head.
func (x *exchange) appendHead(out []byte) []byte {
	out = append(out, x.target.requestLine...)
	for i := range x.send.headers {
		out = append(out, x.send.headers[i].Name...)
		out = append(out, ": "...)
		out = append(out, x.send.headers[i].Value...)
		out = append(out, "\r\n"...)
	}
	out = append(out, "Content-Length: "...)
	out = strconv.AppendInt(out, x.send.plan.length, 10)
	return append(out, "\r\n\r\n"...)
}

// requestLine is the first line of a request, and a proxy's credentials where it goes to one in absolute
// form.
func requestLine(e *Endpoint, proxy *url.URL) string {
	target := e.target()
	auth := ""
	if proxy != nil && e.Scheme == "http" {
		target = "http://" + e.authority + target
		if value := proxyAuth(proxy); value != "" {
			auth = "Proxy-Authorization: " + value + "\r\n"
		}
	}
	return "POST " + target + " HTTP/1.1\r\n" + auth
}

// stalled is asked when a write does not go on: a limit may have passed, or an answer may have come.
func (x *exchange) stalled() error {
	if passed := x.passed(); passed != nil {
		return passed
	}
	if x.conn.h2 != nil {
		return x.stalledH2()
	}
	room := x.input.room()
	if len(room) == 0 {
		return errAnswered
	}
	n, err := x.tryRead(room)
	x.input.to += n
	switch {
	case n > 0:
		return x.answered()
	case errors.Is(err, errNothing):
		return nil
	}
	return err
}

// answered tells whether what has been read is more than interim answers.
func (x *exchange) answered() error {
	for {
		text := x.input.unread()
		end := headEnd(text, 0)
		if end < 0 && len(text) == 0 {
			return nil
		}
		if end < 0 {
			return errAnswered
		}
		var interim head
		if err := interim.parse(text[:end], &x.known); err != nil || interim.status >= 200 || interim.status == 101 {
			return errAnswered
		}
		x.input.from += end
	}
}

// asideRead is the end of a read under TLS.
type asideRead struct {
	n   int
	err error
}

// tlsLook is how long a look for an answer waits under TLS.
const tlsLook = 2 * time.Millisecond

// tlsStuck is when a look under TLS is given up: it waits for the write that it interrupts.
const tlsStuck = time.Second

// tryRead reads what is there without waiting. Under TLS a read may have to answer the peer and then
// waits for the write under way, so there it is made aside, and waited for.
func (x *exchange) tryRead(room []byte) (int, error) {
	if x.conn.tls == nil {
		n, wall, err := x.conn.lower.kernel.try(x.conn.lower.Conn, room)
		x.conn.lower.stamp(n, wall)
		return n, err
	}
	x.guard.readUntil(time.Now().Add(tlsLook))
	x.limits.armed = 0
	done := make(chan asideRead, 1)
	go func() {
		n, err := x.conn.tls.Read(room)
		done <- asideRead{n, err}
	}()
	select {
	case read := <-done:
		var timeout net.Error
		if read.n == 0 && errors.As(read.err, &timeout) && timeout.Timeout() {
			return 0, errNothing
		}
		return read.n, read.err
	case <-time.After(tlsStuck):
		x.aside = done
		return 0, io.ErrNoProgress
	}
}

// takeAside waits for a read that was begun aside.
func (x *exchange) takeAside() error {
	read := <-x.aside
	x.aside = nil
	x.input.to += read.n
	if read.n > 0 {
		return nil
	}
	return read.err
}
