package prep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"agentx/corpus"
	"agentx/corpus/bundle"
)

// DefaultContextLimits are the context windows that statistics look at, in tokens.
func DefaultContextLimits() []int64 { return []int64{32768, 65536, 131072, 200000, 262144, 1048576} }

// StatsOptions say what to count.
type StatsOptions struct {
	Trace  string // only this trace; empty: the corpus, and a row for each trace
	JSON   bool
	Limits []int64 // context windows
}

// Statistics describe the recorded shape of a corpus or of one trace.
type Statistics struct {
	Traces        int                             `json:"traces"`
	Copies        int                             `json:"copies"` // traces with the same requests as one before them
	Conversations map[corpus.ConversationKind]int `json:"conversations"`
	Turns         int                             `json:"turns"`
	Branches      int                             `json:"branches"`
	Background    int                             `json:"branches_background"`
	SpawnAtIssue  int                             `json:"branches_spawned_at_issue"` // while their turn was being answered
	Depth         int                             `json:"max_depth"`
	In            Quantiles                       `json:"in_tokens"`
	Out           Quantiles                       `json:"out_tokens"`
	FanOut        Quantiles                       `json:"children_per_branch"`
	Gaps          Quantiles                       `json:"gap_seconds"`
	Makespan      Quantiles                       `json:"makespan_seconds"` // of traces: first start to last end
	Peak          Quantiles                       `json:"peak_context"`     // of traces
	HitBlocks     int64                           `json:"hit_blocks"`
	TotalBlocks   int64                           `json:"total_blocks"`
	HitTokens     int64                           `json:"hit_tokens"`
	ByDepth       []Group                         `json:"by_depth"`
	ByTurn        []Group                         `json:"by_turn"`
	Limits        []LimitShare                    `json:"context_limits"`
}

// Group is a part of the turns.
type Group struct {
	Name  string    `json:"name"` // depth, or range of turn numbers
	Turns int       `json:"turns"`
	In    Quantiles `json:"in_tokens"`
	Out   Quantiles `json:"out_tokens"`
}

// LimitShare is what a context window does to a corpus: requests over it, and what is left when
// --max-context-length leaves out every trace that has one.
type LimitShare struct {
	Limit        int64 `json:"limit"`
	RequestsOver int   `json:"requests_over"` // in + output limit
	TracesKept   int   `json:"traces_kept"`
	TurnsKept    int   `json:"turns_kept"`
	InKept       int64 `json:"in_tokens_kept"`
}

