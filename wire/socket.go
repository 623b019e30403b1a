package wire

import (
	"errors"
	"syscall"
)

// leastBuffer is where halving a buffer size stops.
const leastBuffer = 1024

// setBuffers sets the socket buffers that were asked for; a size that the system refuses for want of
// memory is halved.
func setBuffers(o *SocketOptions, set func(name, value int) error, send, receive int) error {
	for _, buffer := range [...]struct{ name, size int }{{send, o.SendBuffer}, {receive, o.ReceiveBuffer}} {
		for size := buffer.size; size >= leastBuffer; size /= 2 {
			err := set(buffer.name, size)
			if err == nil {
				break
			}
			if !errors.Is(err, syscall.ENOBUFS) {
				return err
			}
		}
	}
	return nil
}
