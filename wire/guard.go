package wire

import (
	"context"
	"sync"
	"time"
)

// guard wakes an exchange that waits on its connection when the caller's context ends. Deadlines are set
// through it, so that a new one cannot undo the wake.
type guard struct {
	mu    sync.Mutex
	conn  *lower // the connection in use, nil for none
	ended bool
	ctx   context.Context
	fired chan struct{}
	stop  func() bool
}

// watch begins to watch ctx.
func (g *guard) watch(ctx context.Context) {
	g.conn, g.ended, g.stop, g.ctx = nil, false, nil, ctx
	if ctx.Done() == nil {
		return
	}
	g.fired = make(chan struct{})
	g.stop = context.AfterFunc(ctx, func() {
		g.mu.Lock()
		g.ended = true
		if g.conn != nil {
			g.conn.Conn.SetDeadline(longAgo())
		}
		g.mu.Unlock()
		close(g.fired)
	})
}

// release ends the watch; afterwards the guard may be used again.
func (g *guard) release() {
	g.attach(nil)
	if g.stop != nil && !g.stop() {
		<-g.fired
	}
	g.stop, g.ctx = nil, nil
}

// cause says why the context ended.
func (g *guard) cause() error { return context.Cause(g.ctx) }

// attach names the connection to wake; nil for none.
func (g *guard) attach(c *lower) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conn = c
	if c != nil && g.ended {
		c.Conn.SetDeadline(longAgo())
	}
}

// over tells whether the context has ended.
func (g *guard) over() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ended
}

func (g *guard) readUntil(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil && !g.ended {
		g.conn.Conn.SetReadDeadline(t)
	}
}

func (g *guard) writeUntil(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil && !g.ended {
		g.conn.Conn.SetWriteDeadline(t)
	}
}

// longAgo is a deadline that has passed.
func longAgo() time.Time { return time.Unix(1, 0) }
