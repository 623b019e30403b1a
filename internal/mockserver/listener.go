package mockserver

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// listener hands out accepted connections as taps. It also takes connections back: a fault that took a
// connection over can return it, and net/http goes on serving it.
type listener struct {
	inner    net.Listener
	tls      *tls.Config // nil = cleartext
	clock    clock
	onAccept func(number int64) acceptFault

	out     chan net.Conn
	done    chan struct{}
	stop    sync.Once
	pending sync.WaitGroup // the accept loop

	mu       sync.Mutex
	open     map[*tap]struct{}
	accepted int64
}

// acceptFault is what happens to a connection before anything is read from it.
type acceptFault uint8

const (
	acceptWell  acceptFault = iota
	acceptReset             // RST at once
	acceptClose             // FIN at once
)

func newListener(inner net.Listener, config *tls.Config, clock clock, onAccept func(int64) acceptFault) *listener {
	l := &listener{
		inner: inner, tls: config, clock: clock, onAccept: onAccept,
		out: make(chan net.Conn), done: make(chan struct{}), open: map[*tap]struct{}{},
	}
	l.pending.Add(1)
	go l.acceptLoop()
	return l
}

func (l *listener) acceptLoop() {
	defer l.pending.Done()
	for {
		conn, err := l.inner.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for example no file descriptors left: wait and go on
			select {
			case <-l.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		l.mu.Lock()
		l.accepted++
		t := &tap{Conn: conn, clock: l.clock, number: l.accepted, closed: l.forget}
		l.open[t] = struct{}{}
		l.mu.Unlock()
		switch l.onAccept(t.number) {
		case acceptReset:
			resetOnClose(conn)
			_ = t.Close()
		case acceptClose:
			_ = t.Close()
		default:
			var served net.Conn = t
			if l.tls != nil {
				served = tls.Server(t, l.tls)
			}
			if !l.offer(served) {
				return
			}
		}
	}
}

// offer gives a connection to whoever accepts next; it closes it when the server is going down.
func (l *listener) offer(conn net.Conn) bool {
	select {
	case l.out <- conn:
		return true
	case <-l.done:
		_ = conn.Close()
		return false
	}
}

// Accept waits for a connection.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.out:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Addr is the address listened on.
func (l *listener) Addr() net.Addr { return l.inner.Addr() }

// Close stops accepting and waits for the accept loop. Connections stay open.
func (l *listener) Close() error {
	err := l.inner.Close()
	l.stop.Do(func() { close(l.done) })
	l.pending.Wait()
	return err
}

// closeAll closes every connection, also those that faults hold.
func (l *listener) closeAll() {
	l.mu.Lock()
	taps := make([]*tap, 0, len(l.open))
	for t := range l.open {
		taps = append(taps, t)
	}
	l.mu.Unlock()
	for _, t := range taps {
		_ = t.Close()
	}
}

func (l *listener) forget(t *tap) {
	l.mu.Lock()
	delete(l.open, t)
	l.mu.Unlock()
}

// counts are the connections accepted so far and those open now.
func (l *listener) counts() (accepted int64, open int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.accepted, len(l.open)
}

// resetOnClose makes the next Close send RST instead of FIN.
func resetOnClose(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}
