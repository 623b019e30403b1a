package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	// ourStreamWindow and ourConnWindow are what the server may send before we say that we have read it:
	// more than any answer, so that flow control never delays one.
	ourStreamWindow = 4 << 20
	ourConnWindow   = 1 << 30
	firstWindow     = 65535 // what both sides begin with
	frameHeader     = 9
	leastFrame      = 16384 // the payload that every peer takes, and the largest that we take
)

// h2conn is the state of an HTTP/2 connection. It carries one exchange at a time.
type h2conn struct {
	conn   *conn
	framer *http2.Framer
	out    bytes.Buffer // frames to be written with the next write
	header bytes.Buffer // a header block under way
	packer *hpack.Encoder
	input  inbox        // bytes read and not used; lent to the exchange under way
	fill   func() error // reads more into what source reads from
	source *inbox

	nextID     uint32
	maxFrame   int64 // payload of a frame that the server takes
	peerWindow int64 // initial window of a stream to the server
	connWindow int64 // bytes of bodies that the server still takes on the connection
	unreported int64 // bytes taken that the server has not been told of
	goneAway   *h2Fault
	last       uint32 // last stream that the server takes, after goneAway
	midway     bool   // a stream was left before its end
}

// The kinds of h2Fault.
const (
	kindReset    = "HTTP2StreamReset"
	kindGoAway   = "HTTP2GoAway" // and our stream is not among those that the server still answers
	kindProtocol = "HTTP2ProtocolError"
)

// h2Fault is a failure of HTTP/2 with the peer's reason.
type h2Fault struct {
	kind string
	code http2.ErrCode
	text string
}

func (f *h2Fault) Error() string { return f.text }

// Read gives the framer its bytes.
func (h *h2conn) Read(p []byte) (int, error) {
	for len(h.source.unread()) == 0 {
		if err := h.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, h.source.unread())
	h.source.from += n
	return n, nil
}

// startHTTP2 greets the server and waits for its settings.
func (d *dialer) startHTTP2(ctx context.Context, c *conn) error {
	if c.tls != nil && c.tls.ConnectionState().NegotiatedProtocol != "h2" {
		return dialFault(tlsFault, fmt.Errorf("the server does not speak HTTP/2: ALPN gave %q", c.tls.ConnectionState().NegotiatedProtocol))
	}
	h := &h2conn{conn: c, nextID: 1, maxFrame: leastFrame, peerWindow: firstWindow, connWindow: firstWindow}
	h.input.buffer = make([]byte, inboxSize)
	h.framer = http2.NewFramer(&h.out, h)
	h.framer.SetMaxReadFrameSize(leastFrame)
	h.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.framer.MaxHeaderListSize = maxHead
	h.packer = hpack.NewEncoder(&h.header)
	h.source, h.fill = &h.input, h.readDirect
	c.protocol, c.h2 = "HTTP/2.0", h
	if deadline, ok := ctx.Deadline(); ok {
		c.lower.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { c.lower.SetDeadline(longAgo()) })
	defer stop()
	h.out.WriteString(http2.ClientPreface)
	h.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: ourStreamWindow},
		http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHead})
	h.framer.WriteWindowUpdate(0, ourConnWindow-firstWindow)
	if err := h.flush(); err != nil {
		return dialFault(connectFault, err)
	}
	return dialFault(connectFault, h.greeting())
}

// greeting reads the server's first frame, which must be its settings.
func (h *h2conn) greeting() error {
	for len(h.input.unread()) < frameHeader {
		if err := h.readDirect(); err != nil {
			return fmt.Errorf("waiting for the server's HTTP/2 settings: %w", err)
		}
	}
	if bytes.HasPrefix(h.input.unread(), []byte("HTTP/1.")) {
		return errors.New("the server answers in HTTP/1, not HTTP/2")
	}
	frame, err := h.framer.ReadFrame()
	if err != nil {
		return fmt.Errorf("reading the server's HTTP/2 settings: %w", err)
	}
	if settings, ok := frame.(*http2.SettingsFrame); !ok || settings.IsAck() {
		return fmt.Errorf("the server begins with %v, not with its settings", frame.Header())
	}
	if err := h.control(frame); err != nil {
		return err
	}
	return h.flush()
}

