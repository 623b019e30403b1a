// Package http2faults is a server that speaks HTTP/2 frame by frame and misbehaves on order: the faults of
// the mock server that net/http's HTTP/2 cannot produce. It answers chat requests with a fixed stream.
//
// It keeps to the standard except where a behaviour says otherwise, and holds the client to it: DATA
// beyond the windows it granted, a missing acknowledgement or a frame in the wrong place ends the
// connection with GOAWAY, and is counted.
package http2faults

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Options say what server to run.
type Options struct {
	// TLS, where not nil, is served with ALPN h2; without it clients need prior knowledge.
	TLS *tls.Config
	// Behaviour is what every connection does; a request's X-Mock-Fault header goes before it. Empty is
	// "good". The behaviours that strike before a request work by this only.
	Behaviour string
	DelayMs   int64 // for the behaviours that wait; default 50
}

// Server is a running server. Make it with Start, end it with Close.
type Server struct {
	listener   net.Listener
	options    Options
	behaviours map[string]Behaviour
	done       chan struct{}
	wait       sync.WaitGroup
	violations atomic.Int64
	accepted   atomic.Int64

	mu   sync.Mutex
	open map[net.Conn]struct{}
}

// Start runs a server on a free port of the loopback interface.
func Start(options Options) (*Server, error) {
	if options.Behaviour == "" {
		options.Behaviour = "good"
	}
	if options.DelayMs == 0 {
		options.DelayMs = 50
	}
	s := &Server{options: options, behaviours: map[string]Behaviour{}, done: make(chan struct{}), open: map[net.Conn]struct{}{}}
	for _, behaviour := range Behaviours() {
		s.behaviours[behaviour.Name] = behaviour
	}
	if _, known := s.behaviours[options.Behaviour]; !known {
		return nil, fmt.Errorf("http2 faults: no behaviour is named %q", options.Behaviour)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("http2 faults: %w", err)
	}
	s.listener = listener
	s.wait.Add(1)
	go s.accept()
	return s, nil
}

// URL is the server's base address.
func (s *Server) URL() string {
	if s.options.TLS != nil {
		return "https://" + s.listener.Addr().String()
	}
	return "http://" + s.listener.Addr().String()
}

// Violations counts what clients did against the standard.
func (s *Server) Violations() int64 { return s.violations.Load() }

// Connections counts the connections accepted so far.
func (s *Server) Connections() int64 { return s.accepted.Load() }

// Close ends every connection and waits for everything started.
func (s *Server) Close() error {
	close(s.done)
	err := s.listener.Close()
	s.mu.Lock()
	for conn := range s.open {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.wait.Wait()
	return err
}

func (s *Server) accept() {
	defer s.wait.Done()
	for {
		raw, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.accepted.Add(1)
		s.mu.Lock()
		s.open[raw] = struct{}{}
		s.mu.Unlock()
		s.wait.Go(func() {
			s.serve(raw)
			_ = raw.Close()
			s.mu.Lock()
			delete(s.open, raw)
			s.mu.Unlock()
		})
	}
}

// session is one connection.
type session struct {
	server *Server
	raw    net.Conn // below TLS
	conn   net.Conn
	framer *http2.Framer
	header bytes.Buffer
	hpack  *hpack.Encoder

	behaviour  Behaviour
	stream     uint32 // of the present request
	bodyDone   bool
	granted    int64 // bytes that the client may still send on the connection
	perStream  int64 // and on the present stream
	initial    int64 // window of a new stream
	sendWindow int64 // what the client lets us send on the connection
	sendStream int64 // and on the present stream
	sendFirst  int64 // on a new stream
}

// errOver ends a connection in order.
var errOver = errors.New("connection over")

func (s *Server) serve(raw net.Conn) {
	c := &session{server: s, raw: raw, conn: raw, behaviour: s.behaviours[s.options.Behaviour], granted: 65535, initial: 65535, sendWindow: 65535, sendFirst: 65535}
	if s.options.TLS != nil {
		config := s.options.TLS.Clone()
		config.NextProtos = []string{"h2"}
		c.conn = tls.Server(raw, config)
	}
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.conn, preface); err != nil {
		return
	}
	if string(preface) != http2.ClientPreface {
		s.violations.Add(1)
		return
	}
	c.framer = http2.NewFramer(c.conn, c.conn)
	c.framer.AllowIllegalWrites = true
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.hpack = hpack.NewEncoder(&c.header)
	if c.behaviour.connect != nil {
		if c.behaviour.connect(c) != nil {
			return
		}
	} else if c.framer.WriteSettings() != nil {
		return
	}
	for c.step() == nil {
	}
}

