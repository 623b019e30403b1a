package mockserver

import "time"

// clock reads the machine's monotonic clock in nanoseconds: on Linux CLOCK_MONOTONIC, which every
// process of the machine shares; elsewhere the time since the server started.
type clock struct {
	started time.Time
	baseNs  int64 // what the clock showed at started
}

// newClock ties Go's monotonic reading to the machine's: of several tries the one in which both were
// read closest together.
func newClock() clock {
	var best clock
	shortest := time.Duration(1<<63 - 1)
	for range 20 {
		before := time.Now()
		base := machineNs()
		took := time.Since(before)
		if took < shortest {
			shortest = took
			best = clock{before.Add(took / 2), base}
		}
	}
	return best
}

func (c clock) now() int64 { return c.baseNs + int64(time.Since(c.started)) }

// until is how long to wait for an instant.
func (c clock) until(atNs int64) time.Duration { return time.Duration(atNs - c.now()) }
