package measure

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// weights sum up weights above 0 by value: a table with open addressing. A map[float64]int64 takes five times
// as long, and twenty million chunks go through here.
type weights struct {
	slots []piece // a power of two of them, at most half of them taken; free where the weight is 0
	used  int
}

// piece is a value with its weight.
type piece struct {
	value  float64
	weight int64
}

func (w *weights) add(value float64, weight int64) {
	if 2*w.used >= len(w.slots) {
		w.grow()
	}
	slot := w.slot(value)
	if slot.weight == 0 {
		slot.value = value
		w.used++
	}
	slot.weight += weight
}

// slot is where a value is, or belongs.
func (w *weights) slot(value float64) *piece {
	const spread = 0x9e3779b97f4a7c15              // 2^64 divided by the golden ratio
	at := math.Float64bits(value+0) * spread       // + 0: the two zeros are one value
	at >>= 64 - bits.Len64(uint64(len(w.slots)-1)) // the upper bits are spread best
	for ; ; at++ {
		slot := &w.slots[at&uint64(len(w.slots)-1)]
		if slot.weight == 0 || slot.value == value {
			return slot
		}
	}
}

const fewestSlots = 64

func (w *weights) grow() {
	old := w.slots
	w.slots = make([]piece, max(fewestSlots, 2*len(old)))
	for _, p := range old {
		if p.weight != 0 {
			*w.slot(p.value) = p
		}
	}
}

// ascending are the values of several with their weights summed, ascending.
func ascending(several ...*weights) []piece {
	var total weights
	for _, w := range several {
		for _, p := range w.slots {
			if p.weight != 0 {
				total.add(p.value, p.weight)
			}
		}
	}
	pieces := slices.DeleteFunc(total.slots, func(p piece) bool { return p.weight == 0 })
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.value, b.value) })
	return pieces
}
