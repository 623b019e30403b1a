package wire

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// stall is how long a write waits before the client looks whether an answer has come already.
const stall = 50 * time.Millisecond

// errAnswered ends a write because the server has answered before it had the request.
var errAnswered = errors.New("the server answered before the request was written")

// conn is one connection to a server. While an exchange has it, meter is that exchange's.
type conn struct {
	host  *host
	lower *lower
	tls   *tls.Conn // nil without TLS
	h2    *h2conn   // nil for HTTP/1.1

	protocol      string
	local, remote string
	uses          int   // exchanges begun
	unused        bool  // opened ahead, and idle since
	idleUntil     int64 // ns: not to be reused after
	dnsNs         int64
	connectNs     int64
	tlsNs         int64
}

// Read reads the plain bytes of the connection.
func (c *conn) Read(p []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Read(p)
	}
	return c.lower.Read(p)
}

// Write writes the plain bytes of the connection.
func (c *conn) Write(p []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Write(p)
	}
	return c.lower.Write(p)
}

// WriteParts writes the parts, in one call of the system where that can be, and leaves none of them.
func (c *conn) WriteParts(parts *net.Buffers) (n int, err error) {
	if c.tls == nil && len(*parts) > 1 {
		return c.lower.WriteParts(parts)
	}
	for len(*parts) > 0 && err == nil {
		var more int
		more, err = c.Write((*parts)[0])
		*parts = (*parts)[1:]
		n += more
	}
	return n, err
}

func (c *conn) close() {
	if c.h2 != nil {
		c.h2.bye()
	}
	c.lower.Conn.Close() // without TLS's closing alert: writing it could wait for the peer
}

// meter counts what passes below TLS in one exchange. Stamps are ns on the client's clock.
type meter struct {
	writes, reads  int
	firstWriteNs   int64 // before the first write
	lastWriteNs    int64 // before the last write
	writtenNs      int64 // after the last write
	stampNs        int64 // of the last read
	delayMaxNs     int64
	kernelStamps   int
	keep           bool
	writeList      []IO
	readList       []IO
	written, taken int64 // bytes below TLS
}

func (m *meter) reset(keep bool) {
	*m = meter{firstWriteNs: Unset, lastWriteNs: Unset, writtenNs: Unset, stampNs: Unset, keep: keep}
}

// lower is the socket below TLS: it stamps each write and read.
type lower struct {
	net.Conn
	clock  Clock
	meter  *meter
	guard  *guard
	stall  func() error // asked when a write has stalled; an error ends the write
	delays *Delays
	kernel kernelReader
	total  int64 // bytes written in the connection's life
}

// Write writes all of p.
func (l *lower) Write(p []byte) (int, error) {
	return l.write(func(done int) (int, error) { return l.Conn.Write(p[done:]) })
}

// WriteParts writes all of parts, which it takes off the list.
func (l *lower) WriteParts(parts *net.Buffers) (int, error) {
	return l.write(func(int) (int, error) {
		n, err := parts.WriteTo(l.Conn)
		return int(n), err
	})
}

// write goes on until all is written. Where the socket does not take it for a while, stall decides.
func (l *lower) write(rest func(done int) (int, error)) (int, error) {
	done := 0
	for {
		before := l.clock.Now()
		n, err := rest(done)
		after := l.clock.Now()
		done += n
		l.total += int64(n)
		l.wrote(before, after, n)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return done, err
		}
		if l.stall == nil {
			return done, err
		}
		if err := l.stall(); err != nil {
			return done, err
		}
		l.guard.writeUntil(time.Now().Add(stall))
	}
}

func (l *lower) wrote(before, after int64, n int) {
	m := l.meter
	if m == nil {
		return
	}
	m.writes++
	if m.firstWriteNs == Unset {
		m.firstWriteNs = before
	}
	m.lastWriteNs, m.writtenNs = before, after
	m.written += int64(n)
	if m.keep {
		m.writeList = append(m.writeList, IO{after, n})
	}
}

// Read reads once and stamps what it read.
func (l *lower) Read(p []byte) (int, error) {
	n, kernelWall, err := l.kernel.read(l.Conn, p)
	l.stamp(n, kernelWall)
	return n, err
}

// stamp takes the time of a read: the kernel's receive time of its last segment, moved to our clock, or
// the time now where there is none or it is not plausible.
func (l *lower) stamp(n int, kernelWall int64) {
	if n <= 0 || l.meter == nil {
		return
	}
	m := l.meter
	mono, wall := l.clock.both()
	at := mono
	if kernelWall != 0 {
		if delay, ok := l.kernel.delay(mono, wall, kernelWall); ok && mono-delay >= m.stampNs {
			at = mono - delay
			m.kernelStamps++
			m.delayMaxNs = max(m.delayMaxNs, delay)
			l.delays.add(delay)
		}
	}
	m.reads++
	m.taken += int64(n)
	m.stampNs = at
	if m.keep {
		m.readList = append(m.readList, IO{at, n})
	}
}

// rawConn gives the system's view of a connection, nil where it has none.
func rawConn(c net.Conn) syscall.RawConn {
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}