// readDirect reads without an exchange.
func (h *h2conn) readDirect() error {
	n, err := h.conn.Read(h.input.room())
	h.input.to += n
	if n > 0 {
		return nil
	}
	return err
}

// flush writes the frames that have been collected.
func (h *h2conn) flush() error {
	if h.out.Len() == 0 {
		return nil
	}
	_, err := h.conn.Write(h.out.Bytes())
	h.out.Reset()
	return err
}

// control takes a frame that is about the connection.
func (h *h2conn) control(frame http2.Frame) error {
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		if f.IsAck() {
			return nil
		}
		if err := f.ForeachSetting(h.setting); err != nil {
			return err
		}
		h.framer.WriteSettingsAck()
	case *http2.PingFrame:
		if !f.IsAck() {
			h.framer.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			h.connWindow += int64(f.Increment)
		}
	case *http2.GoAwayFrame:
		h.last = f.LastStreamID
		h.goneAway = &h2Fault{kindGoAway, f.ErrCode, fmt.Sprintf("the server sent GOAWAY: %v%s", f.ErrCode, debugText(f.DebugData()))}
	case *http2.PushPromiseFrame:
		return &h2Fault{kindProtocol, http2.ErrCodeProtocol, "the server pushes, which was switched off"}
	}
	return nil
}

func debugText(data []byte) string {
	if len(data) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.200q)", data)
}

func (h *h2conn) setting(s http2.Setting) error {
	if err := s.Valid(); err != nil {
		return err
	}
	switch s.ID {
	case http2.SettingMaxFrameSize:
		h.maxFrame = int64(s.Val)
	case http2.SettingInitialWindowSize:
		h.peerWindow = int64(s.Val)
	case http2.SettingHeaderTableSize:
		h.packer.SetMaxDynamicTableSize(min(s.Val, 4096))
	}
	return nil
}

// usable tells whether another exchange may begin.
func (h *h2conn) usable() bool { return h.goneAway == nil && !h.midway && h.nextID < 1<<31-1 }

// idle takes the frames that have come while the connection lay idle, and tells whether it can go on.
func (h *h2conn) idle() bool {
	// A frame that has only begun to come is not waited for.
	defer h.conn.lower.SetReadDeadline(time.Time{})
	for {
		h.conn.lower.SetReadDeadline(time.Now().Add(tlsLook))
		for h.wholeFrame() {
			frame, err := h.framer.ReadFrame()
			if err != nil || h.control(frame) != nil {
				return false
			}
		}
		if err := h.look(); errors.Is(err, errNothing) {
			break
		} else if err != nil {
			return false
		}
	}
	if h.out.Len() > 0 {
		h.conn.lower.SetWriteDeadline(time.Now().Add(stall))
		if h.flush() != nil {
			return false
		}
	}
	return h.usable()
}

// look reads what is there without waiting.
func (h *h2conn) look() error {
	room := h.input.room()
	if len(room) == 0 {
		return io.ErrShortBuffer
	}
	if h.conn.tls == nil {
		n, _, err := h.conn.lower.kernel.try(h.conn.lower.Conn, room)
		h.input.to += n
		return err
	}
	if _, err := h.conn.lower.kernel.peek(h.conn.lower.Conn); errors.Is(err, errNothing) {
		return err
	}
	n, err := h.conn.tls.Read(room)
	h.input.to += n
	if n == 0 && isTimeout(err) {
		return errNothing
	}
	return err
}

// wholeFrame tells whether the inbox holds a frame to its end.
func (h *h2conn) wholeFrame() bool {
	unread := h.source.unread()
	return len(unread) >= frameHeader && len(unread) >= frameHeader+int(frameLength(unread))
}

func frameLength(header []byte) uint32 {
	return binary.BigEndian.Uint32([]byte{0, header[0], header[1], header[2]})
}

// bye tells the server that the connection ends.
func (h *h2conn) bye() {
	h.out.Reset()
	if h.midway {
		h.framer.WriteRSTStream(h.nextID-2, http2.ErrCodeCancel)
	}
	h.framer.WriteGoAway(0, http2.ErrCodeNo, nil)
	h.conn.lower.meter, h.conn.lower.stall = nil, nil
	h.conn.lower.Conn.SetWriteDeadline(time.Now().Add(time.Millisecond))
	h.flush() // only where it can at once
}
