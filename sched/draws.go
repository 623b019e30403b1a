package sched

// Draws repeats the sequence of traces that a run's sampler gives, for checks of a log.
type Draws struct{ sampler *sampler }

// NewDraws begins the sequence for a number of traces.
func NewDraws(kind Sampler, traces int, seed uint64) (*Draws, error) {
	s, err := newSampler(kind, traces, seed)
	if err != nil {
		return nil, err
	}
	return &Draws{sampler: s}, nil
}

// Next is the next trace, as an index in data set order.
func (d *Draws) Next() int {
	trace, _ := d.sampler.draw()
	return trace
}

// StartMs is the t* that a lane draws in a trace between two bounds (2.7, 2.8); low where they are equal.
func StartMs(seed uint64, trace string, lane LaneID, low, high float64) float64 {
	if high == low {
		return low
	}
	return between(low, high, newPCG(trajectorySeed(seed, trace, lane)).unit())
}

// NanosecondsOf converts a recorded time as the machine does (round half to even).
func NanosecondsOf(ms float64) int64 { return toNs(ms) }
