package compare

import (
	"cmp"
	"math"
	"slices"
)

// sample is a value of a request, the unit that it comes from, and the stretch of time.
type sample struct {
	value float64
	unit  int
	time  int
	turn  int
}

func sortSamples(samples []sample) {
	slices.SortFunc(samples, func(a, b sample) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.unit, b.unit), cmp.Compare(a.time, b.time))
	})
}

// walk finds percentiles of values that come in ascending order, linear between the nearest ranks as
// measure has them.
type walk struct {
	ranks  []float64
	found  []float64
	count  int // of all values
	at     int // ranks that were found
	seen   int
	before float64
}

// step takes a value that counts times times.
func (w *walk) step(value float64, times int) {
	for w.at < len(w.ranks) {
		position := w.ranks[w.at] / 100 * float64(w.count-1)
		low := int(position)
		if w.seen+times <= min(low+1, w.count-1) {
			break
		}
		lowValue := value
		if low < w.seen {
			lowValue = w.before
		}
		w.found[w.at] = lowValue + float64((position-float64(low))*(value-lowValue))
		w.at++
	}
	w.seen, w.before = w.seen+times, value
}

// result is the i-th percentile; NaN of nothing.
func (w *walk) result(i int) float64 {
	if i >= w.at {
		return math.NaN()
	}
	return w.found[i]
}

// percentiles are percentiles of sorted samples where each unit counts times as often.
func percentiles(samples []sample, times []uint16, ranks []float64, into []float64) {
	w := walk{ranks: ranks, found: make([]float64, len(ranks))}
	for i := range samples {
		w.count += int(times[samples[i].unit])
	}
	for i := range samples {
		if n := int(times[samples[i].unit]); n > 0 {
			w.step(samples[i].value, n)
		}
	}
	for i := range into {
		into[i] = w.result(i)
	}
}

// percentileContrasts are the contrasts of several percentiles of a metric.
func percentileContrasts(sorted [2][]sample, ranks []float64, u *units, c *chance) []contrast {
	draws := c.drawsFor(len(sorted[sideA]) + len(sorted[sideB]))
	once := make([]uint16, len(u.keys))
	for i := range once {
		once[i] = 1
	}
	list := make([]contrast, len(ranks))
	row := make([]float64, len(ranks))
	for side := range sorted {
		percentiles(sorted[side], once, ranks, row)
		for i := range list {
			list[i].value[side] = row[i]
			list[i].drawn[side] = make([]float64, len(draws))
		}
		for d, times := range draws {
			percentiles(sorted[side], times, ranks, row)
			for i := range list {
				list[i].drawn[side][d] = row[i]
			}
		}
	}
	both := slices.Concat(sorted[sideA], sorted[sideB])
	sortSamples(both)
	percentiles(both, once, ranks, row)
	for i := range list {
		list[i].atoms = below(sorted, row[i], list[i].value)
	}
	exchanged(list, sorted, ranks, u, c.swapsFor(len(both), u))
	return list
}

// exchanged gives the contrasts the percentiles that both sides would have after exchanges: unlike that of
// a mean, a percentile's difference is no sum over trees.
func exchanged(list []contrast, sorted [2][]sample, ranks []float64, u *units, swaps [][]uint64) {
	type sided struct {
		value float64
		unit  int
		side  uint64
	}
	merged := make([]sided, 0, len(sorted[sideA])+len(sorted[sideB]))
	counts := [2][]int{make([]int, len(u.keys)), make([]int, len(u.keys))}
	for side := range sorted {
		for _, s := range sorted[side] {
			merged = append(merged, sided{s.value, s.unit, uint64(side)})
			counts[side][s.unit]++
		}
	}
	slices.SortFunc(merged, func(a, b sided) int { return cmp.Compare(a.value, b.value) })
	for _, signs := range swaps {
		var walks [2]walk
		for unit := range u.keys {
			swapped := int(signs[unit/64] >> (unit % 64) & 1)
			walks[swapped].count += counts[sideA][unit]
			walks[1-swapped].count += counts[sideB][unit]
		}
		for side := range walks {
			walks[side].ranks, walks[side].found = ranks, make([]float64, len(ranks))
		}
		for i := range merged {
			m := &merged[i]
			walks[m.side^(signs[m.unit/64]>>(m.unit%64)&1)].step(m.value, 1)
		}
		for i := range list {
			list[i].swapped[sideA] = append(list[i].swapped[sideA], walks[sideA].result(i))
			list[i].swapped[sideB] = append(list[i].swapped[sideB], walks[sideB].result(i))
		}
	}
}

// below are the contributions to the difference of the shares of values below a limit that both sides have
// in common, the values at the limit half. Fewer of B below means that B is greater. Distances from the own
// side are taken at its own limit.
func below(sorted [2][]sample, limit float64, own [2]float64) []atom {
	total := 0.0
	var shares [2]float64 // below their own limits
	for side := range sorted {
		for _, s := range sorted[side] {
			total += isBelow(s.value, limit)
			shares[side] += isBelow(s.value, own[side]) / float64(len(sorted[side]))
		}
	}
	common := total / float64(len(sorted[sideA])+len(sorted[sideB]))
	atoms := make([]atom, 0, len(sorted[sideA])+len(sorted[sideB]))
	for side, sign := range [2]float64{1, -1} {
		weight := sign / float64(len(sorted[side]))
		for _, s := range sorted[side] {
			atoms = append(atoms, atom{unit: s.unit, time: s.time, other: s.time, turn: s.turn, weight: weight,
				pull: (isBelow(s.value, limit) - common) * weight, off: isBelow(s.value, own[side]) - shares[side]})
		}
	}
	return atoms
}

func isBelow(value, limit float64) float64 {
	switch {
	case value < limit:
		return 1
	case value == limit:
		return 0.5
	}
	return 0
}
