package swimlane

import (
	"cmp"
	"slices"
)

// stack gives each stream of a play its row: the root (every stream without a live parent at depth 0)
// the first, the others, ordered by start, the lowest row below that is free: one whose last stream
// ended at or before their start. It returns the rows and the play's height.
func stack(play *Play, end int64) (rows []int, height int) {
	rows = make([]int, len(play.Streams))
	order := make([]int, 0, len(play.Streams))
	for s := range play.Streams {
		if play.Streams[s].Depth > 0 || play.Streams[s].Parent >= 0 {
			order = append(order, s)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		fromA, _ := streamSpan(&play.Streams[a], end)
		fromB, _ := streamSpan(&play.Streams[b], end)
		return cmp.Compare(fromA, fromB)
	})
	var free []int64 // free[i]: when row i+1 is free again
	for _, s := range order {
		from, to := streamSpan(&play.Streams[s], end)
		row := slices.IndexFunc(free, func(at int64) bool { return at <= from })
		if row < 0 {
			row = len(free)
			free = append(free, 0)
		}
		free[row] = to
		rows[s] = row + 1
	}
	return rows, len(free) + 1
}

// streamSpan is the stretch in which a stream has something to draw; end stands for what is open.
func streamSpan(stream *Stream, end int64) (from, to int64) {
	from, to = stream.Opened, endOr(stream.Closed, end)
	for i := range stream.Requests {
		request := &stream.Requests[i]
		if request.Start == None {
			from, to = earliest(from, request.Due), latest(to, request.Due)
			continue
		}
		from = earliest(from, request.Start)
		to = latest(to, endOr(request.End, end))
	}
	for _, wait := range stream.Waits {
		from, to = earliest(from, wait.From), latest(to, endOr(wait.To, end))
	}
	if from == None {
		from = to
	}
	return from, max(from, to)
}

// playOrder lists plays by lane, then by opening, then as given.
func playOrder(run *Run) []int {
	order := make([]int, len(run.Plays))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(run.Plays[a].Lane, run.Plays[b].Lane), cmp.Compare(run.Plays[a].Opened, run.Plays[b].Opened))
	})
	return order
}

// tracesOf lists the distinct traces of a run, sorted.
func tracesOf(run *Run) []string {
	traces := make([]string, 0, len(run.Plays))
	for i := range run.Plays {
		traces = append(traces, run.Plays[i].Trace)
	}
	slices.Sort(traces)
	return slices.Compact(traces)
}

func (l *Layout) traceIndex(trace string) int {
	at, _ := slices.BinarySearch(l.Traces, trace)
	return at
}