// violation ends the connection because of what the client did.
func (c *session) violation(code http2.ErrCode, text string) error {
	c.server.violations.Add(1)
	_ = c.framer.WriteGoAway(c.stream, code, []byte(text))
	return errOver
}

// step reads a frame and does what it asks for.
func (c *session) step() error {
	frame, err := c.framer.ReadFrame()
	if err != nil {
		return err
	}
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		return c.onSettings(f)
	case *http2.PingFrame:
		if f.IsAck() {
			return nil
		}
		return c.framer.WritePing(true, f.Data)
	case *http2.WindowUpdateFrame:
		c.onWindow(f)
	case *http2.MetaHeadersFrame:
		return c.onHeaders(f)
	case *http2.DataFrame:
		return c.onData(f)
	case *http2.GoAwayFrame:
		return errOver
	}
	return nil
}

func (c *session) onSettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if value, set := f.Value(http2.SettingInitialWindowSize); set {
		c.sendStream += int64(value) - c.sendFirst
		c.sendFirst = int64(value)
	}
	return c.framer.WriteSettingsAck()
}

func (c *session) onWindow(f *http2.WindowUpdateFrame) {
	switch f.StreamID {
	case 0:
		c.sendWindow += int64(f.Increment)
	case c.stream:
		c.sendStream += int64(f.Increment)
	}
}

func (c *session) onHeaders(f *http2.MetaHeadersFrame) error {
	if f.StreamID%2 == 0 || f.StreamID <= c.stream {
		return c.violation(http2.ErrCodeProtocol, "stream number")
	}
	c.stream, c.bodyDone = f.StreamID, f.StreamEnded()
	c.perStream, c.sendStream = c.initial, c.sendFirst
	c.behaviour = c.server.behaviours[c.server.options.Behaviour]
	for _, field := range f.Fields {
		if field.Name == "x-mock-fault" {
			if ordered, known := c.server.behaviours[field.Value]; known {
				c.behaviour = ordered
			}
		}
	}
	if c.bodyDone || c.behaviour.early {
		return c.behaviour.play(c)
	}
	return nil
}

func (c *session) onData(f *http2.DataFrame) error {
	if f.StreamID != c.stream {
		return nil // of a stream that was answered early and is reset by now
	}
	size := int64(f.Header().Length)
	c.granted -= size
	c.perStream -= size
	if c.granted < 0 || c.perStream < 0 {
		return c.violation(http2.ErrCodeFlowControl, "DATA beyond the window")
	}
	if c.behaviour.grant != nil {
		if err := c.behaviour.grant(c, size); err != nil {
			return err
		}
	} else if err := c.grant(size); err != nil {
		return err
	}
	if f.StreamEnded() && !c.bodyDone {
		c.bodyDone = true
		if !c.behaviour.early {
			return c.behaviour.play(c)
		}
	}
	return nil
}

// grant lets the client send so many bytes more, on the connection and on the stream.
func (c *session) grant(size int64) error {
	if size == 0 {
		return nil
	}
	c.granted += size
	c.perStream += size
	return errors.Join(c.framer.WriteWindowUpdate(0, uint32(size)), c.framer.WriteWindowUpdate(c.stream, uint32(size)))
}

// pause waits; it returns an error when the server goes down.
func (c *session) pause() error {
	select {
	case <-time.After(time.Duration(c.server.options.DelayMs) * time.Millisecond):
		return nil
	case <-c.server.done:
		return errOver
	}
}

func field(name, value string) hpack.HeaderField { return hpack.HeaderField{Name: name, Value: value} }
