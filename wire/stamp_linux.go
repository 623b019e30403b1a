package wire

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kernelReader reads a socket together with the kernel's receive time of what it reads. It is for one
// goroutine at a time.
type kernelReader struct {
	raw     syscall.RawConn
	attempt func(fd uintptr) bool // kept, so that a read allocates nothing
	once    func(fd uintptr)

	buffer  []byte
	flags   int
	n       int
	wall    int64
	err     error
	control [64]byte
	offset  int64 // wall minus monotonic clock at the read before; a change is a step of the wall clock
}

// arm prepares a TCP connection; without the system's help reads have no kernel stamp.
func (k *kernelReader) arm(c net.Conn, clock Clock, stamps bool) {
	k.raw = rawConn(c)
	if k.raw == nil {
		return
	}
	k.attempt = k.receive
	k.once = func(fd uintptr) { k.receive(fd) }
	mono, wall := clock.both()
	k.offset = wall - mono
	if stamps {
		k.raw.Control(func(fd uintptr) {
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		})
	}
}

// receive is one try; false means that there is nothing to read yet.
func (k *kernelReader) receive(fd uintptr) bool {
	for {
		n, oobn, _, _, err := unix.Recvmsg(int(fd), k.buffer, k.control[:], k.flags)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			k.err = err
			return k.flags&unix.MSG_DONTWAIT != 0
		}
		k.n, k.err = n, err
		k.wall = controlTime(k.control[:max(oobn, 0)])
		return true
	}
}

// read fills p once. wall is the kernel's receive time in ns since 1970, 0 where there is none.
func (k *kernelReader) read(c net.Conn, p []byte) (n int, wall int64, err error) {
	if k.raw == nil || len(p) == 0 {
		n, err = c.Read(p)
		return n, 0, err
	}
	k.buffer, k.flags, k.n, k.wall, k.err = p, 0, 0, 0, nil
	if err := k.raw.Read(k.attempt); err != nil {
		return 0, 0, err
	}
	return k.result()
}

func (k *kernelReader) result() (n int, wall int64, err error) {
	k.buffer = nil
	switch {
	case k.err != nil:
		return 0, 0, &net.OpError{Op: "read", Net: "tcp", Err: k.err}
	case k.n == 0:
		return 0, 0, io.EOF
	}
	return k.n, k.wall, nil
}

// errNothing says that a try to read found nothing.
var errNothing = errors.New("nothing to read")

// try reads what is there without waiting.
func (k *kernelReader) try(_ net.Conn, p []byte) (n int, wall int64, err error) {
	return k.now(p, 0)
}

// peek tells what is there without taking it: n bytes, io.EOF, or errNothing.
func (k *kernelReader) peek(_ net.Conn) (n int, err error) {
	var one [1]byte
	n, _, err = k.now(one[:], unix.MSG_PEEK)
	return n, err
}

func (k *kernelReader) now(p []byte, flags int) (n int, wall int64, err error) {
	if k.raw == nil {
		return 0, 0, errNothing
	}
	k.buffer, k.flags, k.n, k.wall, k.err = p, flags|unix.MSG_DONTWAIT, 0, 0, nil
	if err := k.raw.Control(k.once); err != nil {
		return 0, 0, err
	}
	if k.err == unix.EAGAIN {
		k.buffer = nil
		return 0, 0, errNothing
	}
	return k.result()
}

// maxDelay is the longest time that a read may plausibly lie behind its bytes' arrival.
const maxDelay = int64(30 * time.Second)

// maxStep is the change of the distance between the two clocks that counts as a step of the wall clock.
const maxStep = int64(2 * time.Millisecond)

// delay is how long ago the kernel received what was read; false where that is not plausible.
func (k *kernelReader) delay(mono, wall, kernelWall int64) (int64, bool) {
	offset := wall - mono
	step := offset - k.offset
	k.offset = offset
	delay := wall - kernelWall
	return delay, delay >= 0 && delay <= maxDelay && step <= maxStep && step >= -maxStep
}

// controlTime finds the time stamp among control messages.
func controlTime(control []byte) int64 {
	const header = unix.SizeofCmsghdr
	if len(control) < header+int(unsafe.Sizeof(unix.Timespec{})) {
		return 0
	}
	message := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
	if message.Level != unix.SOL_SOCKET || message.Type != unix.SCM_TIMESTAMPNS {
		return 0
	}
	stamp := (*unix.Timespec)(unsafe.Pointer(&control[header]))
	return stamp.Nano()
}

// ackedBytes is how many bytes of the connection's life the peer's system has acknowledged.
func (k *kernelReader) ackedBytes() (int64, bool) {
	if k.raw == nil {
		return 0, false
	}
	var info *unix.TCPInfo
	var failure error
	err := k.raw.Control(func(fd uintptr) {
		info, failure = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if err != nil || failure != nil {
		return 0, false
	}
	return int64(info.Bytes_acked), true
}

// setSocketOptions sets what the options ask for on a TCP socket before it connects.
func setSocketOptions(fd uintptr, o *SocketOptions) error {
	set := func(level, name, value int) error { return unix.SetsockoptInt(int(fd), level, name, value) }
	if o.NotSentLowat > 0 {
		set(unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, o.NotSentLowat) // an old kernel may lack it
	}
	if o.UserTimeout > 0 {
		set(unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(o.UserTimeout/time.Millisecond))
	}
	set(unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
	return setBuffers(o, func(name, value int) error { return set(unix.SOL_SOCKET, name, value) }, unix.SO_SNDBUF, unix.SO_RCVBUF)
}
