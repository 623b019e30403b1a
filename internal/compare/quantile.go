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

// percentiles are percentiles of sorted samples where each unit counts times as often; NaN where
// nothing is left. They are linear between the nearest ranks, as measure has them.
func percentiles(samples []sample, times []uint16, ranks []float64, into []float64) {
	for i := range into {
		into[i] = math.NaN()
	}
	count := 0
	for i := range samples {
		count += int(times[samples[i].unit])
	}
	if count == 0 {
		return
	}
	at, seen, before := 0, 0, 0.0
	for i := range samples {
		n := int(times[samples[i].unit])
		if n == 0 {
			continue
		}
		value := samples[i].value
		for at < len(ranks) {
			position := ranks[at] / 100 * float64(count-1)
			low := int(position)
			if seen+n <= min(low+1, count-1) {
				break
			}
			lowValue := value
			if low < seen {
				lowValue = before
			}
			into[at] = lowValue + float64((position-float64(low))*(value-lowValue))
			at++
		}
		seen, before = seen+n, value
	}
}

// percentileContrasts are the contrasts of several percentiles of a metric.
func percentileContrasts(sorted [2][]sample, ranks []float64, u *units, draws [][]uint16) []contrast {
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
	return list
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
