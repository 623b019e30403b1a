package hub

import (
	"context"
	"errors"
	"io"
	"time"
)

var errStalled = errors.New("no byte came for too long")

// watch ends a request that brings nothing for the stall time.
type watch struct {
	context.Context // of the request
	stop            context.CancelCauseFunc
	timer           *time.Timer
	stall           time.Duration
}

func (c *Client) watch(ctx context.Context) *watch {
	w := &watch{stall: c.config.Stall}
	w.Context, w.stop = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(w.stall, func() { w.stop(errStalled) })
	return w
}

func (w *watch) end() {
	w.timer.Stop()
	w.stop(nil)
}

// stalled reports whether the watch has ended the request.
func (w *watch) stalled() bool { return errors.Is(context.Cause(w.Context), errStalled) }

// reader reads an answer's body; every piece that comes keeps the request alive and is told to count.
func (w *watch) reader(in io.Reader, count func(n int)) io.Reader {
	return &watchedReader{w, in, count}
}

type watchedReader struct {
	watch *watch
	in    io.Reader
	count func(n int)
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.watch.timer.Reset(r.watch.stall)
	r.count(n)
	return n, err
}

// why is the reason that an answer, or its body, did not come, as far as it is not the caller's wish: what
// names what was asked for.
func (w *watch) why(err error, what string) error {
	var e *Error
	switch {
	case w.stalled():
		err = errStalled
	case errors.As(err, &e):
		return err
	}
	e = failed(Unreachable, err, "%s broke off", what)
	e.again = true
	return e
}
