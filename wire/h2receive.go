package wire

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/net/http2"
)

// receiveH2 reads the answer. sent is the error that ended writing, nil where the request went out whole.
func (x *exchange) receiveH2(h *h2conn, sent error) {
	if sent != nil {
		x.result.Early = errors.Is(sent, errAnswered)
		x.limits.unwritten(x.clock.Now())
	}
	for !x.stream.head {
		if err := x.nextFrame(h); err != nil {
			if sent != nil && !x.result.Early && isClosed(err) {
				err = sent
			}
			x.failReading(err)
			return
		}
	}
	for !x.stream.ended {
		if err := x.nextFrame(h); err != nil {
			x.failReading(x.cutShortH2(err))
			break
		}
		if x.answer.flooded() {
			x.ended = endFlooded
			break
		}
	}
	if x.stream.ended {
		x.ended = endFramed
	}
	x.answer.end()
}

// cutShortH2 says what the end of the connection means within an answer.
func (x *exchange) cutShortH2(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return framing("HTTP2StreamCut", "the connection closed before the stream's end; %d bytes of the body came", x.result.ReceivedBytes)
	}
	return err
}

// nextFrame takes one frame, or what has come of a DATA frame.
func (x *exchange) nextFrame(h *h2conn) error {
	if x.stream.waitsForFrame() {
		return x.moreData(h)
	}
	if len(x.input.unread()) < frameHeader {
		x.answer.flush()
		if err := h.flush(); err != nil {
			return err
		}
	}
	header, err := h.framer.ReadFrameHeader()
	if err != nil {
		return x.frameError(h, err)
	}
	if header.Type == http2.FrameData {
		return x.beginData(h, header)
	}
	frame, err := h.framer.ReadFrameForHeader(header)
	if err != nil {
		return x.frameError(h, err)
	}
	if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.StreamID == x.stream.id {
		return x.takeHeaders(headers)
	}
	return x.controlFrame(h, frame)
}

// frameError adds the framer's reason.
func (x *exchange) frameError(h *h2conn, err error) error {
	var connection http2.ConnectionError
	var stream http2.StreamError
	switch {
	case errors.As(err, &connection):
		text := fmt.Sprintf("HTTP/2 %v", http2.ErrCode(connection))
		if detail := h.framer.ErrorDetail(); detail != nil {
			text += ": " + detail.Error()
		}
		return &h2Fault{kindProtocol, http2.ErrCode(connection), text}
	case errors.As(err, &stream):
		return &h2Fault{kindProtocol, stream.Code, stream.Error()}
	case errors.Is(err, http2.ErrFrameTooLarge):
		return &h2Fault{kindProtocol, http2.ErrCodeFrameSize, "a frame is larger than the limit"}
	}
	return err
}

// controlFrame takes a frame that is not part of the answer.
func (x *exchange) controlFrame(h *h2conn, frame http2.Frame) error {
	before := h.peerWindow
	if err := h.control(frame); err != nil {
		return err
	}
	x.stream.window += h.peerWindow - before
	switch f := frame.(type) {
	case *http2.WindowUpdateFrame:
		if f.StreamID == x.stream.id {
			x.stream.window += int64(f.Increment)
		}
	case *http2.RSTStreamFrame:
		if f.StreamID != x.stream.id {
			return nil
		}
		return &h2Fault{kindReset, f.ErrCode, fmt.Sprintf("the server reset the stream: %v", f.ErrCode)}
	case *http2.GoAwayFrame:
		if x.stream.id > f.LastStreamID {
			return h.goneAway
		}
	}
	return nil
}

// takeHeaders takes the head of the answer, or its trailers.
func (x *exchange) takeHeaders(f *http2.MetaHeadersFrame) error {
	if x.stream.head {
		if !f.StreamEnded() {
			return &h2Fault{kindProtocol, http2.ErrCodeProtocol, "headers came within the body"}
		}
		x.stream.ended = true
		x.result.LastByteNs = x.meter.stampNs
		return nil
	}
	status, err := strconv.Atoi(f.PseudoValue("status"))
	if err != nil || status < 100 || status > 999 {
		return framing("BadStatusLine", "status %q of the answer", f.PseudoValue("status"))
	}
	if status < 200 {
		if f.StreamEnded() {
			return framing("BadHttpMessage", "an interim answer ends the stream")
		}
		return nil
	}
	x.result.FirstByteNs = x.meter.stampNs
	x.head = head{status: status, length: Unset}
	x.headText = append(x.headText[:0], fmt.Sprintf("HTTP/2.0 %d\r\n", status)...)
	for _, field := range f.RegularFields() {
		x.headText = append(append(append(append(x.headText, field.Name...), ": "...), field.Value...), "\r\n"...)
		if field.Name == "transfer-encoding" || field.Name == "connection" {
			continue
		}
		if err := x.head.field([]byte(field.Name), []byte(field.Value), &x.known, false); err != nil {
			return err
		}
	}
	x.headText = append(x.headText, "\r\n"...)
	x.known = x.head
	x.stream.head, x.stream.ended = true, f.StreamEnded()
	x.noteHead()
	return nil
}

// beginData takes the header of a DATA frame.
func (x *exchange) beginData(h *h2conn, header http2.FrameHeader) error {
	s := &x.stream
	if header.StreamID != s.id || !s.head || s.ended {
		return &h2Fault{kindProtocol, http2.ErrCodeProtocol, fmt.Sprintf("DATA came on stream %d where none was expected", header.StreamID)}
	}
	s.data, s.pad, s.final = int(header.Length), 0, header.Flags.Has(http2.FlagDataEndStream)
	s.unsaid += int64(header.Length)
	h.unreported += int64(header.Length)
	if header.Flags.Has(http2.FlagDataPadded) {
		var length [1]byte
		if _, err := io.ReadFull(h, length[:]); err != nil {
			return err
		}
		s.pad = int(length[0])
		if s.data -= 1 + s.pad; s.data < 0 {
			return &h2Fault{kindProtocol, http2.ErrCodeProtocol, "the padding of a DATA frame is longer than the frame"}
		}
	}
	h.report(s)
	return x.endData()
}

// moreData hands on what has come of the DATA frame under way.
func (x *exchange) moreData(h *h2conn) error {
	if len(x.input.unread()) == 0 {
		x.answer.flush()
		if err := h.flush(); err != nil {
			return err
		}
		if err := x.fill(); err != nil {
			return err
		}
	}
	s := &x.stream
	text := x.input.unread()
	if n := min(s.data, len(text)); n > 0 {
		x.input.from += n
		s.data -= n
		x.took(text[:n])
	} else {
		n := min(s.pad, len(text))
		x.input.from += n
		s.pad -= n
	}
	return x.endData()
}

// endData ends the stream where the DATA frame that does so is used up.
func (x *exchange) endData() error {
	s := &x.stream
	if s.waitsForFrame() || !s.final {
		return nil
	}
	s.ended, s.final = true, false
	x.result.LastByteNs = x.meter.stampNs
	if x.head.length != Unset && x.head.length != x.result.ReceivedBytes {
		return framing("ContentLengthError", "the body has %d bytes, its head says %d", x.result.ReceivedBytes, x.head.length)
	}
	return nil
}

// report tells the server, from time to time, how much has been read.
func (h *h2conn) report(s *h2stream) {
	if s.unsaid >= ourStreamWindow/2 {
		h.framer.WriteWindowUpdate(s.id, uint32(s.unsaid))
		s.unsaid = 0
	}
	if h.unreported >= ourConnWindow/2 {
		h.framer.WriteWindowUpdate(0, uint32(h.unreported))
		h.unreported = 0
	}
}
