package wire

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2stream is the exchange's stream.
type h2stream struct {
	id     uint32
	window int64 // bytes of the body that the server still takes on it
	head   bool  // the final head of the answer has come
	ended  bool  // the server has ended its side
	data   int   // bytes of the DATA frame under way that have not been handed on
	pad    int   // its padding
	final  bool  // it ends the stream
	unsaid int64 // bytes taken that the server has not been told of
}

// exchangeH2 makes the exchange on an HTTP/2 connection.
func (x *exchange) exchangeH2() {
	if err := x.mayWrite(); err != nil {
		x.letGo()
		x.failReading(err)
		return // the server has not heard of a stream
	}
	h := x.conn.h2
	x.input, h.input = h.input, x.input
	h.source, h.fill = &x.input, x.fill
	x.stream = h2stream{id: h.nextID, window: h.peerWindow}
	h.nextID += 2
	h.midway = true
	err := x.sendH2(h)
	x.begin()
	x.letGo()
	if !x.endedWriting(err) {
		x.receiveH2(h, err)
	}
	if x.stream.ended && err == nil && x.fault == nil {
		h.midway = false
		if h.flush() != nil {
			h.midway = true
		}
	}
	x.input, h.input = h.input, x.input
	h.source, h.fill = &h.input, h.readDirect
}

// sendH2 writes the request's head and body.
func (x *exchange) sendH2(h *h2conn) error {
	x.writeHeaders(h)
	body := &x.send.body
	body.begin(&x.send.plan, x.request.StreamBody)
	var offset int64
	for left := x.send.plan.length; left > 0; {
		n, err := x.allowance(h)
		if err != nil {
			return err
		}
		buffer, err := body.take(x.send.gather[:0], int(min(n, left, gatherBody)))
		if err != nil {
			return err
		}
		x.send.gather = buffer[:0]
		if x.request.StreamBody != nil {
			x.request.StreamBody.writeAt(offset, buffer)
		}
		left -= int64(len(buffer))
		offset += int64(len(buffer))
		if err := x.writeData(h, buffer, left == 0); err != nil {
			return err
		}
		if begun := left + int64(len(buffer)); left > 0 && begun == x.send.plan.length {
			if err := x.beginTogether(); err != nil {
				return err
			}
		}
	}
	x.noteWritten()
	return nil
}

// writeData writes body bytes as frames, in one write.
func (x *exchange) writeData(h *h2conn, data []byte, last bool) error {
	sent := int64(len(data))
	x.stream.window -= sent
	h.connWindow -= sent
	for len(data) > 0 {
		n := min(len(data), int(h.maxFrame), gatherBody)
		h.framer.WriteData(x.stream.id, last && n == len(data), data[:n])
		data = data[n:]
	}
	err := h.flush()
	if err == nil {
		x.result.SentBytes += sent
	}
	return err
}

// writeHeaders collects the frames of the request's head.
func (x *exchange) writeHeaders(h *h2conn) {
	e := &x.target.endpoint
	h.header.Reset()
	authority := e.authority
	for i := range x.send.headers {
		if x.send.headers[i].Is("Host") {
			authority = x.send.headers[i].Value
		}
	}
	h.pack(":method", "POST", false)
	h.pack(":scheme", e.Scheme, false)
	h.pack(":authority", authority, false)
	h.pack(":path", e.target(), false)
	for _, header := range x.send.headers {
		if !header.Is("Host") {
			h.pack(strings.ToLower(header.Name), header.Value, header.Is("Authorization"))
		}
	}
	h.pack("content-length", strconv.FormatInt(x.send.plan.length, 10), false)
	block := h.header.Bytes()
	first := true
	for first || len(block) > 0 {
		n := min(len(block), int(h.maxFrame))
		if first {
			h.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: x.stream.id, BlockFragment: block[:n], EndHeaders: n == len(block)})
		} else {
			h.framer.WriteContinuation(x.stream.id, n == len(block), block[:n])
		}
		block, first = block[n:], false
	}
}

func (h *h2conn) pack(name, value string, secret bool) {
	h.packer.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: secret})
}

// allowance is how much of the body may go out now; it waits for the server to take more, and looks
// whether it has answered already.
func (x *exchange) allowance(h *h2conn) (int64, error) {
	for {
		if n := min(x.stream.window, h.connWindow); n > 0 {
			return n, nil
		}
		if err := h.flush(); err != nil {
			return 0, err
		}
		if err := x.nextControl(h); err != nil {
			return 0, err
		}
	}
}

// nextControl reads one frame while the body waits. An answer is left in the inbox.
func (x *exchange) nextControl(h *h2conn) error {
	for len(x.input.unread()) < frameHeader {
		if err := x.fill(); err != nil {
			return err
		}
	}
	if header := x.input.unread(); isAnswerFrame(header, x.stream.id) {
		return errAnswered
	}
	frame, err := h.framer.ReadFrame()
	if err != nil {
		return err
	}
	return x.controlFrame(h, frame)
}

// Frame types on the wire that end the wait for flow control.
const (
	typeHeaders = byte(http2.FrameHeaders)
	typeReset   = byte(http2.FrameRSTStream)
)

// isAnswerFrame tells whether a frame's header begins, or refuses, the answer on a stream.
func isAnswerFrame(header []byte, id uint32) bool {
	kind := header[3]
	stream := (uint32(header[5])<<24 | uint32(header[6])<<16 | uint32(header[7])<<8 | uint32(header[8])) & (1<<31 - 1)
	return stream == id && (kind == typeHeaders || kind == typeReset)
}

// stalledH2 looks for an answer while the socket takes no more of the request.
func (x *exchange) stalledH2() error {
	if x.stream.head {
		return nil // it is an acknowledgement that waits
	}
	if room := x.input.buffer[x.input.to:]; len(room) > 0 && !x.stream.waitsForFrame() {
		n, err := x.tryRead(room)
		x.input.to += n
		if n == 0 && !errors.Is(err, errNothing) {
			return err
		}
	}
	for rest := x.input.unread(); len(rest) >= frameHeader; {
		if isAnswerFrame(rest, x.stream.id) {
			return errAnswered
		}
		size := frameHeader + int(frameLength(rest))
		if size > len(rest) {
			return nil
		}
		rest = rest[size:]
	}
	return nil
}

// waitsForFrame tells whether a DATA frame is under way: then the inbox does not begin with a header.
func (s *h2stream) waitsForFrame() bool { return s.data > 0 || s.pad > 0 }
