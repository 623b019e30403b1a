package watch

import (
	"math"
	"slices"
)

// histogram keeps positive values in classes that are 1 % wide, so that percentiles are within 1 % of the
// exact ones and memory does not grow with the number of values.
type histogram struct {
	classes map[int]int64
	count   int64
}

// classWidth is the logarithm of 1.01.
const classWidth = 0.009950330853168083

func (h *histogram) add(value float64) {
	if h.classes == nil {
		h.classes = map[int]int64{}
	}
	class := math.MinInt32 // of what is not above 0
	if value > 0 {
		class = int(math.Floor(math.Log(value) / classWidth))
	}
	h.classes[class]++
	h.count++
}

// percentile is the middle of the class in which the value of that rank lies; false without values.
func (h *histogram) percentile(rank float64) (float64, bool) {
	if h.count == 0 {
		return 0, false
	}
	keys := make([]int, 0, len(h.classes))
	for class := range h.classes {
		keys = append(keys, class)
	}
	slices.Sort(keys)
	wanted := int64(math.Ceil(rank / 100 * float64(h.count)))
	seen := int64(0)
	for _, class := range keys {
		seen += h.classes[class]
		if seen >= max(wanted, 1) {
			if class == math.MinInt32 {
				return 0, true
			}
			return math.Exp((float64(class) + 0.5) * classWidth), true
		}
	}
	return 0, false
}
