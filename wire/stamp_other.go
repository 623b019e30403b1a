//go:build !linux

package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// kernelReader reads without kernel stamps: only Linux has them in the form that is needed.
type kernelReader struct {
	held    []byte // read while peeking
	heldEnd error
}

func (k *kernelReader) arm(net.Conn, Clock, bool) {}

func (k *kernelReader) read(c net.Conn, p []byte) (n int, wall int64, err error) {
	if len(k.held) > 0 {
		n = copy(p, k.held)
		k.held = k.held[n:]
		return n, 0, nil
	}
	if k.heldEnd != nil {
		return 0, 0, k.heldEnd
	}
	n, err = c.Read(p)
	return n, 0, err
}

// errNothing says that a try to read found nothing.
var errNothing = errors.New("nothing to read")

// shortWait is how long a try to read waits, where a socket cannot be asked without waiting.
const shortWait = time.Millisecond

func (k *kernelReader) try(c net.Conn, p []byte) (n int, wall int64, err error) {
	if len(k.held) > 0 || k.heldEnd != nil {
		return k.read(c, p)
	}
	c.SetReadDeadline(time.Now().Add(shortWait))
	n, err = c.Read(p)
	c.SetReadDeadline(time.Time{})
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, 0, errNothing
	}
	return n, 0, err
}

func (k *kernelReader) peek(c net.Conn) (n int, err error) {
	var one [1]byte
	n, _, err = k.try(c, one[:])
	if n > 0 {
		k.held = append(k.held, one[:n]...)
		return n, nil
	}
	if err != nil && !errors.Is(err, errNothing) {
		k.heldEnd = err
	}
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

func (k *kernelReader) delay(_, _, _ int64) (int64, bool) { return 0, false }

func (k *kernelReader) ackedBytes() (int64, bool) { return 0, false }

func setSocketOptions(fd uintptr, o *SocketOptions) error {
	return setBuffers(o, func(name, value int) error { return setInt(fd, syscall.SOL_SOCKET, name, value) }, syscall.SO_SNDBUF, syscall.SO_RCVBUF)
}
