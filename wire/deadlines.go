package wire

import (
	"errors"
	"fmt"
	"time"
)

// The limits that end an exchange, besides timeoutError.
var (
	errContext = errors.New("the caller's context ended")
	errGrace   = errors.New("the answer had finished, and no end of it came")
	// ErrCancelAfter is the cause of a cancellation by Request.CancelAfter.
	ErrCancelAfter = errors.New("cancelled by the request's own limit")
)

// timeoutError is a time limit that passed.
type timeoutError struct {
	kind string
	text string
}

func (e *timeoutError) Error() string { return e.text }

// deadlines are the instants (ns) at which an exchange ends; 0 stands for none.
type deadlines struct {
	request   int64
	send      int64 // the request must be written by then; only with CancelAfter
	cancel    int64
	firstByte int64
	idle      int64
	grace     int64
	armed     int64 // what the connection's read deadline is set to

	options *Options
	after   *time.Duration
	idleFor time.Duration // between two reads; 0: no limit
}

func (d *deadlines) begin(o *Options, r *Request, now int64) {
	*d = deadlines{options: o, after: r.CancelAfter, idleFor: o.Timeouts.Idle}
	d.request = now + int64(o.Timeouts.Request)
	if r.CancelAfter != nil {
		d.send = now + int64(min(o.Timeouts.CancelSend, o.Timeouts.Request))
	}
}

// written starts what counts from the last byte of the request.
func (d *deadlines) written(now int64) {
	d.send = 0
	if d.after != nil {
		d.cancel = max(now+int64(*d.after), 1)
	}
	if d.options.Timeouts.FirstByte > 0 {
		d.firstByte = now + int64(d.options.Timeouts.FirstByte)
	}
}

// heard restarts what counts from the last read.
func (d *deadlines) heard(now int64) {
	d.firstByte = 0
	if d.idleFor > 0 {
		d.idle = now + int64(d.idleFor)
	}
}

// unwrittenIdle bounds the wait for the answer to a request that could not be written.
const unwrittenIdle = 5 * time.Second

// unwritten bounds the wait for an answer where the request was not written whole.
func (d *deadlines) unwritten(now int64) {
	d.send = 0
	if d.idleFor == 0 || d.idleFor > unwrittenIdle {
		d.idleFor = unwrittenIdle
	}
	d.heard(now)
}

// finished starts the grace, once.
func (d *deadlines) finished(now int64) {
	if d.grace == 0 {
		d.grace = now + int64(d.options.Timeouts.FinishGrace)
	}
}

// endWait is how long the end of the body may take after [DONE]. Nothing is missing then: all that the
// wait can save is the connection, while the session waits for its next turn.
const endWait = 100 * time.Millisecond

// done shortens the grace, once the answer has said that it is over.
func (d *deadlines) done(now int64) {
	until := now + int64(min(d.options.Timeouts.FinishGrace, endWait))
	if d.grace == 0 || until < d.grace {
		d.grace = until
	}
}

// errorBodyWait bounds the wait for the body of an answer whose status says all already.
const errorBodyWait = 10 * time.Second

// refused starts the time that an error's body has to come.
func (d *deadlines) refused(now int64) { d.grace = now + int64(errorBodyWait) }

// resumed ends the grace: another choice goes on.
func (d *deadlines) resumed() { d.grace = 0 }

// next is the earliest instant.
func (d *deadlines) next() int64 {
	next := d.request
	for _, at := range [...]int64{d.cancel, d.firstByte, d.idle, d.grace} {
		if at != 0 && at < next {
			next = at
		}
	}
	return next
}

// passed gives the limit that has passed, nil where none has.
func (d *deadlines) passed(now int64) error {
	t := &d.options.Timeouts
	over := func(at int64) bool { return at != 0 && now >= at }
	switch {
	case over(d.cancel):
		return ErrCancelAfter
	case over(d.grace):
		return errGrace
	case over(d.request):
		return &timeoutError{typeTimeout, fmt.Sprintf("the request timeout of %v passed", t.Request)}
	case over(d.send):
		return &timeoutError{typeSendTimeout, fmt.Sprintf("the request was not written within %v", min(t.CancelSend, t.Request))}
	case over(d.firstByte):
		return &timeoutError{typeTimeout, fmt.Sprintf("no byte of an answer came within %v", t.FirstByte)}
	case over(d.idle):
		return &timeoutError{typeReadTimeout, fmt.Sprintf("nothing came for %v", d.idleFor)}
	}
	return nil
}
