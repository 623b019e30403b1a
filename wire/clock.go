package wire

import "time"

// Unset is the value of a stamp, duration or count that did not happen or is not known. It is not 0.
const Unset int64 = -1

// Clock reads the monotonic clock as ns since an epoch that the caller chose, usually the start of its
// run. All stamps of a Result are on it.
type Clock struct {
	epoch time.Time
}

// NewClock counts from epoch, which must carry a monotonic reading (as time.Now gives it).
func NewClock(epoch time.Time) Clock { return Clock{epoch: epoch} }

// Now is the time since the epoch in ns.
func (c Clock) Now() int64 { return int64(time.Since(c.epoch)) }
