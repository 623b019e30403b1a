package mockserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"agentx/internal/servermodel"
)

// Server is a running mock server. Make it with Start, end it with Close.
type Server struct {
	options  Options
	clock    clock
	engine   *engine
	records  *recorder
	faults   *faultPlan
	listener *listener
	http     *http.Server
	cert     []byte // PEM

	arrived     atomic.Int64
	inFlight    atomic.Int64
	maxInFlight atomic.Int64
	recording   atomic.Int64 // exchanges whose last write has begun and whose record is not made
	profiling   atomic.Bool

	stopping context.Context // ends when the server goes down
	stop     context.CancelFunc
	handlers sync.WaitGroup // requests being handled
	conns    sync.WaitGroup // connections that net/http serves
	serving  chan error     // the result of http.Serve
	closing  sync.Once
	closeErr error
}

// Start runs a server until Close.
func Start(options Options) (*Server, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("mock server: %w", err)
	}
	faults, err := newFaultPlan(options)
	if err != nil {
		return nil, fmt.Errorf("mock server: %w", err)
	}
	model, err := servermodel.New(options.Server)
	if err != nil {
		return nil, fmt.Errorf("mock server: %w", err)
	}
	inner, err := net.Listen("tcp", net.JoinHostPort(options.Host, strconv.Itoa(options.Port)))
	if err != nil {
		return nil, fmt.Errorf("mock server: %w", err)
	}
	records, err := newRecorder(options.KeepRecords, options.RecordFile)
	if err != nil {
		_ = inner.Close()
		return nil, fmt.Errorf("mock server: %w", err)
	}
	s := &Server{options: options, clock: newClock(), records: records, faults: faults, serving: make(chan error, 1)}
	s.engine = newEngine(model, s.clock)
	s.stopping, s.stop = context.WithCancel(context.Background())
	if err := s.serve(inner); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("mock server: %w", err)
	}
	return s, nil
}

type tapKey struct{}

func (s *Server) serve(inner net.Listener) error {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	var config *tls.Config
	var err error
	if s.options.TLS {
		config, s.cert, err = selfSigned(s.options.Host)
		config.NextProtos = []string{"http/1.1"}
		if s.options.HTTP2 {
			config.NextProtos = []string{"h2", "http/1.1"}
			protocols.SetHTTP2(true)
		}
	} else if s.options.HTTP2 {
		protocols.SetUnencryptedHTTP2(true)
	}
	s.listener = newListener(inner, config, s.clock, s.faults.onAccept)
	s.http = &http.Server{
		Handler:     s.handler(),
		IdleTimeout: s.options.KeepAliveTimeout,
		Protocols:   protocols,
		ErrorLog:    log.New(io.Discard, "", 0), // broken clients are the purpose, not news
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, tapKey{}, tapOf(conn))
		},
		ConnState: s.onConnState,
	}
	go func() { s.serving <- s.http.Serve(s.listener) }()
	return err
}

// tapOf finds the tap under a connection.
func tapOf(conn net.Conn) *tap {
	switch c := conn.(type) {
	case *tap:
		return c
	case *tls.Conn:
		return tapOf(c.NetConn())
	case *unreadConn:
		return tapOf(c.Conn)
	}
	return nil
}

func (s *Server) onConnState(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateIdle:
		if t := tapOf(conn); t.unread.Swap(false) { // net/http has just read the rest
			t.firstRead.Store(0)
		}
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	}
}

// URL is the base address, for example http://127.0.0.1:40123.
func (s *Server) URL() string {
	scheme := "http"
	if s.options.TLS {
		scheme = "https"
	}
	return scheme + "://" + s.listener.Addr().String()
}

// CertificatePEM is the server's certificate when it serves TLS: the authority a client has to trust.
func (s *Server) CertificatePEM() []byte { return s.cert }

// Records are the latest requests that have ended, up to Options.KeepRecords; every request whose answer
// a client has had whole is among them.
func (s *Server) Records() []Record {
	for deadline := time.Now().Add(time.Second); s.recording.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(50 * time.Microsecond)
	}
	return s.records.list()
}

// Now is the clock of the records.
func (s *Server) Now() int64 { return s.clock.now() }

// Stats are counts of connections and requests.
type Stats struct {
	Connections     int64 `json:"connections"` // accepted so far
	OpenConnections int   `json:"open_connections"`
	Requests        int64 `json:"requests"` // to the chat endpoint, so far
	InFlight        int64 `json:"in_flight"`
	MaxInFlight     int64 `json:"max_in_flight"`
}

// Stats counts connections and requests up to now.
func (s *Server) Stats() Stats {
	accepted, open := s.listener.counts()
	return Stats{accepted, open, s.arrived.Load(), s.inFlight.Load(), s.maxInFlight.Load()}
}

// Close stops the server: no new connections, requests in flight are cut, everything started is waited
// for. It returns an error where the record file is incomplete. Closing again changes nothing.
func (s *Server) Close() error {
	s.closing.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Server) close() error {
	s.stop()
	_ = s.listener.Close()
	_ = s.http.Close()
	s.listener.closeAll()
	err := <-s.serving
	s.conns.Wait() // first: a handler begins only on a connection that is being served
	s.handlers.Wait()
	s.engine.close()
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, s.records.close())
}

// Shutdown lets requests in flight end, for at most two seconds and the time that ctx has, and then
// closes.
func (s *Server) Shutdown(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownGrace)
	defer cancel()
	_ = s.http.Shutdown(ctx) // what is left is cut by Close
	return s.Close()
}

// shutdownGrace is how long requests in flight may take to end.
const shutdownGrace = 2 * time.Second

// Run serves until ctx ends. It prints the address to Options.Out once it listens.
func Run(ctx context.Context, options Options) error {
	s, err := Start(options)
	if err != nil {
		return err
	}
	if options.Out != nil {
		fmt.Fprintf(options.Out, "mock server on %s (tokens counted by %s)\n", s.URL(), s.options.Counter.Name())
	}
	select {
	case <-ctx.Done():
	case err := <-s.serving: // the listener failed
		s.serving <- err
	}
	return s.Shutdown(context.WithoutCancel(ctx))
}
