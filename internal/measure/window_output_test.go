package measure

import (
	"math"
	"testing"
)

// TestPeakNeedsAWholeWindow: a run that is shorter than the span has no peak, which is not a peak of 0.
func TestPeakNeedsAWholeWindow(t *testing.T) {
	for _, c := range []struct {
		seconds  float64
		one, ten float64 // requests/s; two began in the third second
	}{{9.9, 2, math.NaN()}, {0.5, math.NaN(), math.NaN()}, {10, 2, 0.3}, {20.5, 2, 0.3}} {
		var records []*Record
		for _, at := range []Stamp{2e9, 2e9 + 1, 9e9} {
			r := NewRecord()
			r.Times.Start = at
			records = append(records, r)
		}
		w := OutputIn(records, Window{0, Stamp(c.seconds * 1e9)})
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !same(w.PeakRequests1s, c.one) || !same(w.PeakRequests10s, c.ten) {
			t.Errorf("%v s: peaks %v and %v, want %v and %v", c.seconds, w.PeakRequests1s, w.PeakRequests10s, c.one, c.ten)
		}
	}
}
