package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// pool hands out connections by the reuse policy.
type pool struct {
	options *Options
	dialer  *dialer
	slots   chan struct{} // one for each exchange under way

	mu     sync.Mutex
	sticky map[string]*conn // by session
	closed bool

	opened, reused, stale, resends atomic.Int64
}

// Stats counts connections since the client was made.
type Stats struct {
	Opened  int64 // connections made
	Reused  int64 // exchanges on a connection that had carried one before
	Stale   int64 // idle connections dropped because the server had closed them or their time had passed
	Resends int64
}

func newPool(o *Options, d *dialer) *pool {
	return &pool{options: o, dialer: d, slots: make(chan struct{}, o.MaxConns), sticky: map[string]*conn{}}
}

// enter waits for a slot, at most until the given ns. It gives the time waited.
func (p *pool) enter(ctx context.Context, until int64) (waited int64, err error) {
	select {
	case p.slots <- struct{}{}:
		return 0, nil
	default:
	}
	begin := p.options.Clock.Now()
	ctx, cancel := context.WithDeadline(ctx, p.options.Clock.at(until))
	defer cancel()
	select {
	case p.slots <- struct{}{}:
		return p.options.Clock.Now() - begin, nil
	case <-ctx.Done():
		return p.options.Clock.Now() - begin, ctx.Err()
	}
}

func (p *pool) leave() { <-p.slots }

// underway is how many exchanges have a slot.
func (p *pool) underway() int { return len(p.slots) }

// get gives a connection for a request: a kept one where the policy has one (fresh: never), else a new
// one, opened at most until the given ns. With an error the connection holds only the times of the attempt.
func (p *pool) get(ctx context.Context, h *host, session string, fresh bool, until int64) (*conn, error) {
	if !fresh {
		if c := p.kept(h, session); c != nil {
			c.uses++
			p.reused.Add(1)
			return c, nil
		}
	}
	c, err := p.dialer.dial(ctx, h, until)
	if err == nil {
		c.uses++
		p.opened.Add(1)
	}
	return c, err
}

// openAhead opens a connection that a request to h finds idle.
func (p *pool) openAhead(ctx context.Context, h *host) error {
	now := p.options.Clock.Now()
	c, err := p.dialer.dial(ctx, h, now+int64(p.options.Timeouts.Connect))
	if err != nil {
		return err
	}
	c.uses, c.unused = 1, true // it may be dead when a request comes, like any idle one
	p.opened.Add(1)
	p.put(c, "", false, 0)
	return nil
}

func (p *pool) kept(h *host, session string) *conn {
	now := p.options.Clock.Now()
	switch p.options.Reuse {
	case ReusePooled:
		c, stale := h.takeIdle(now)
		p.stale.Add(int64(stale))
		return c
	case ReuseSticky:
		p.mu.Lock()
		c := p.sticky[session]
		delete(p.sticky, session)
		p.mu.Unlock()
		if c == nil {
			return nil
		}
		if c.host == h && c.idleUntil > now && c.alive() {
			return c
		}
		c.close()
		p.stale.Add(1)
	}
	return nil
}

// put takes a connection back after an exchange that ended well; hint is how long the server keeps it,
// 0 where it does not say.
func (p *pool) put(c *conn, session string, lastTurn bool, hint time.Duration) {
	keep := p.options.IdleTimeout
	if hint > 0 {
		keep = min(keep, max(hint-time.Second, hint/2))
	}
	now := p.options.Clock.Now()
	c.idleUntil = now + int64(keep)
	c.lower.meter, c.lower.guard, c.lower.stall = nil, nil, nil
	p.mu.Lock()
	closed := p.closed
	if !closed && p.options.Reuse == ReuseSticky && !lastTurn {
		p.sticky[session], c = c, p.sticky[session] // one that was there has been overtaken
	}
	p.mu.Unlock()
	switch {
	case c == nil:
	case closed || p.options.Reuse != ReusePooled:
		c.close()
	default:
		c.host.putIdle(c, now)
	}
}

// endSession closes the sticky connection of a session.
func (p *pool) endSession(session string) {
	p.mu.Lock()
	c := p.sticky[session]
	delete(p.sticky, session)
	p.mu.Unlock()
	if c != nil {
		c.close()
	}
}

func (p *pool) close(hosts []*host) {
	p.mu.Lock()
	p.closed = true
	sticky := p.sticky
	p.sticky = map[string]*conn{}
	p.mu.Unlock()
	for _, c := range sticky {
		c.close()
	}
	for _, h := range hosts {
		h.closeIdle()
	}
}

// alive tells whether an idle connection can carry another request: the server has not closed it, and
// nothing unexpected has come.
func (c *conn) alive() bool {
	if c.h2 != nil {
		return c.h2.idle()
	}
	n, err := c.lower.kernel.peek(c.lower.Conn)
	if errors.Is(err, errNothing) {
		return true
	}
	if err != nil || n == 0 || c.tls == nil {
		return false
	}
	// Under TLS what waits may be a session ticket, or the alert that closes.
	return c.quiet()
}

// quiet lets TLS take what has come; only its own messages may be among it.
func (c *conn) quiet() bool {
	var one [1]byte
	c.lower.SetReadDeadline(time.Now().Add(time.Millisecond))
	defer c.lower.SetReadDeadline(time.Time{})
	n, err := c.tls.Read(one[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// isClosed tells whether an error means that the peer has closed the connection.
func isClosed(err error) bool {
	var alert tls.AlertError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) || errors.As(err, &alert)
}
