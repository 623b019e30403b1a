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

// TestWhatEndsAtTheStartIsNotInTheWindow: under a virtual clock the last warmup request ends at the very
// instant at which profiling starts, where the first request of profiling begins.
func TestWhatEndsAtTheStartIsNotInTheWindow(t *testing.T) {
	record := func(start, last Stamp) *Record {
		r := NewRecord()
		r.Outcome, r.Streams = OutcomeOK, true
		r.Times.Start, r.Times.First, r.Times.Last = start, last, last
		r.Tokens.Input, r.Tokens.Output = 100, 1
		return r
	}
	w := OutputIn([]*Record{record(1e9, 5e9), record(5e9, 6e9), record(4e9, 6e9)}, Window{5e9, 15e9})
	if w.Completed != 2 || w.CompletedISL != 200 || w.InputTokens != 200 || w.PeakRequests1s != 1 {
		t.Errorf("%d completed, %d and %v input tokens, %v requests/s; want 2, 200, 200, 1", w.Completed, w.CompletedISL, w.InputTokens, w.PeakRequests1s)
	}
}
