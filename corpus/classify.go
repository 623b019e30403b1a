package corpus

import (
	"cmp"
	"fmt"
	"slices"
)

// class is what a worker is (spec reconstruction 3.4).
type class struct {
	aux       bool
	reduction bool // named as aux, counted apart
	group     int  // worker group, -1 for none
	member    int  // place in the group
}

// classify names the workers of a detection.
func classify(found *detection, calls []call, options *Options) []class {
	classes := groupWorkers(found.workers, calls, options.WorkerGroupMin)
	if len(classes) == 0 {
		return classes
	}
	var peak int64
	for _, i := range found.yard {
		peak = max(peak, calls[i].In)
	}
	model := calls[found.yard[0]].Model
	small := max(options.AuxISLFloor, int64(float64(options.AuxISLRatio*float64(peak))))
	for w, worker := range found.workers {
		first := &calls[worker.calls[0]]
		classes[w].aux = len(worker.calls) <= options.AuxMaxRequests &&
			(options.AuxCrossModel && first.Model != model || first.In < small)
		classes[w].reduction = !classes[w].aux && len(worker.calls) == 1 &&
			0 < first.Out && first.Out < options.AuxReductionOSLMax && first.In >= options.AuxISLFloor &&
			float64(first.In) > float64(options.AuxReductionRatio*float64(first.Out))
	}
	return classes
}

// suffix is the part of a session id that tells worker n of its layer (spec reconstruction 3.6).
func (c class) suffix(n int) string {
	switch {
	case c.aux || c.reduction:
		return fmt.Sprintf("aux:%03d", n)
	case c.group >= 0:
		return fmt.Sprintf("wg:%03d_%03d", c.group, c.member)
	}
	return fmt.Sprintf("fa:%03d", n)
}

// kind chooses the conversation kind of the layer for the class.
func (c class) kind(flat, aux, group ConversationKind) ConversationKind {
	switch {
	case c.aux || c.reduction:
		return aux
	case c.group >= 0:
		return group
	}
	return flat
}

// span is a worker with the time it was at work.
type span struct {
	worker, first int // first call, breaks ties
	start, end    float64
}

// groupWorkers finds workers that forked from one state and were at work at the same time (spec
// reconstruction 3.5). Every worker gets a class, without a group if it has none.
func groupWorkers(workers []chain, calls []call, least int) []class {
	classes := make([]class, len(workers))
	type origin struct{ parent, tail int }
	buckets := map[origin][]span{}
	for w, worker := range workers {
		classes[w].group = -1
		if least <= 0 || worker.fork.depth == 0 || worker.fork.parent < 0 {
			continue
		}
		at := span{worker: w, first: worker.calls[0], start: calls[worker.calls[0]].t}
		at.end = at.start
		for _, i := range worker.calls {
			at.end = max(at.end, calls[i].end())
		}
		key := origin{worker.fork.parent, worker.fork.tail}
		buckets[key] = append(buckets[key], at)
	}
	var groups [][]span
	for _, bucket := range buckets {
		for _, component := range overlapping(bucket) {
			if len(component) >= least {
				groups = append(groups, component)
			}
		}
	}
	slices.SortFunc(groups, func(a, b []span) int { return compareSpans(a[0], b[0]) })
	for g, group := range groups {
		for m, at := range group {
			classes[at.worker].group, classes[at.worker].member = g, m
		}
	}
	return classes
}

func compareSpans(a, b span) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.first, b.first))
}

// overlapping splits spans into connected components of overlap, each in order of start. Touching ends
// do not overlap; a span without length overlaps only what began before it.
func overlapping(spans []span) [][]span {
	slices.SortFunc(spans, func(a, b span) int {
		aLong, bLong := a.end > a.start, b.end > b.start
		if a.start == b.start && aLong != bLong {
			if bLong {
				return -1 // those without length first: what begins with them is no reason to join
			}
			return 1
		}
		return compareSpans(a, b)
	})
	var components [][]span
	open, end := -1, 0.0 // the component that reaches furthest
	for _, at := range spans {
		switch {
		case open >= 0 && at.start < end:
			components[open] = append(components[open], at)
			end = max(end, at.end)
		case at.end > at.start:
			open, end = len(components), at.end
			components = append(components, []span{at})
		default:
			components = append(components, []span{at})
		}
	}
	for _, component := range components {
		slices.SortFunc(component, compareSpans)
	}
	return components
}
