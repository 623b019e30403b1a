package watch

import (
	"math"
	"slices"
)

// histogram finds percentiles by measure's rule, linear between the nearest ranks (Hyndman and Fan's type
// 7), so that those of a finished run are the summary's. It keeps every value up to a limit; beyond, only
// classes that are 1 % wide, so that memory does not grow with the number of values.
type histogram struct {
	values  []float64 // all of them, while exact
	classes map[int]int64
	count   int64
}

const (
	// keptValues is the number of values up to which percentiles are exact: half a megabyte.
	keptValues = 1 << 16
	// classWidth is the logarithm of 1.01.
	classWidth = 0.009950330853168083
	// notPositive is the class of what is not above 0.
	notPositive = math.MinInt32
)

func (h *histogram) add(value float64) {
	if h.count++; h.exact() {
		h.values = append(h.values, value)
		return
	}
	if h.classes == nil {
		h.classes = map[int]int64{}
		for _, kept := range h.values {
			h.classes[classOf(kept)]++
		}
		h.values = nil
	}
	h.classes[classOf(value)]++
}

// exact reports whether percentiles are exact, else within 1 %.
func (h *histogram) exact() bool { return h.count <= keptValues }

func classOf(value float64) int {
	if !(value > 0) {
		return notPositive
	}
	return int(math.Floor(math.Log(value) / classWidth))
}

// percentile is linear between the values of the nearest ranks; false without values.
func (h *histogram) percentile(rank float64) (float64, bool) {
	if h.count == 0 {
		return 0, false
	}
	position := rank / 100 * float64(h.count-1)
	low := int64(position)
	below, above := h.ranked(low, min(low+1, h.count-1))
	return below + float64((position-float64(low))*(above-below)), true
}

// ranked are the values of two ranks from 0 on, the second not below the first; where values are not kept
// the middles of their classes.
func (h *histogram) ranked(low, high int64) (below, above float64) {
	if h.exact() {
		slices.Sort(h.values) // their order of arrival is of no use
		return h.values[low], h.values[high]
	}
	keys := make([]int, 0, len(h.classes))
	for class := range h.classes {
		keys = append(keys, class)
	}
	slices.Sort(keys)
	seen := int64(0)
	for _, class := range keys {
		middle := 0.0
		if class != notPositive {
			middle = math.Exp((float64(class) + 0.5) * classWidth)
		}
		before := seen
		seen += h.classes[class]
		if before <= low && low < seen {
			below = middle
		}
		if high < seen {
			return below, middle
		}
	}
	return below, below
}
