package measure

import (
	"cmp"
	"math"
	"slices"
)

// weightedQuantiles are the percentiles of a time-weighted metric.
var weightedQuantiles = [...]float64{50, 90, 95, 99}

// weightedPass1 gathers what one pass over a curve can tell: mean, extremes, and how long the curve
// was near each value. Exact percentiles need a second pass over the few bins that hold them; so a run
// of twenty million chunks needs no list of its segments.
type weightedPass1 struct {
	total    int64 // ns
	area     float64
	min, max float64
	bins     [2048]*[binsPerExponent]int64
}

const (
	binBits         = 10 // of the mantissa: bins are 0.1 % wide
	binsPerExponent = 1 << binBits
)

func binOf(value float64) (int, int) {
	bits := math.Float64bits(max(value, 0))
	return int(bits >> 52), int(bits>>(52-binBits)) & (binsPerExponent - 1)
}

func (w *weightedPass1) add(value float64, ns int64) {
	if w.total == 0 {
		w.min, w.max = value, value
	}
	w.min, w.max = min(w.min, value), max(w.max, value)
	w.total += ns
	w.area += float64(value * float64(ns))
	exponent, mantissa := binOf(value)
	if w.bins[exponent] == nil {
		w.bins[exponent] = new([binsPerExponent]int64)
	}
	w.bins[exponent][mantissa] += ns
}

// weightedPass2 finishes the statistics.
type weightedPass2 struct {
	first   *weightedPass1
	avg     float64
	squares float64
	wanted  []wantedBin // one per quantile
	values  []map[float64]int64
}

// wantedBin is the bin in which a quantile lies, and the time spent below that bin.
type wantedBin struct {
	exponent, mantissa int
	below              int64
}

func newWeightedPass2(first *weightedPass1) *weightedPass2 {
	w := &weightedPass2{first: first}
	if first.total == 0 {
		return w
	}
	w.avg = first.area / float64(first.total)
	for _, q := range weightedQuantiles {
		w.wanted = append(w.wanted, first.find(q))
		w.values = append(w.values, map[float64]int64{})
	}
	return w
}

// find is the first bin whose cumulated share of time reaches q percent.
func (w *weightedPass1) find(q float64) wantedBin {
	below, last := int64(0), wantedBin{}
	for exponent, row := range w.bins {
		if row == nil {
			continue
		}
		for mantissa, ns := range row {
			if ns == 0 {
				continue
			}
			last = wantedBin{exponent: exponent, mantissa: mantissa, below: below}
			if reaches(below+ns, w.total, q) {
				return last
			}
			below += ns
		}
	}
	return last
}

// reaches reports whether part is at least q percent of total, in integers.
func reaches(part, total int64, q float64) bool { return part*100 >= total*int64(q) }

func (w *weightedPass2) add(value float64, ns int64) {
	off := value - w.avg
	w.squares += float64(float64(ns) * float64(off*off))
	exponent, mantissa := binOf(value)
	for i := range w.wanted {
		if w.wanted[i].exponent == exponent && w.wanted[i].mantissa == mantissa {
			w.values[i][value] += ns
		}
	}
}

// stats closes both passes. Time that was not visited at all is not in it.
func (w *weightedPass2) stats() Stats {
	if w.first.total == 0 {
		return Stats{Shape: ShapeWeighted}
	}
	total := w.first.total
	stats := Stats{
		Shape: ShapeWeighted, Avg: w.avg, Min: w.first.min, Max: w.first.max,
		Std: math.Sqrt(w.squares / float64(total)),
	}
	for i, q := range weightedQuantiles {
		stats.Percentiles[slices.Index(quantiles[:], q)] = pick(w.values[i], w.wanted[i].below, total, q)
	}
	return stats
}

// pick is the first value, ascending, whose cumulated time reaches q percent of total.
func pick(values map[float64]int64, below, total int64, q float64) float64 {
	type piece struct {
		value float64
		ns    int64
	}
	pieces := make([]piece, 0, len(values))
	for value, ns := range values {
		pieces = append(pieces, piece{value, ns})
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.value, b.value) })
	for _, p := range pieces {
		below += p.ns
		if reaches(below, total, q) {
			return p.value
		}
	}
	if len(pieces) == 0 {
		return 0
	}
	return pieces[len(pieces)-1].value
}
