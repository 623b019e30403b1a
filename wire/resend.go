package wire

import "time"

// mayResend tells whether the request may be sent once more: it went out on a connection that had been
// idle, the server closed that without a single byte of answer, and cannot have begun to answer.
func (x *exchange) mayResend() bool {
	c := x.conn
	if c == nil || c.uses < 2 || x.fault == nil || !x.fault.closed || x.result.FirstByteNs != Unset || x.guard.over() {
		return false
	}
	now := x.clock.Now()
	if x.limits.passed(now) != nil {
		return false
	}
	if x.fault.unseen || x.result.WrittenNs == Unset {
		return true
	}
	// The count holds the connection's first segment, which carries no byte of ours, as one.
	if acked, known := c.lower.kernel.ackedBytes(); known && acked-1 < c.lower.total {
		return true
	}
	return now-x.result.WrittenNs < int64(resendWithin)+max(c.connectNs, 0)
}

// resendWithin is how soon after a request the end of a connection shows, besides the way to the server,
// that the server was closing it already: llama.cpp's closes each connection after a stream, and takes
// from it, unread, what comes in that moment.
const resendWithin = 100 * time.Millisecond

// again makes the exchange ready for the resend: its timing starts anew.
func (x *exchange) again() {
	kept := x.result
	x.result = emptyResult(x.request, len(x.client.targets))
	x.result.FirstStartNs, x.result.ConnWaitNs, x.result.Resends = kept.FirstStartNs, kept.ConnWaitNs, 1
	x.result.StartNs = x.clock.Now()
	x.fault, x.ended = nil, notEnded
}
