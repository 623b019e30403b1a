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

// both reads the monotonic clock and, for the same instant, the wall clock in ns since 1970: kernel
// stamps are on the wall clock and are moved by the difference.
func (c Clock) both() (mono, wall int64) {
	now := time.Now()
	return int64(now.Sub(c.epoch)), now.UnixNano()
}

// at turns ns since the epoch back into a time, for deadlines.
func (c Clock) at(ns int64) time.Time { return c.epoch.Add(time.Duration(ns)) }
