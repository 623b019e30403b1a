package measure

import (
	"math"
	"slices"
)

// weightedQuantiles are the percentiles of a time-weighted metric.
var weightedQuantiles = [...]float64{50, 90, 95, 99}

// Window is a stretch of time [From, To) in ns since run start.
type Window struct{ From, To Stamp }

// Known reports whether both ends are known and in order.
func (w Window) Known() bool { return w.From.Known() && w.To.Known() && w.To > w.From }

// Seconds is the window's length.
func (w Window) Seconds() float64 { return float64(w.To-w.From) / nsPerSec }

// NoWindow is the window that is not known.
func NoWindow() Window { return Window{NoStamp, NoStamp} }

// sweepAsk is one set of time-weighted metrics to compute.
type sweepAsk struct {
	window   Window
	everyone bool // concurrency of every request that was sent
}

// sweepAll computes the time-weighted metrics of requests over several windows in two walks. The time
// is cut at all ends of windows; a window is a union of parts, so that each moment is counted once.
func sweepAll(requests []sweepRequest, chunks bool, asks []sweepAsk) []map[string]Stats {
	asks = slices.Clone(asks)
	for i := range asks {
		if !asks[i].window.Known() {
			asks[i].window = extent(requests, asks[i].everyone)
		}
	}
	parts := partsOf(asks)
	first := make([][trackCount]*firstPass, len(parts))
	walkParts(requests, chunks, parts, func(part, track int) adder {
		first[part][track] = &firstPass{}
		return first[part][track]
	})
	second := make([][trackCount]*secondPass, len(parts))
	for part := range parts {
		for track := range second[part] {
			second[part][track] = &secondPass{avg: first[part][track].avg()}
		}
	}
	results := make([][]*union, len(asks))
	for i, ask := range asks {
		results[i] = ask.unions(parts, first, second)
	}
	walkParts(requests, chunks, parts, func(part, track int) adder { return second[part][track] })
	list := make([]map[string]Stats, len(asks))
	for i, ask := range asks {
		if !ask.window.Known() {
			continue
		}
		list[i] = map[string]Stats{}
		for j, metric := range sweepMetrics(ask.everyone) {
			list[i][metric.tag] = results[i][j].stats()
		}
	}
	return list
}

