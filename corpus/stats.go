package corpus

import (
	"fmt"

	"github.com/zeebo/blake3"
)

// Statistics are what can be said of a corpus from its plans (spec viewers 6).
type Statistics struct {
	Corpus Shape   `json:"corpus"`
	Traces []Shape `json:"traces"` // in the order of the plans
}

// Shape is the shape of the load that a trace, or a whole corpus, offers.
type Shape struct {
	Trace         TraceID                  `json:"trace,omitempty"` // empty for the corpus
	Traces        int                      `json:"traces"`
	Copies        int                      `json:"copies"` // traces with the same requests as one before them
	Conversations int                      `json:"conversations"`
	Kinds         map[ConversationKind]int `json:"kinds"`
	Depth         int                      `json:"depth"` // of the deepest conversation; 0: no children
	Requests      int                      `json:"requests"`

	Branches   int       `json:"branches"`
	Joined     int       `json:"joined"`
	Background int       `json:"background"`
	AtIssue    int       `json:"at_issue"` // begun while their spawning turn was being answered
	FanOut     Quantiles `json:"fan_out"`  // children of a branch

	MakespanS Quantiles `json:"makespan_s"` // of a trace, from its first request to its last answer
	GapS      Quantiles `json:"gap_s"`      // pauses between the turns of a conversation
	GapSumS   float64   `json:"gap_sum_s"`
	LongGaps  []Over    `json:"long_gaps"` // pauses over 10, 60 and 300 s

	ISL        Quantiles   `json:"isl"` // tokens
	OSL        Quantiles   `json:"osl"` // tokens, as recorded
	ByDepth    []Lengths   `json:"by_depth"`
	ByTurn     []Lengths   `json:"by_turn"`
	InTokens   int64       `json:"in_tokens"`
	OutTokens  int64       `json:"out_tokens"`
	HitBlocks  int64       `json:"hit_blocks"`
	Blocks     int64       `json:"blocks"`
	HitTokens  int64       `json:"hit_tokens"` // of InTokens
	Limits     []LimitFits `json:"limits"`
	PeakTokens Quantiles   `json:"peak_tokens"` // of a trace: greatest in + out sent
}

// Over counts values over a bound.
type Over struct {
	Bound float64 `json:"bound"`
	Count int     `json:"count"`
}

// Lengths are the prompt and answer lengths, in tokens, of the requests From … To (inclusive; To −1: and
// all after) by depth or by turn of their conversation.
type Lengths struct {
	From int       `json:"from"`
	To   int       `json:"to"`
	ISL  Quantiles `json:"isl"`
	OSL  Quantiles `json:"osl"`
}

// LimitFits says what a context limit would mean: requests whose in + output limit is over it, and the
// traces that max_context_length would leave.
type LimitFits struct {
	Limit        int64 `json:"limit"`
	RequestsOver int   `json:"requests_over"`
	TracesOver   int   `json:"traces_over"`
	TracesFit    int   `json:"traces_fit"`
	RequestsFit  int   `json:"requests_fit"`  // of the traces that fit
	InTokensFit  int64 `json:"in_tokens_fit"` // likewise
}

// turnRanges are the turns that ByTurn tells apart.
var turnRanges = [...][2]int{{0, 0}, {1, 4}, {5, 9}, {10, 19}, {20, 49}, {50, 99}, {100, -1}}

// longGapBounds are the bounds of LongGaps in seconds.
var longGapBounds = [...]float64{10, 60, 300}

// Stats describes plans, each and together. limits are the context limits to judge.
func Stats(plans []*Plan, limits []int64) Statistics {
	whole := newTally(limits)
	stats := Statistics{Traces: make([]Shape, 0, len(plans))}
	for _, plan := range plans {
		own := newTally(limits)
		own.add(plan)
		whole.add(plan)
		shape := own.shape()
		shape.Trace = plan.Trace
		stats.Traces = append(stats.Traces, shape)
	}
	stats.Corpus = whole.shape()
	return stats
}

// lengthSet collects the lengths of some requests.
type lengthSet struct{ in, out []float64 }

func (l *lengthSet) add(turn *Turn) {
	l.in = append(l.in, float64(turn.In))
	l.out = append(l.out, float64(turn.Out))
}

func (l *lengthSet) lengths(from, to int) Lengths {
	return Lengths{From: from, To: to, ISL: quantilesOf(l.in), OSL: quantilesOf(l.out)}
}

// tally collects the values that a Shape describes.
type tally struct {
	counts                        Shape
	fanOut, makespan, gaps, peaks []float64
	all                           lengthSet
	byDepth                       []lengthSet
	byTurn                        [len(turnRanges)]lengthSet
	seen                          map[[32]byte]bool // digests of the traces' requests
}

