package measure

import (
	"math"
	"slices"
	"strconv"
)

// SeriesStats are the statistics of a series over a window; which of them are there depends on the type
// (spec exports 11).
type SeriesStats struct {
	Samples int
	Gauge   *Stats        // gauge and untyped: of the samples in the window
	Counter *Increase     // counter
	Parts   *Histogrammed // histogram and summary
}

// Increase is by how much a counter grew between its first and last sample in the window; a counter that
// falls began again from 0.
type Increase struct {
	Total   float64
	Seconds float64
}

// Rate is the increase per second; 0 with a single sample.
func (i *Increase) Rate() float64 {
	if i.Seconds <= 0 {
		return 0
	}
	return i.Total / i.Seconds
}

// Histogrammed is what a histogram counted in the window.
type Histogrammed struct {
	Count, Sum Increase
	Buckets    []Bucket // cumulated, ascending; empty for a summary
}

// Bucket is how many observations were at most Bound.
type Bucket struct {
	Bound float64
	Text  string // of Bound, without an exponent
	Count float64
}

// Quantile is an estimate by linear interpolation inside the bucket, as Prometheus does it; false where
// there are no observations or no buckets.
func (h *Histogrammed) Quantile(q float64) (float64, bool) {
	if len(h.Buckets) == 0 || h.Buckets[len(h.Buckets)-1].Count <= 0 {
		return 0, false
	}
	want := q / 100 * h.Buckets[len(h.Buckets)-1].Count
	for i, b := range h.Buckets {
		if b.Count < want {
			continue
		}
		low, below := 0.0, 0.0
		if i > 0 {
			low, below = h.Buckets[i-1].Bound, h.Buckets[i-1].Count
		}
		if math.IsInf(b.Bound, 1) {
			return low, i > 0
		}
		if b.Count == below {
			return b.Bound, true
		}
		return low + float64((b.Bound-low)*(want-below)/(b.Count-below)), true
	}
	return 0, false
}

// Over are the statistics of a series of a metric over a window; false without a sample in it.
func (s *Series) Over(kind string, window Window) (SeriesStats, bool) {
	switch kind {
	case "histogram", "summary":
		return s.histogram(window)
	case "counter":
		increase, n := increaseOf(s.Points, window)
		return SeriesStats{Samples: n, Counter: &increase}, n > 0
	}
	var values []float64
	for _, p := range s.Points {
		if inWindow(p.At, window) && !math.IsNaN(p.Value) && !math.IsInf(p.Value, 0) {
			values = append(values, p.Value)
		}
	}
	stats, ok := Distribute(values)
	return SeriesStats{Samples: len(values), Gauge: &stats}, ok
}

func inWindow(at Stamp, window Window) bool { return at >= window.From && at <= window.To }

// increaseOf adds up the steps between samples in a window.
func increaseOf(points []Point, window Window) (Increase, int) {
	var total adding
	increase, n := Increase{}, 0
	var before Point
	for _, p := range points {
		if !inWindow(p.At, window) || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			continue
		}
		if n++; n > 1 {
			step := p.Value - before.Value
			if step < 0 {
				step = p.Value
			}
			total.add(step)
			increase.Seconds += float64(p.At-before.At) / nsPerSec
		}
		before = p
	}
	increase.Total = total.sum()
	return increase, n
}

func (s *Series) histogram(window Window) (SeriesStats, bool) {
	h := &Histogrammed{}
	n := 0
	h.Count, n = increaseOf(s.Counts["count"], window)
	h.Sum, _ = increaseOf(s.Counts["sum"], window)
	for text, points := range s.Counts {
		bound, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue // sum and count
		}
		increase, _ := increaseOf(points, window)
		h.Buckets = append(h.Buckets, Bucket{bound, text, increase.Total})
	}
	slices.SortFunc(h.Buckets, func(a, b Bucket) int {
		if a.Bound < b.Bound {
			return -1
		}
		return 1
	})
	return SeriesStats{Samples: n, Parts: h}, n > 0
}

// Slice are the statistics of a series over a part of a phase. Counters grow between samples, so their
// increase counts from the last sample before the slice, where the phase has one.
func (s *Series) Slice(kind string, slice, phase Window) (SeriesStats, bool) {
	points := s.Points
	switch kind {
	case "histogram", "summary":
		points = s.Counts["count"]
	case "counter":
	default:
		return s.Over(kind, slice)
	}
	from := slice.From
	for _, p := range points {
		if p.At >= phase.From && p.At <= slice.From {
			from = p.At
		}
	}
	return s.Over(kind, Window{from, slice.To})
}
