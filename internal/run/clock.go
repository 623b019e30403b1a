package run

import (
	"time"
)

// clock is the run's monotonic clock: ns since the run's start. Every stamp of a run comes from it,
// so durations do not depend on steps of the wall clock.
type clock struct {
	base time.Time // carries the monotonic reading of the start
	wall func() int64
}

func newClock() *clock { return &clock{base: time.Now(), wall: wallNs} }

func wallNs() int64 { return time.Now().UnixNano() }

// Now is the time since run start in ns.
func (c *clock) Now() int64 { return int64(time.Since(c.base)) }

// Wall is the wall clock now, in ns since the Unix epoch. It is for anchors only.
func (c *clock) Wall() int64 { return c.wall() }
