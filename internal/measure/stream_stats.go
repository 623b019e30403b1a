package measure

import "math"

// distributeStream is Distribute for more values than fit: stream gives all values, the same ones each
// time, and is run twice.
func distributeStream(stream func(give func(float64))) (Stats, bool) {
	stats := Stats{Shape: ShapeDistribution, Min: math.Inf(1), Max: math.Inf(-1)}
	var counts bins
	total := adding{}
	stream(func(value float64) {
		stats.Count++
		stats.Min, stats.Max = min(stats.Min, value), max(stats.Max, value)
		total.add(value)
		counts.add(binKey(value), 1)
	})
	if stats.Count == 0 {
		return Stats{}, false
	}
	stats.Sum = total.sum()
	stats.Avg = stats.Sum / float64(stats.Count)
	ranks := ranksOf(stats.Count)
	keep, below := binsOfRanks(&counts, ranks)
	squares := adding{}
	stream(func(value float64) {
		off := value - stats.Avg
		squares.add(float64(off * off))
		keep.add(value, 1)
	})
	stats.Std = math.Sqrt(squares.sum() / float64(stats.Count))
	for i, r := range ranks {
		low, high := valueAt(keep, below, r.low), valueAt(keep, below, r.high)
		stats.Percentiles[i] = low + float64(r.part*(high-low))
	}
	return stats, true
}

// rank is where a percentile lies among sorted values.
type rank struct {
	low, high int64
	part      float64
}

func ranksOf(count int64) [QuantileCount]rank {
	var ranks [QuantileCount]rank
	for i, q := range quantiles {
		position := q / 100 * float64(count-1)
		low := int64(math.Floor(position))
		ranks[i] = rank{low, min(low+1, count-1), position - float64(low)}
	}
	return ranks
}

// binsOfRanks are the bins that hold the ranks, and how many values lie below each.
func binsOfRanks(counts *bins, ranks [QuantileCount]rank) (*wanted, []int64) {
	keep, below, seen := &wanted{}, []int64{}, int64(0)
	counts.each(func(key uint32, weight int64) bool {
		for _, r := range ranks {
			if r.high >= seen && r.low < seen+weight {
				keep.want(key)
			}
		}
		if len(keep.keys) > len(below) {
			below = append(below, seen)
		}
		seen += weight
		return true
	})
	return keep, below
}

// valueAt is the value of a rank.
func valueAt(keep *wanted, below []int64, at int64) float64 {
	bin := 0
	for i := range below {
		if below[i] <= at {
			bin = i
		}
	}
	seen := below[bin]
	pieces := ascending(keep.values[bin])
	for _, p := range pieces {
		if seen += p.weight; at < seen {
			return p.value
		}
	}
	return pieces[len(pieces)-1].value
}

// adding is a sum with Neumaier's correction.
type adding struct{ total, lost float64 }

func (a *adding) add(value float64) {
	next := a.total + value
	if math.Abs(a.total) >= math.Abs(value) {
		a.lost += (a.total - next) + value
	} else {
		a.lost += (value - next) + a.total
	}
	a.total = next
}

func (a *adding) sum() float64 { return a.total + a.lost }
