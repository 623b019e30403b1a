package wire

import (
	"context"
	"sync"
	"time"
)

// Burst is a group of requests that are due at one instant. They may be given to Client.Do before that: all is
// made ready then, up to the first write, which waits for Release. Each writes the beginning of its body before
// any writes on, so that they begin together, as requests of several machines would: a core that writes the
// megabytes of one of them meanwhile would make the others late. A request that is cancelled waits no longer.
type Burst struct {
	due      int64
	released chan struct{}

	mu       sync.Mutex
	held     bool          // not released
	unseen   int           // requests that no core has taken up yet, or again after the release
	opening  int           // requests that have been taken up and wait for a connection or their first write
	limited  bool          // the time for the opening ones runs
	together chan struct{} // closed when the requests may write on
	over     bool
}

// openingWait is how long the others wait for those that are opening, once every request has had a core:
// who is slower than that waits for the network.
const openingWait = time.Millisecond

// NewBurst makes a burst of so many requests that are due at the given instant (ns of Options.Clock). Until
// every one of them has been given to Client.Do, and Release has been called, the large ones among the others
// wait after their beginning.
func NewBurst(requests int, due int64) *Burst {
	return &Burst{due: due, held: true, released: make(chan struct{}), unseen: requests, together: make(chan struct{})}
}

// Release lets the requests go out. It is called once, when they are due.
func (b *Burst) Release() {
	b.mu.Lock()
	b.held = false
	b.mu.Unlock()
	close(b.released)
	b.note(0, 0)
}

// takeUp says that a request of the burst has a core.
func (b *Burst) takeUp() { b.note(-1, 1) }

// hold returns when the request may go out, and whether it had to wait for that. One that had needs a core once
// more.
func (b *Burst) hold(ctx context.Context) (waited bool, err error) {
	select {
	case <-b.released:
		return false, nil
	default:
	}
	b.note(1, -1)
	defer b.takeUp()
	select {
	case <-b.released:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// begin says that the first bytes of a request are out, or that it has failed.
func (b *Burst) begin() { b.note(0, -1) }

// wait returns when the requests of the burst may write on, or ctx ends.
func (b *Burst) wait(ctx context.Context) error {
	select {
	case <-b.together:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Burst) note(unseen, opening int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unseen += unseen
	b.opening += opening
	switch {
	case b.unseen > 0 || b.held || b.over:
	case b.opening <= 0:
		b.end()
	case !b.limited:
		b.limited = true
		time.AfterFunc(openingWait, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.end()
		})
	}
}

// end lets the requests write on. The caller holds mu.
func (b *Burst) end() {
	if !b.over {
		b.over = true
		close(b.together)
	}
}