func newTally(limits []int64) *tally {
	t := &tally{counts: Shape{Kinds: map[ConversationKind]int{}}, seen: map[[32]byte]bool{}}
	for _, bound := range longGapBounds {
		t.counts.LongGaps = append(t.counts.LongGaps, Over{Bound: bound})
	}
	for _, limit := range limits {
		t.counts.Limits = append(t.counts.Limits, LimitFits{Limit: limit})
	}
	return t
}

func (t *tally) add(plan *Plan) {
	c := &t.counts
	c.Traces++
	t.peaks = append(t.peaks, float64(plan.PeakContext))
	requests, tokens := c.Requests, c.InTokens
	first, last, timed := 0.0, 0.0, false
	digest := blake3.New()
	for i := range plan.Conversations {
		conversation := &plan.Conversations[i]
		t.addConversation(conversation)
		for k := range conversation.Turns {
			turn := &conversation.Turns[k]
			t.addTurn(turn, conversation.Depth, k)
			fmt.Fprintln(digest, i, turn.In, turn.Out, float64(turn.TMs), turn.TotalBlocks)
			if !turn.TMs.Present() {
				continue
			}
			start := float64(turn.TMs)
			end := start + turn.APIMs.Or(0)
			if !timed {
				first, last, timed = start, end, true
			}
			first, last = min(first, start), max(last, end)
		}
	}
	t.addTrace(plan, c.Requests-requests, c.InTokens-tokens, [32]byte(digest.Sum(nil)))
	if timed {
		t.makespan = append(t.makespan, (last-first)/1000)
	}
}

// addTrace counts a trace with so many requests and input tokens.
func (t *tally) addTrace(plan *Plan, requests int, tokens int64, digest [32]byte) {
	c := &t.counts
	if t.seen[digest] {
		c.Copies++
	}
	t.seen[digest] = true
	for i := range c.Limits {
		fits := &c.Limits[i]
		if plan.PeakContext > fits.Limit {
			fits.TracesOver++
			continue
		}
		fits.TracesFit++
		fits.RequestsFit += requests
		fits.InTokensFit += tokens
	}
}

func (t *tally) addConversation(conversation *Conversation) {
	c := &t.counts
	c.Conversations++
	c.Kinds[conversation.Kind]++
	c.Depth = max(c.Depth, conversation.Depth)
	for _, branch := range conversation.Branches {
		c.Branches++
		t.fanOut = append(t.fanOut, float64(len(branch.Children)))
		if branch.JoinTurn >= 0 {
			c.Joined++
		} else {
			c.Background++
		}
		if branch.SpawnAtIssue {
			c.AtIssue++
		}
	}
}

func (t *tally) addTurn(turn *Turn, depth, k int) {
	c := &t.counts
	c.Requests++
	c.InTokens += turn.In
	c.OutTokens += turn.Out
	c.HitBlocks += int64(turn.HitBlocks)
	c.Blocks += int64(turn.TotalBlocks)
	c.HitTokens += turn.HitTokens
	for i := range c.Limits {
		if turn.In+turn.MaxOut > c.Limits[i].Limit {
			c.Limits[i].RequestsOver++
		}
	}
	t.all.add(turn)
	for len(t.byDepth) <= depth {
		t.byDepth = append(t.byDepth, lengthSet{})
	}
	t.byDepth[depth].add(turn)
	for i, bounds := range turnRanges {
		if bounds[0] <= k && (k <= bounds[1] || bounds[1] < 0) {
			t.byTurn[i].add(turn)
		}
	}
	if turn.GapMs.Present() {
		gap := float64(turn.GapMs) / 1000
		t.gaps = append(t.gaps, gap)
		c.GapSumS += gap
		for i := range c.LongGaps {
			if gap > c.LongGaps[i].Bound {
				c.LongGaps[i].Count++
			}
		}
	}
}

func (t *tally) shape() Shape {
	shape := t.counts
	shape.FanOut, shape.MakespanS, shape.GapS = quantilesOf(t.fanOut), quantilesOf(t.makespan), quantilesOf(t.gaps)
	shape.PeakTokens = quantilesOf(t.peaks)
	shape.ISL, shape.OSL = quantilesOf(t.all.in), quantilesOf(t.all.out)
	for depth := range t.byDepth {
		shape.ByDepth = append(shape.ByDepth, t.byDepth[depth].lengths(depth, depth))
	}
	for i, bounds := range turnRanges {
		if len(t.byTurn[i].in) > 0 {
			shape.ByTurn = append(shape.ByTurn, t.byTurn[i].lengths(bounds[0], bounds[1]))
		}
	}
	return shape
}
