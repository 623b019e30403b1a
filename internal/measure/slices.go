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
	records = how.inCurves(records)
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
	curves := sliceCurves(sweepRequests(records, how.Chunks), how.Chunks, list)
	for i := range list {
		list[i].Set = sliceSet(groups[list[i].Index], how, list[i].Window, curves[i])
	}
	return list
}

// sliceSet is the set of a slice: no metrics that only make sense for a whole run.
func sliceSet(records []*Record, how How, window Window, curves map[string]Stats) *Set {
	how.Window, how.Curves = window, false
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

// timePieces holds how long a curve had which value: few values per slice, so they fit.
type timePieces map[float64]int64

func (p timePieces) add(value float64, ns int64) { p[value] += ns }

// stats is exact and does not depend on map order.
func (p timePieces) stats() Stats {
	values := make([]float64, 0, len(p))
	total := int64(0)
	for value, ns := range p {
		values = append(values, value)
		total += ns
	}
	stats := Stats{Shape: ShapeWeighted}
	if total == 0 {
		return stats
	}
	slices.Sort(values)
	area, squares := 0.0, 0.0
	for _, value := range values {
		area += float64(value * float64(p[value]))
	}
	stats.Avg, stats.Min, stats.Max = area/float64(total), values[0], values[len(values)-1]
	for _, value := range values {
		off := value - stats.Avg
		squares += float64(float64(p[value]) * float64(off*off))
	}
	stats.Std = math.Sqrt(squares / float64(total))
	for _, q := range weightedQuantiles {
		stats.Percentiles[slices.Index(quantiles[:], q)] = pick(p, 0, total, q)
	}
	return stats
}

// sliceCurves computes the time-weighted metrics of each slice in one walk over all requests.
func sliceCurves(requests []sweepRequest, chunks bool, list []Slice) []map[string]Stats {
	results := make([]map[string]Stats, len(list))
	at := -1
	var clip *windowed
	var pieces []timePieces
	closeSlice := func() {
		clip.close()
		for i, f := range clip.followers {
			results[at][f.metric.tag] = pieces[i].stats()
		}
	}
	openSlice := func() {
		at++
		results[at] = map[string]Stats{}
		metrics := sweepMetrics()
		followers := make([]*follower, len(metrics))
		pieces = make([]timePieces, len(metrics))
		for i, metric := range metrics {
			pieces[i] = timePieces{}
			followers[i] = &follower{metric: metric, pass: pieces[i]}
		}
		clip = newWindowed(list[at].Window, followers)
	}
	openSlice()
	newSweeper(requests, chunks).walk(func(from, to int64, values *curves) {
		for {
			clip.segment(from, to, values)
			if Stamp(to) < clip.window.To || at+1 == len(list) {
				return
			}
			closeSlice()
			openSlice()
		}
	})
	for {
		closeSlice()
		if at+1 == len(list) {
			return results
		}
		openSlice()
	}
}
