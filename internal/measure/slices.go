package measure

import (
	"cmp"
	"math"
	"slices"
)

// Slice is one stretch of the phase with the requests that started in it (spec metrics 7).
type Slice struct {
	Index    int // number of the slice in its grid; slices without a starting request are left out
	Window   Window
	Complete bool // false: cut by the end of the phase
	Set      *Set
}

// SliceUp cuts records into stretches of length ns from the first start on. A record belongs to the
// slice in which it started, with everything it did; curves are clipped to the slice.
func SliceUp(records []*Record, how How, ns int64) []Slice {
	records = slices.DeleteFunc(slices.Clone(records), func(r *Record) bool { return !r.Valid() && !how.Basis.IsError(r) })
	first, last := NoStamp, NoStamp
	groups := map[int][]*Record{}
	for _, r := range records {
		if r.Times.Start.Known() && (!first.Known() || r.Times.Start < first) {
			first = r.Times.Start
		}
		last = max(last, r.AxisEnd())
	}
	if !first.Known() || ns <= 0 {
		return nil
	}
	for _, r := range records {
		if r.Times.Start.Known() {
			index := int(int64(r.Times.Start-first) / ns)
			groups[index] = append(groups[index], r)
		}
	}
	list := make([]Slice, 0, len(groups))
	for index := range groups {
		from := first + Stamp(int64(index)*ns)
		list = append(list, Slice{Index: index, Window: Window{from, min(from+Stamp(ns), last)}, Complete: from+Stamp(ns) <= last})
	}
	slices.SortFunc(list, func(a, b Slice) int { return cmp.Compare(a.Index, b.Index) })
	curves := sliceCurves(sweepRequests(records, how.Chunks, how.Basis), how.Chunks, list)
	for i := range list {
		list[i].Set = sliceSet(groups[list[i].Index], how, list[i].Window, curves[i])
	}
	return list
}

// sliceSet is the set of a slice: no metrics that only make sense for a whole run.
func sliceSet(records []*Record, how How, window Window, curves map[string]Stats) *Set {
	how.Window, how.Curves, how.Shared = window, false, nil
	set := Aggregate(records, how)
	set.Results = slices.DeleteFunc(set.Results, func(r Result) bool {
		return r.Tag == "effective_latency" || r.Tag == "credit_to_start_latency" || r.Family == FamilyRatio || r.Family == FamilyAdjusted
	})
	for _, d := range sweepDefinitions() {
		if stats, ok := curves[d.Tag]; ok {
			set.Results = append(set.Results, Result{d, stats})
		}
	}
	return set
}

// timePieces holds how long a track had which value: few values per slice, so they fit.
type timePieces struct{ weights }

// stats adds zeroNs of being 0; it is exact and does not depend on map order.
func (p *timePieces) stats(zeroNs int64) Stats {
	stats := Stats{Shape: ShapeWeighted}
	var zero weights
	if zeroNs > 0 {
		zero.add(0, zeroNs)
	}
	pieces := ascending(&p.weights, &zero)
	total, area, squares := int64(0), 0.0, 0.0
	for _, piece := range pieces {
		total += piece.weight
		area += float64(piece.value * float64(piece.weight))
	}
	if total == 0 {
		return stats
	}
	stats.Avg, stats.Min, stats.Max = area/float64(total), pieces[0].value, pieces[len(pieces)-1].value
	for _, piece := range pieces {
		off := piece.value - stats.Avg
		squares += float64(float64(piece.weight) * float64(off*off))
	}
	stats.Std = math.Sqrt(squares / float64(total))
	for _, q := range weightedQuantiles {
		stats.Percentiles[slices.Index(quantiles[:], q)] = firstReaching(pieces, 0, total, q)
	}
	return stats
}

// on is the time in the pieces.
func (p *timePieces) on() int64 {
	total := int64(0)
	for _, piece := range p.slots {
		total += piece.weight
	}
	return total
}

// sliceCurves computes the time-weighted metrics of each slice in one walk over all requests.
func sliceCurves(requests []sweepRequest, chunks bool, list []Slice) []map[string]Stats {
	windows := make([]Window, 0, len(list))
	index := map[int]int{} // part to slice
	for i, slice := range list {
		if n := len(windows); n > 0 && windows[n-1].To < slice.Window.From {
			windows = append(windows, Window{windows[n-1].To, slice.Window.From})
		}
		index[len(windows)] = i
		windows = append(windows, slice.Window)
	}
	results := make([]map[string]Stats, len(list))
	var pieces [trackCount]timePieces
	current := -1
	finish := func() {
		if i, wanted := index[current]; wanted && current >= 0 {
			results[i] = sliceStats(&pieces, list[i].Window)
		}
	}
	walkParts(requests, chunks, windows, func(part, track int) adder {
		if part != current {
			finish()
			current = part
			for i := range pieces {
				pieces[i] = timePieces{}
			}
		}
		return &pieces[track]
	})
	finish()
	return results
}

func sliceStats(pieces *[trackCount]timePieces, window Window) map[string]Stats {
	stats := map[string]Stats{}
	for _, metric := range sweepMetrics(false) {
		zeroNs := int64(0)
		if !metric.active {
			zeroNs = int64(window.To-window.From) - pieces[metric.track].on()
		}
		stats[metric.tag] = pieces[metric.track].stats(zeroNs)
	}
	return stats
}
