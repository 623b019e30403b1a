package run

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"agentx/eventlog"
	"agentx/sched"
	"agentx/wire"
)

// abandonAfter is how long the machine waits for the end of a cancelled exchange (design: one dispatch
// gets exactly one end).
const abandonAfter = 10 * time.Second

// exchange is one dispatched request on its way. The loop owns it; its goroutine only reads.
type exchange struct {
	promptFacts
	id        sched.ExchangeID
	dispatch  *sched.Dispatch
	roles     []byte // of the messages, for the chat template; nil where there is none
	maxTokens int64
	burst     *wire.Burst

	context context.Context
	cancel  context.CancelCauseFunc
	told    atomic.Bool // the machine was told how it ended
	abandon *time.Timer // armed by a cancel
	chunks  *eventlog.ChunkSink
}

// claimEnd is true for the first caller: the one that tells the machine of the end.
func (x *exchange) claimEnd() bool { return x.told.CompareAndSwap(false, true) }

// cancelledFor is the cause of a cancelled exchange's context.
type cancelledFor struct{ reason sched.Reason }

func (c *cancelledFor) Error() string { return "cancelled: " + string(c.reason) }

// cancelReason is why the machine gave an exchange up, or empty when it did not.
func cancelReason(result *wire.Result) string {
	if cancelled := (*cancelledFor)(nil); errors.As(result.CancelCause, &cancelled) {
		return string(cancelled.reason)
	}
	return ""
}
