package measure

import (
	"cmp"
	"slices"
)

// Rollup sums up the requests of a tree or a stream (spec metrics 10.6).
type Rollup struct {
	Requests, Valid, Errors, Overflows, Cancelled, NeverSent int
	FirstStart, LastEnd                                      Stamp
	FirstError                                               string // class of the error that came first
	firstError                                               Stamp
	ServerNs                                                 int64 // Σ (end − start); the end is Record.Over
	BusyNs                                                   int64 // time with at least one request in flight
	RecordedNs, MatchedNs                                    int64 // Σ recorded server time, and Σ latency, of valid requests that have one
	RecordedFrom, RecordedTo                                 Stamp // trace clock: extent of the same turns
	ISL, OSL, Prompt, Cached                                 Count
	HitTokens, ReachTokens                                   Count
}

// MakespanNs is from the first start to the last end; 0 without requests.
func (r *Rollup) MakespanNs() int64 {
	ns, _ := r.LastEnd.Since(r.FirstStart)
	return ns
}

// ThinkNs is the part of the makespan without a request in flight.
func (r *Rollup) ThinkNs() int64 { return r.MakespanNs() - r.BusyNs }

// Slowdown is request latency over recorded server time, summed over the same turns; false without
// recorded times.
func (r *Rollup) Slowdown() (float64, bool) {
	return float64(r.MatchedNs) / float64(r.RecordedNs), r.RecordedNs > 0
}

// TreeRollup is one tree with its streams.
type TreeRollup struct {
	*Play
	Rollup
	MaxDepth int
	Streams  []StreamRollup
	Critical CriticalPath
}

// StreamRollup is one stream of a tree.
type StreamRollup struct {
	*Stream
	Rollup
}

// CriticalPath is the chain of requests that decided when the tree was over: walking back from the
// last end, each request's predecessor is what ended last of the things it had to wait for: the turn
// before it, children that it joined, or the turn that spawned its stream.
type CriticalPath struct {
	Requests int
	ServerNs int64 // in requests of the chain
	WaitNs   int64 // between them
}

// Rollups sums up the profiling requests of every tree, in the order of opening; trees without any
// are left out.
func rollUp(run *Run) []TreeRollup {
	byPlay := map[int][]*Record{}
	for _, r := range run.Records {
		if r.Phase == PhaseProfiling && r.Place.Play >= 0 {
			byPlay[r.Place.Play] = append(byPlay[r.Place.Play], r)
		}
	}
	var trees []TreeRollup
	for _, play := range run.Plays {
		if play == nil || len(byPlay[play.ID]) == 0 {
			continue
		}
		trees = append(trees, treeOf(run, play, byPlay[play.ID]))
	}
	return trees
}

func treeOf(run *Run, play *Play, records []*Record) TreeRollup {
	tree := TreeRollup{Play: play, Rollup: rollup(records, &run.Basis)}
	byStream := map[int][]*Record{}
	for _, r := range records {
		byStream[r.Place.Stream] = append(byStream[r.Place.Stream], r)
		tree.MaxDepth = max(tree.MaxDepth, r.Place.Depth)
	}
	ids := make([]int, 0, len(byStream))
	for id := range byStream {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if id >= 0 && id < len(run.Streams) && run.Streams[id] != nil {
			tree.Streams = append(tree.Streams, StreamRollup{Stream: run.Streams[id], Rollup: rollup(byStream[id], &run.Basis)})
		}
	}
	tree.Critical = criticalPath(run, records)
	return tree
}

func rollup(records []*Record, basis *Basis) Rollup {
	s := Rollup{
		FirstStart: NoStamp, LastEnd: NoStamp, RecordedFrom: NoStamp, RecordedTo: NoStamp,
		ISL: NoCount, OSL: NoCount, Prompt: NoCount, Cached: NoCount, HitTokens: NoCount, ReachTokens: NoCount,
	}
	var busy []Window
	for _, r := range records {
		if r.Outcome == OutcomeNeverSent {
			s.NeverSent++
			continue
		}
		s.Requests++
		s.count(r, basis)
		if !r.Times.Start.Known() {
			continue
		}
		end := r.Over()
		if !s.FirstStart.Known() || r.Times.Start < s.FirstStart {
			s.FirstStart = r.Times.Start
		}
		s.LastEnd = max(s.LastEnd, end)
		s.ServerNs += int64(end - r.Times.Start)
		busy = append(busy, Window{r.Times.Start, end})
	}
	s.BusyNs = covered(busy)
	return s
}

func (s *Rollup) count(r *Record, basis *Basis) {
	switch {
	case r.Outcome == OutcomeOverflow:
		s.Overflows++
	case basis.IsError(r):
		s.Errors++
		if at := r.Over(); s.FirstError == "" || at < s.firstError {
			s.FirstError, s.firstError = cmp.Or(r.Class, string(r.Outcome)), at
		}
	case r.Outcome.IsCancelled():
		s.Cancelled++
	}
	if !r.Valid() {
		return
	}
	s.Valid++
	u := &r.Tokens.Usage
	s.ISL, s.OSL = sumCounts(s.ISL, r.Tokens.Input), sumCounts(s.OSL, r.OSL())
	s.Prompt, s.Cached = sumCounts(s.Prompt, u.Prompt), sumCounts(s.Cached, u.CacheRead)
	s.HitTokens, s.ReachTokens = sumCounts(s.HitTokens, r.Plan.HitTokens), sumCounts(s.ReachTokens, r.Plan.ReachTokens)
	if r.Plan.APINs > 0 {
		ns, _ := latency(r)
		s.RecordedNs += r.Plan.APINs
		s.MatchedNs += int64(ns)
	}
	if r.Plan.TNs.Known() {
		if !s.RecordedFrom.Known() || r.Plan.TNs < s.RecordedFrom {
			s.RecordedFrom = r.Plan.TNs
		}
		s.RecordedTo = max(s.RecordedTo, r.Plan.TNs+Stamp(r.Plan.APINs))
	}
}

// covered is the length of the union of stretches.
func covered(stretches []Window) int64 {
	slices.SortFunc(stretches, func(a, b Window) int { return cmp.Compare(a.From, b.From) })
	total, reached := int64(0), NoStamp
	for _, w := range stretches {
		from := w.From
		if reached.Known() {
			from = max(from, reached)
		}
		if w.To > from {
			total += int64(w.To - from)
		}
		reached = max(reached, w.To)
	}
	return total
}
