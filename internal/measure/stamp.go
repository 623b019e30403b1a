package measure

import "math"

// Stamp is a moment in nanoseconds since run start. NoStamp means that it did not happen or is not
// known, which is not 0.
type Stamp int64

// NoStamp is the Stamp of something that did not happen.
const NoStamp Stamp = math.MinInt64

// Known reports whether the moment is known.
func (s Stamp) Known() bool { return s != NoStamp }

// Since is the nanoseconds from earlier to s; false when either is not known.
func (s Stamp) Since(earlier Stamp) (int64, bool) {
	if !s.Known() || !earlier.Known() {
		return 0, false
	}
	return int64(s - earlier), true
}

// Count is a number of tokens or blocks. NoCount means not reported, which is not 0.
type Count int64

// NoCount is the Count of something that nobody counted.
const NoCount Count = math.MinInt64

// Known reports whether the count is known.
func (c Count) Known() bool { return c != NoCount }

// Or is c, or other where c is not known.
func (c Count) Or(other int64) int64 {
	if c.Known() {
		return int64(c)
	}
	return other
}

// sumCounts adds the known ones of the counts; not known when none is.
func sumCounts(counts ...Count) Count {
	total := NoCount
	for _, c := range counts {
		if c.Known() {
			total = Count(total.Or(0)) + c
		}
	}
	return total
}
