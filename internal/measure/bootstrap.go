package measure

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/blake3"
)

// Resampled is an interval for a statistic of one run. Requests of one tree depend on each other, so
// whole trees are drawn with replacement, not requests: an interval over requests would be far too
// narrow.
type Resampled struct {
	Tag       string
	Statistic string // avg, p50, p90, p99
	Unit      string
	Value     float64
	Low, High float64
	Trees     int
	Draws     int
	Level     float64
}

const (
	bootstrapDraws   = 400
	bootstrapLevel   = 0.95
	bootstrapMinimum = 5 // trees, below which an interval would say nothing
)

// bootstrapTags are the metrics that get intervals.
func bootstrapTags() []string {
	return []string{"time_to_first_token", "request_latency", "inter_token_latency", "output_token_throughput_per_user"}
}

// Bootstrap gives intervals for the main latencies of a run; none with fewer than 5 trees. The same
// run gives the same intervals: the draws are keyed by the run's seed.
func (a *Analysis) Bootstrap() []Resampled {
	trees := map[int]int{} // play to its place
	for _, r := range a.Selected {
		if _, known := trees[r.Place.Play]; !known && r.Valid() {
			trees[r.Place.Play] = len(trees)
		}
	}
	if len(trees) < bootstrapMinimum {
		return nil
	}
	definitions := Definitions()
	var list []Resampled
	for _, tag := range bootstrapTags() {
		d, _ := Lookup(definitions, tag)
		var values []treeValue
		for _, r := range a.Selected {
			if value, ok := d.Value(r, &a.Basis); ok {
				values = append(values, treeValue{value, trees[r.Place.Play]})
			}
		}
		slices.SortStableFunc(values, func(a, b treeValue) int {
			switch {
			case a.value < b.value:
				return -1
			case a.value > b.value:
				return 1
			default:
				return a.tree - b.tree
			}
		})
		list = append(list, resample(d, values, len(trees), generator(a.Config.Seed, tag))...)
	}
	return list
}

// generator is keyed by what it is for (decision 2).
func generator(seed uint64, tag string) *rand.Rand {
	key := blake3.Sum256(append(binary.BigEndian.AppendUint64([]byte("bootstrap "), seed), tag...))
	return rand.New(rand.NewChaCha8(key))
}

// treeValue is a value and the tree it comes from.
type treeValue struct {
	value float64
	tree  int
}

// resampledStatistics are computed from each draw.
func resampledStatistics() []string { return []string{"avg", "p50", "p90", "p99"} }

func resample(d *Definition, values []treeValue, trees int, random *rand.Rand) []Resampled {
	if len(values) == 0 {
		return nil
	}
	names := resampledStatistics()
	draws := make([][]float64, len(names))
	times := make([]int, trees)
	for range bootstrapDraws {
		clear(times)
		for range trees {
			times[random.IntN(trees)]++
		}
		for i, value := range weighed(values, times) {
			draws[i] = append(draws[i], value)
		}
	}
	once := slices.Repeat([]int{1}, trees)
	actual := weighed(values, once)
	list := make([]Resampled, len(names))
	for i, name := range names {
		finite := slices.DeleteFunc(draws[i], math.IsNaN)
		slices.Sort(finite)
		list[i] = Resampled{Tag: d.Tag, Statistic: name, Unit: d.Unit, Value: actual[i], Trees: trees, Draws: len(finite), Level: bootstrapLevel}
		if len(finite) > 0 {
			list[i].Low = linearPercentile(finite, 100*(1-bootstrapLevel)/2)
			list[i].High = linearPercentile(finite, 100*(1+bootstrapLevel)/2)
		}
	}
	return list
}

// weighed are avg, p50, p90 and p99 of sorted values where each tree counts so many times; NaN for a
// draw without any value.
func weighed(values []treeValue, times []int) [4]float64 {
	count, total := 0, adding{}
	for _, v := range values {
		if n := times[v.tree]; n > 0 {
			count += n
			total.add(v.value * float64(n))
		}
	}
	result := [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if count == 0 {
		return result
	}
	result[0] = total.sum() / float64(count)
	at := 0
	ranks := [3]float64{0.50, 0.90, 0.99}
	seen, before := 0, 0.0
	for _, v := range values {
		n := times[v.tree]
		if n == 0 {
			continue
		}
		for at < len(ranks) {
			position := ranks[at] * float64(count-1)
			low := int(position)
			high := min(low+1, count-1)
			if seen+n <= high {
				break
			}
			lowValue := v.value
			if low < seen {
				lowValue = before
			}
			result[at+1] = lowValue + float64((position-float64(low))*(v.value-lowValue))
			at++
		}
		seen, before = seen+n, v.value
	}
	return result
}
