package wire

import (
	"context"
	"net"
	"os"
	"time"
)

// scriptedConn gives prepared pieces, one a read, and takes all writes. After the last piece it gives
// end.
type scriptedConn struct {
	pieces [][]byte
	end    error
}

func (c *scriptedConn) Read(p []byte) (int, error) {
	for len(c.pieces) > 0 && len(c.pieces[0]) == 0 {
		c.pieces = c.pieces[1:]
	}
	if len(c.pieces) == 0 {
		return 0, c.end
	}
	n := copy(p, c.pieces[0])
	c.pieces[0] = c.pieces[0][n:]
	return n, nil
}

func (c *scriptedConn) Write(p []byte) (int, error)      { return len(p), nil }
func (c *scriptedConn) Close() error                     { return nil }
func (c *scriptedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *scriptedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *scriptedConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }

// errHang stands for a server that says nothing more: the read's deadline passes.
var errHang = os.ErrDeadlineExceeded

// doScripted makes an exchange whose answer is the pieces, one a read.
func doScripted(client *Client, request *Request, end error, pieces ...[]byte) Result {
	h := client.targets[0].host
	c := &conn{host: h, protocol: "HTTP/1.1", idleUntil: 1 << 62}
	copied := make([][]byte, len(pieces))
	for i := range pieces {
		copied[i] = append([]byte(nil), pieces[i]...)
	}
	c.lower = &lower{Conn: &scriptedConn{copied, end}, clock: client.options.Clock, delays: &client.delays}
	h.closeIdle()
	h.putIdle(c, 0)
	return client.Do(context.Background(), request)
}
