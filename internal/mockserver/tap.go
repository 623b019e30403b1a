package mockserver

import (
	"net"
	"sync/atomic"
)

// tap is a connection that remembers when bytes went through it, below TLS.
type tap struct {
	net.Conn
	clock  clock
	number int64 // of the connection, from 1

	requests   atomic.Int64 // that were served on it
	firstRead  atomic.Int64 // of the present request; 0 = none yet
	lastRead   atomic.Int64
	firstWrite atomic.Int64 // of the present answer; 0 = none yet
	lastWrite  atomic.Int64
	unread     atomic.Bool // the request was answered before its body was read
	closed     func(*tap)
}

// Read stamps the moment at which bytes were there.
func (t *tap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if n > 0 {
		now := t.clock.now()
		t.firstRead.CompareAndSwap(0, now)
		t.lastRead.Store(now)
	}
	return n, err
}

// Write stamps the moment before bytes are handed to the kernel.
func (t *tap) Write(p []byte) (int, error) {
	now := t.clock.now()
	t.firstWrite.CompareAndSwap(0, now)
	t.lastWrite.Store(now)
	return t.Conn.Write(p)
}

// CloseWrite sends FIN and leaves the connection readable.
func (t *tap) CloseWrite() error {
	if tcp, ok := t.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return nil
}

// Close closes the connection and tells the listener, which counts.
func (t *tap) Close() error {
	err := t.Conn.Close()
	t.closed(t)
	return err
}

// unreadConn is a connection whose first bytes were read already.
type unreadConn struct {
	net.Conn
	unread []byte
}

// Read gives the unread bytes first.
func (c *unreadConn) Read(p []byte) (int, error) {
	if len(c.unread) > 0 {
		n := copy(p, c.unread)
		c.unread = c.unread[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// CloseWrite sends FIN and leaves the connection readable.
func (c *unreadConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