// partsOf cuts time at the ends of all windows.
func partsOf(asks []sweepAsk) []Window {
	var cuts []Stamp
	for _, ask := range asks {
		if ask.window.Known() {
			cuts = append(cuts, ask.window.From, ask.window.To)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var parts []Window
	for i := 1; i < len(cuts); i++ {
		parts = append(parts, Window{cuts[i-1], cuts[i]})
	}
	return parts
}

// walkParts feeds the changes of all curves to the parts, each from its beginning to its end.
func walkParts(requests []sweepRequest, chunks bool, parts []Window, adderOf func(part, track int) adder) {
	if len(parts) == 0 {
		return
	}
	at := 0
	open := func() *tracker { return newTracker(parts[at], func(track int) adder { return adderOf(at, track) }) }
	now := open()
	var last curves
	newSweeper(requests, chunks).walk(func(ns int64, values *curves, dirty uint32) {
		for at+1 < len(parts) && ns >= int64(parts[at].To) {
			now.close()
			at++
			now = open()
			now.change(int64(parts[at].From), &last, allCurves)
		}
		now.change(ns, values, dirty)
		last = *values
	})
	for now.close(); at+1 < len(parts); now.close() {
		at++
		now = open()
		now.change(int64(parts[at].From), &last, allCurves)
	}
}

const allCurves = 1<<curveCount - 1

// extent is from the first to the last event of the requests.
func extent(requests []sweepRequest, everyone bool) Window {
	window := NoWindow()
	for i := range requests {
		if !requests[i].counted && !everyone {
			continue
		}
		if !window.From.Known() || Stamp(requests[i].start) < window.From {
			window.From = Stamp(requests[i].start)
		}
		window.To = max(window.To, Stamp(requests[i].end))
	}
	return window
}

// firstPass gathers mean, extremes, and how long the track was near each value, in a part.
type firstPass struct {
	total    int64 // ns
	area     float64
	min, max float64
	near     bins
}

func (p *firstPass) add(value float64, ns int64) {
	if p.total == 0 {
		p.min, p.max = value, value
	}
	p.min, p.max = min(p.min, value), max(p.max, value)
	p.total += ns
	p.area += float64(value * float64(ns))
	p.near.add(binKey(value), ns)
}

func (p *firstPass) avg() float64 {
	if p.total == 0 {
		return 0
	}
	return p.area / float64(p.total)
}

// secondPass gathers the deviation from the part's mean, and the values in the bins that hold
// percentiles.
type secondPass struct {
	avg     float64
	squares float64
	keep    wanted
}

func (p *secondPass) add(value float64, ns int64) {
	off := value - p.avg
	p.squares += float64(float64(ns) * float64(off*off))
	p.keep.add(value, ns)
}

// union is a metric over a window: parts of its track, and time in which it was 0 because its
// condition did not hold.
type union struct {
	first  []*firstPass
	second []*secondPass
	zeroNs int64
	total  int64
	bins   [len(weightedQuantiles)]uint32
	below  [len(weightedQuantiles)]int64
}

// unions prepares the metrics of an ask, and tells the second passes which bins to keep.
func (ask sweepAsk) unions(parts []Window, first [][trackCount]*firstPass, second [][trackCount]*secondPass) []*union {
	metrics := sweepMetrics(ask.everyone)
	list := make([]*union, len(metrics))
	for i, metric := range metrics {
		u := &union{}
		for part, window := range parts {
			if !ask.window.Known() || window.From < ask.window.From || window.To > ask.window.To {
				continue
			}
			f := first[part][metric.track]
			u.first, u.second = append(u.first, f), append(u.second, second[part][metric.track])
			u.total += f.total
			if !metric.active {
				u.zeroNs += int64(window.To-window.From) - f.total
			}
		}
		u.total += u.zeroNs
		u.find()
		list[i] = u
	}
	return list
}

// find looks for the bins in which the percentiles lie.
func (u *union) find() {
	if u.total == 0 {
		return
	}
	var all bins
	if u.zeroNs > 0 {
		all.add(binKey(0), u.zeroNs)
	}
	for _, f := range u.first {
		f.near.each(func(key uint32, ns int64) bool { all.add(key, ns); return true })
	}
	for i, q := range weightedQuantiles {
		below := int64(0)
		all.each(func(key uint32, ns int64) bool {
			u.bins[i], u.below[i] = key, below
			below += ns
			return !reaches(below, u.total, q)
		})
		for _, s := range u.second {
			s.keep.want(u.bins[i])
		}
	}
}

// reaches reports whether part is at least q percent of total, in integers.
func reaches(part, total int64, q float64) bool { return part*100 >= total*int64(q) }

// stats closes both passes; all zero where the metric was never active.
func (u *union) stats() Stats {
	stats := Stats{Shape: ShapeWeighted}
	if u.total == 0 {
		return stats
	}
	area := 0.0
	stats.Min, stats.Max = math.Inf(1), math.Inf(-1)
	if u.zeroNs > 0 {
		stats.Min, stats.Max = 0, 0
	}
	for _, f := range u.first {
		if f.total > 0 {
			area += f.area
			stats.Min, stats.Max = min(stats.Min, f.min), max(stats.Max, f.max)
		}
	}
	stats.Avg = area / float64(u.total)
	// Deviations of parts from their own means, and of their means from the whole's.
	squares := float64(float64(u.zeroNs) * float64(stats.Avg*stats.Avg))
	for i, f := range u.first {
		off := f.avg() - stats.Avg
		squares += u.second[i].squares + float64(float64(f.total)*float64(off*off))
	}
	stats.Std = math.Sqrt(squares / float64(u.total))
	for i, q := range weightedQuantiles {
		stats.Percentiles[slices.Index(quantiles[:], q)] = u.percentile(i, q)
	}
	return stats
}

// percentile is the first value, ascending, whose cumulated share of time reaches q percent.
func (u *union) percentile(i int, q float64) float64 {
	kept := make([]*weights, 0, len(u.second)+1)
	for _, s := range u.second {
		kept = append(kept, s.keep.in(u.bins[i]))
	}
	if u.zeroNs > 0 && u.bins[i] == binKey(0) {
		zero := &weights{}
		zero.add(0, u.zeroNs)
		kept = append(kept, zero)
	}
	return firstReaching(ascending(kept...), u.below[i], u.total, q)
}

func firstReaching(pieces []piece, below, total int64, q float64) float64 {
	for _, p := range pieces {
		if below += p.weight; reaches(below, total, q) {
			return p.value
		}
	}
	if len(pieces) == 0 {
		return 0
	}
	return pieces[len(pieces)-1].value
}
