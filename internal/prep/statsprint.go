package prep

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"agentx/corpus"
)

// mostTraces is how many traces the printed table has; JSON has all.
const mostTraces = 20

func printStatsText(out io.Writer, s *corpus.Shape, each []corpus.Shape) error {
	p := &printer{out: out}
	if s.Trace != "" {
		p.row("trace", "%s", s.Trace)
	} else {
		p.row("traces", "%s, %s of them with the same requests as one before", count(s.Traces), count(s.Copies))
	}
	var kinds []string
	for _, kind := range kindOrder {
		if n := s.Kinds[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", kind, count(n)))
		}
	}
	p.row("conversations", "%s (%s), depth up to %d", count(s.Conversations), strings.Join(kinds, ", "), s.Depth)
	p.row("requests", "%s, with %s tokens in and %s out", count(s.Requests), count(s.InTokens), count(s.OutTokens))
	p.row("branches", "%s: %s joined, %s in the background; %s spawned while their turn was being answered",
		count(s.Branches), count(s.Joined), count(s.Background), count(s.AtIssue))
	if s.Blocks > 0 {
		p.row("cache", "%.2f %% of blocks (%s of %s) and %.2f %% of input tokens are hits in theory",
			percent(s.HitBlocks, s.Blocks), count(s.HitBlocks), count(s.Blocks), percent(s.HitTokens, s.InTokens))
	}
	var long []string
	for _, over := range s.LongGaps {
		long = append(long, fmt.Sprintf("%s over %g s", count(over.Count), over.Bound))
	}
	p.row("gaps", "%s, %s s in all; %s", count(s.GapS.Count), count(int64(s.GapSumS)), strings.Join(long, ", "))
	printQuantiles(p, s)
	p.f("\n%14s %22s %22s %16s %22s\n", "context limit", "requests over", "traces that fit", "their requests", "their input tokens")
	for _, limit := range s.Limits {
		p.f("%14s %13s (%5.1f%%) %13s (%5.1f%%) %16s %22s\n", count(limit.Limit), count(limit.RequestsOver), percent(int64(limit.RequestsOver), int64(s.Requests)),
			count(limit.TracesFit), percent(int64(limit.TracesFit), int64(s.Traces)), count(limit.RequestsFit), count(limit.InTokensFit))
	}
	printTraceTable(p, each)
	return p.err
}

func printQuantiles(p *printer, s *corpus.Shape) {
	p.f("\n%-22s %8s %12s %10s %10s %10s %10s %10s %10s %10s %10s\n", "", "count", "mean", "min", "p10", "p25", "p50", "p75", "p90", "p99", "max")
	quantileRow(p, "input tokens", s.ISL)
	quantileRow(p, "output tokens", s.OSL)
	quantileRow(p, "peak context of traces", s.PeakTokens)
	quantileRow(p, "gap, s", s.GapS)
	quantileRow(p, "makespan, s", s.MakespanS)
	quantileRow(p, "children per branch", s.FanOut)
	for _, part := range []struct {
		name   string
		ranges []corpus.Lengths
	}{{"depth", s.ByDepth}, {"turn", s.ByTurn}} {
		for _, lengths := range part.ranges {
			name := part.name + " " + rangeName(lengths.From, lengths.To)
			quantileRow(p, name+": input", lengths.ISL)
			quantileRow(p, name+": output", lengths.OSL)
		}
	}
}

// rangeName is a range of depths or turns.
func rangeName(from, to int) string {
	switch to {
	case from:
		return fmt.Sprint(from)
	case -1:
		return fmt.Sprintf("%d and on", from)
	}
	return fmt.Sprintf("%d–%d", from, to)
}

func printTraceTable(p *printer, each []corpus.Shape) {
	if len(each) == 0 {
		return
	}
	p.f("\n%-40s %8s %15s %12s %10s %9s %11s %7s\n", "trace", "requests", "input tokens", "out", "peak", "branches", "makespan, s", "hits %")
	bySize := slices.SortedStableFunc(slices.Values(each), func(a, b corpus.Shape) int {
		return cmp.Or(cmp.Compare(b.InTokens, a.InTokens), cmp.Compare(a.Trace, b.Trace))
	})
	for i := range bySize[:min(mostTraces, len(bySize))] {
		one := &bySize[i]
		p.f("%-40s %8s %15s %12s %10s %9s %11.0f %7.2f\n", one.Trace, count(one.Requests), count(one.InTokens), count(one.OutTokens),
			count(int64(one.PeakTokens.Max)), count(one.Branches), one.MakespanS.Max, percent(one.HitBlocks, one.Blocks))
	}
	if more := len(each) - mostTraces; more > 0 {
		p.f("… and %d smaller ones (--json lists all)\n", more)
	}
}

func quantileRow(p *printer, name string, q corpus.Quantiles) {
	p.f("%-22s %8s %12s", name, count(q.Count), shortNumber(q.Mean))
	for _, value := range []float64{q.Min, q.P10, q.P25, q.P50, q.P75, q.P90, q.P99, q.Max} {
		p.f(" %10s", shortNumber(value))
	}
	p.f("\n")
}

// shortNumber has no more digits than are of use.
func shortNumber(value float64) string {
	switch {
	case value == float64(int64(value)):
		return count(int64(value))
	case value >= 1000:
		return count(int64(value + 0.5))
	}
	return fmt.Sprintf("%.2f", value)
}

func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