// Quantiles summarise values; all are 0 where there are none. A quantile is the value of nearest rank.
type Quantiles struct {
	Count int     `json:"count"`
	Sum   float64 `json:"sum"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	P25   float64 `json:"p25"`
	P50   float64 `json:"p50"`
	P75   float64 `json:"p75"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func quantiles(values []float64) Quantiles {
	if len(values) == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	at := func(share float64) float64 {
		rank := int(math.Ceil(float64(share * float64(len(values)))))
		return values[max(rank, 1)-1]
	}
	return Quantiles{
		Count: len(values), Sum: sum, Mean: sum / float64(len(values)), Min: values[0], Max: values[len(values)-1],
		P25: at(0.25), P50: at(0.5), P75: at(0.75), P90: at(0.9), P99: at(0.99),
	}
}

// series collects the values of statistics.
type series struct {
	stats                                      Statistics
	in, out, fanOut, gaps, makespan, peak      []float64
	inByDepth, outByDepth, inByTurn, outByTurn map[int][]float64
	limits                                     []int64
	seen                                       map[bundle.Digest]bool // requests of traces
}

func newSeries(limits []int64) *series {
	s := &series{limits: limits, inByDepth: map[int][]float64{}, outByDepth: map[int][]float64{}, inByTurn: map[int][]float64{}, outByTurn: map[int][]float64{}, seen: map[bundle.Digest]bool{}}
	s.stats.Conversations = map[corpus.ConversationKind]int{}
	for _, limit := range limits {
		s.stats.Limits = append(s.stats.Limits, LimitShare{Limit: limit})
	}
	return s
}

// add counts a trace.
func (s *series) add(plan *corpus.Plan) {
	s.stats.Traces++
	s.peak = append(s.peak, float64(plan.PeakContext))
	start, end := math.Inf(1), math.Inf(-1)
	turns, in := 0, int64(0)
	var requests []byte
	for c := range plan.Conversations {
		conversation := &plan.Conversations[c]
		s.stats.Conversations[conversation.Kind]++
		s.stats.Depth = max(s.stats.Depth, conversation.Depth)
		for b := range conversation.Branches {
			s.branch(&conversation.Branches[b])
		}
		for k := range conversation.Turns {
			turn := &conversation.Turns[k]
			s.turn(turn, conversation.Depth, k)
			turns++
			in += turn.In
			requests = fmt.Appendf(requests, "%d %d %d %v %d\n", c, turn.In, turn.Out, turn.TMs, turn.TotalBlocks)
			if turn.TMs.Present() {
				start = min(start, float64(turn.TMs))
				end = max(end, float64(turn.TMs)+turn.APIMs.Or(0))
			}
		}
	}
	fingerprint := bundle.Sum(requests)
	if s.seen[fingerprint] {
		s.stats.Copies++
	}
	s.seen[fingerprint] = true
	if end >= start {
		s.makespan = append(s.makespan, (end-start)/1000)
	}
	for i, limit := range s.limits {
		if plan.PeakContext <= limit {
			s.stats.Limits[i].TracesKept++
			s.stats.Limits[i].TurnsKept += turns
			s.stats.Limits[i].InKept += in
		}
	}
}

func (s *series) branch(branch *corpus.Branch) {
	s.stats.Branches++
	if branch.JoinTurn < 0 {
		s.stats.Background++
	}
	if branch.SpawnAtIssue {
		s.stats.SpawnAtIssue++
	}
	s.fanOut = append(s.fanOut, float64(len(branch.Children)))
}

func (s *series) turn(turn *corpus.Turn, depth, number int) {
	s.stats.Turns++
	in, out := float64(turn.In), float64(turn.Out)
	s.in, s.out = append(s.in, in), append(s.out, out)
	s.inByDepth[depth], s.outByDepth[depth] = append(s.inByDepth[depth], in), append(s.outByDepth[depth], out)
	group := turnGroup(number)
	s.inByTurn[group], s.outByTurn[group] = append(s.inByTurn[group], in), append(s.outByTurn[group], out)
	if turn.GapMs.Present() {
		s.gaps = append(s.gaps, float64(turn.GapMs)/1000)
	}
	s.stats.HitBlocks += int64(turn.HitBlocks)
	s.stats.TotalBlocks += int64(turn.TotalBlocks)
	s.stats.HitTokens += turn.HitTokens
	for i, limit := range s.limits {
		if turn.In+turn.MaxOut > limit {
			s.stats.Limits[i].RequestsOver++
		}
	}
}

// turnGroup is 0 for turn 0, 1 for turn 1, 2 for 2–3, 3 for 4–7, and so on.
func turnGroup(number int) int {
	group := 0
	for ; number > 0; number /= 2 {
		group++
	}
	return group
}

func turnGroupName(group int) string {
	if group < 2 {
		return fmt.Sprint(group)
	}
	return fmt.Sprintf("%d–%d", 1<<(group-1), 1<<group-1)
}

// finish gives the statistics.
func (s *series) finish() *Statistics {
	stats := &s.stats
	stats.In, stats.Out, stats.FanOut = quantiles(s.in), quantiles(s.out), quantiles(s.fanOut)
	stats.Gaps, stats.Makespan, stats.Peak = quantiles(s.gaps), quantiles(s.makespan), quantiles(s.peak)
	stats.ByDepth = groups(s.inByDepth, s.outByDepth, func(depth int) string { return fmt.Sprint(depth) })
	stats.ByTurn = groups(s.inByTurn, s.outByTurn, turnGroupName)
	return stats
}

func groups(in, out map[int][]float64, name func(int) string) []Group {
	all := []Group{}
	for number := 0; len(all) < len(in); number++ {
		if values, ok := in[number]; ok {
			all = append(all, Group{Name: name(number), Turns: len(values), In: quantiles(values), Out: quantiles(out[number])})
		}
	}
	return all
}

// namedStatistics are those of one trace.
type namedStatistics struct {
	Trace corpus.TraceID `json:"trace"`
	*Statistics
}

// Stats prints the statistics of a bundle.
func Stats(out io.Writer, path string, options StatsOptions) error {
	for _, limit := range options.Limits {
		if limit < 1 {
			return classed(Usage, fmt.Errorf("context limit %d: expected at least 1", limit))
		}
	}
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	err = stats(out, b, options)
	return errors.Join(err, b.Close())
}

func stats(out io.Writer, b *bundle.Bundle, options StatsOptions) error {
	limits := slices.Compact(slices.Sorted(slices.Values(options.Limits)))
	if options.Trace != "" {
		trace, err := findTrace(b, options.Trace)
		if err != nil {
			return err
		}
		plan, err := b.Plan(trace)
		if err != nil {
			return err
		}
		s := newSeries(limits)
		s.add(plan)
		return printStats(out, namedStatistics{plan.Trace, s.finish()}, nil, options.JSON)
	}
	plans, err := b.Plans()
	if err != nil {
		return err
	}
	whole := newSeries(limits)
	var each []namedStatistics
	for _, plan := range plans {
		whole.add(plan)
		one := newSeries(limits)
		one.add(plan)
		each = append(each, namedStatistics{plan.Trace, one.finish()})
	}
	return printStats(out, namedStatistics{"", whole.finish()}, each, options.JSON)
}

func printStats(out io.Writer, whole namedStatistics, each []namedStatistics, asJSON bool) error {
	if !asJSON {
		return printStatsText(out, whole, each)
	}
	var value any = whole
	if each != nil {
		value = struct {
			Corpus *Statistics       `json:"corpus"`
			Traces []namedStatistics `json:"traces"`
		}{whole.Statistics, each}
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("writing statistics: %w", err)
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// bySize orders traces for print: the greatest input first.
func bySize(a, b namedStatistics) int {
	return cmp.Or(cmp.Compare(b.In.Sum, a.In.Sum), cmp.Compare(a.Trace, b.Trace))
}
