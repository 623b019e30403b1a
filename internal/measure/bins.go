package measure

import (
	"math"
	"slices"
)

// bins count weights by value, coarsely: 1,024 bins for each power of two, so 0.1 % wide. They find the
// few places where exact percentiles have to be looked for in a second pass, so that twenty million
// chunks need no list and no sorting. Values below 0 count as 0.
type bins struct {
	rows [2048]*[binsPerRow]int64
}

const (
	binBits    = 10 // of the mantissa
	binsPerRow = 1 << binBits
)

// binKey numbers the bin of a value; keys ascend with values.
func binKey(value float64) uint32 {
	return uint32(math.Float64bits(max(value, 0)) >> (52 - binBits))
}

func (b *bins) add(key uint32, weight int64) {
	row := b.rows[key>>binBits]
	if row == nil {
		row = new([binsPerRow]int64)
		b.rows[key>>binBits] = row
	}
	row[key&(binsPerRow-1)] += weight
}

// each calls visit for every bin with weight, ascending, until it returns false.
func (b *bins) each(visit func(key uint32, weight int64) bool) {
	for i, row := range b.rows {
		if row == nil {
			continue
		}
		for j, weight := range row {
			if weight != 0 && !visit(uint32(i)<<binBits|uint32(j), weight) {
				return
			}
		}
	}
}

// wanted is the set of bins whose values a second pass keeps.
type wanted struct {
	keys   []uint32
	values []*weights
}

func (w *wanted) want(key uint32) {
	if !slices.Contains(w.keys, key) {
		w.keys = append(w.keys, key)
		w.values = append(w.values, &weights{})
	}
}

func (w *wanted) add(value float64, weight int64) {
	key := binKey(value)
	for i, k := range w.keys {
		if k == key {
			w.values[i].add(value, weight)
			return
		}
	}
}

// in are the values kept of a bin.
func (w *wanted) in(key uint32) *weights {
	at := slices.Index(w.keys, key)
	if at < 0 {
		return &weights{}
	}
	return w.values[at]
}
