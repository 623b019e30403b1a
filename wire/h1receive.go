package wire

import (
	"errors"
	"io"
)

// receiveH1 reads the answer. sent is the error that ended writing, nil where the request went out whole.
func (x *exchange) receiveH1(sent error) {
	if sent != nil {
		x.result.Early = errors.Is(sent, errAnswered)
		x.limits.unwritten(x.clock.Now())
	}
	if err := x.readHead(); err != nil {
		if sent != nil && !errors.Is(sent, errAnswered) && isClosed(err) {
			err = sent // the write's error says more than the read's
		}
		x.failReading(err)
		return
	}
	x.noteHead()
	x.decoder.reset()
	x.bodyLeft = x.head.length
	for {
		data, err := x.nextBody()
		x.took(data)
		if x.answer.flooded() {
			x.ended = endFlooded
			break
		}
		if errors.Is(err, io.EOF) {
			x.ended = endFramed
			if !x.head.chunked && x.head.length == Unset && !bodyless(x.head.status) {
				x.ended = endClosed
			}
			break
		}
		if err != nil {
			x.failReading(err)
			break
		}
	}
	x.answer.end()
}

// readHead reads to the end of the final head; interim answers are passed over.
func (x *exchange) readHead() error {
	looked := 0
	for {
		text := x.input.unread()
		if len(text) > 0 && x.result.FirstByteNs == Unset {
			x.result.FirstByteNs = x.meter.stampNs
		}
		end := headEnd(text, looked)
		if end < 0 {
			looked = len(text)
			if err := x.growHead(); err != nil {
				return err
			}
			if err := x.fill(); err != nil {
				if len(text) > 0 && errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF
				}
				return err
			}
			continue
		}
		if err := x.head.parse(text[:end], &x.known); err != nil {
			return err
		}
		x.input.from += end
		looked = 0
		if x.head.status == 101 {
			return framing("BadHttpMessage", "the server switches protocols, which was not asked for")
		}
		if x.head.status >= 200 {
			x.known = x.head
			x.headText = append(x.headText[:0], text[:end]...)
			return nil
		}
		x.result.FirstByteNs = Unset
	}
}

// growHead makes room for more of a head, up to the limit.
func (x *exchange) growHead() error {
	if x.input.to < len(x.input.buffer) {
		return nil
	}
	unread := x.input.unread()
	if len(unread) >= maxHead {
		return framing("BadHttpMessage", "the answer's head is longer than %d bytes", maxHead)
	}
	buffer := x.input.buffer
	if x.input.from == 0 {
		buffer = make([]byte, 2*len(buffer))
	}
	n := copy(buffer, unread)
	x.input = inbox{buffer, 0, n}
	return nil
}

func (x *exchange) noteHead() {
	r, h := &x.result, &x.head
	r.HeadersNs = x.meter.stampNs
	r.LastByteNs = x.meter.stampNs
	r.Status, r.Reason = h.status, h.reason
	r.Server, r.ContentType, r.RetryAfter = h.server, h.contentType, h.retryAfter
	if x.request.KeepRaw {
		r.RawHead = append([]byte(nil), x.headText...)
	}
	x.unbroken = 0
	x.answer.begin()
	if h.status < 200 || h.status > 299 {
		x.limits.refused(x.clock.Now())
	}
}

// took hands body bytes on.
func (x *exchange) took(data []byte) {
	if len(data) == 0 {
		return
	}
	r := &x.result
	if r.FirstBodyNs == Unset {
		r.FirstBodyNs = x.meter.stampNs
	}
	r.LastByteNs = x.meter.stampNs
	r.ReceivedBytes += int64(len(data))
	x.takeBody(data)
}

// nextBody gives the next bytes of the body, io.EOF at its proper end. It never waits while it has some.
func (x *exchange) nextBody() ([]byte, error) {
	if bodyless(x.head.status) || x.bodyLeft == 0 && !x.head.chunked {
		return nil, io.EOF
	}
	for {
		text := x.input.unread()
		if x.head.chunked {
			data, rest, err := x.decoder.next(text)
			x.input.from += len(text) - len(rest)
			switch {
			case err != nil:
				return nil, err
			case len(data) > 0:
				return data, nil
			case x.decoder.state == chunkDone:
				x.result.LastByteNs = x.meter.stampNs
				return nil, io.EOF
			}
		} else if len(text) > 0 {
			return x.plainBody(text), nil
		}
		x.answer.flush()
		if err := x.fill(); err != nil {
			return nil, x.cutShort(err)
		}
	}
}

// plainBody takes body bytes that have no framing but, perhaps, a length.
func (x *exchange) plainBody(text []byte) []byte {
	if x.bodyLeft != Unset && int64(len(text)) > x.bodyLeft {
		text = text[:x.bodyLeft]
	}
	if x.bodyLeft != Unset {
		x.bodyLeft -= int64(len(text))
	}
	x.input.from += len(text)
	return text
}

// cutShort says what the end of the connection means for the body under way.
func (x *exchange) cutShort(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	switch {
	case x.head.chunked:
		return framing("TransferEncodingError", "the connection closed within a chunked body of which %d bytes came", x.result.ReceivedBytes)
	case x.bodyLeft != Unset:
		return framing("ContentLengthError", "the connection closed %d bytes before the end of a body of %d", x.bodyLeft, x.head.length)
	}
	return err
}
