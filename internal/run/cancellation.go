package run

import (
	"encoding/binary"
	"errors"
	"time"

	"agentx/sched"
	"agentx/wire"

	"github.com/zeebo/blake3"
)

// cancellation picks requests that are given up on purpose (--request-cancellation-rate): of the
// profiling phase, each by a draw of its own, a while after their last byte was written (spec wire 5).
type cancellation struct {
	seed  uint64
	share float64 // 0 to 1
	after time.Duration
}

func newCancellation(o *ServerOptions, seed uint64) cancellation {
	return cancellation{seed: seed, share: max(o.CancellationRate, 0) / 100, after: seconds(o.CancellationDelay)}
}

// of gives the time after which a request is cancelled, nil for most.
func (c *cancellation) of(x *exchange) *time.Duration {
	if c.share <= 0 || x.dispatch.Phase != sched.PhaseProfiling {
		return nil
	}
	hasher := blake3.New()
	_, _ = hasher.WriteString("request cancellation")
	var numbers [4 * 8]byte
	for i, number := range []uint64{c.seed, uint64(x.stream.play.id), uint64(x.stream.conversation), uint64(x.turn)} {
		binary.BigEndian.PutUint64(numbers[8*i:], number)
	}
	_, _ = hasher.Write(numbers[:])
	var digest [8]byte
	copy(digest[:], hasher.Sum(nil))
	if draw := float64(binary.BigEndian.Uint64(digest[:])>>11) / (1 << 53); draw >= c.share {
		return nil
	}
	return &c.after
}

// cancellationStatus and cancellationType are the peer's.
const (
	cancellationStatus = 499
	cancellationType   = "RequestCancellationError"
)

// settleCancelled makes an error of a request that ended by its own limit: nobody but the user's wish
// cancelled it, and what depends on it goes on as after an error.
func settleCancelled(result *wire.Result) {
	if result.Outcome != wire.OutcomeCancelled || !errors.Is(result.CancelCause, wire.ErrCancelAfter) {
		return
	}
	code := cancellationStatus
	result.Outcome, result.Class = wire.OutcomeError, wire.ClassTimeout
	result.Err = &wire.Error{Code: &code, Type: cancellationType, Message: "cancelled on purpose (--request-cancellation-rate)"}
}
