package prep

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostTraces is how many traces the printed table has; JSON has all.
const mostTraces = 20

func printStatsText(out io.Writer, whole namedStatistics, each []namedStatistics) error {
	p := &printer{out: out}
	s := whole.Statistics
	if whole.Trace != "" {
		p.row("trace", "%s", whole.Trace)
	} else {
		p.row("traces", "%s, of which %s have the same requests as one before them", count(s.Traces), count(s.Copies))
	}
	var kinds []string
	total := 0
	for _, kind := range kindOrder {
		if n := s.Conversations[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%s %s", kind, count(n)))
			total += n
		}
	}
	p.row("conversations", "%s (%s), depth up to %d", count(total), strings.Join(kinds, ", "), s.Depth)
	p.row("turns", "%s", count(s.Turns))
	p.row("branches", "%s: %s joined, %s in the background; %s spawned while their turn was being answered",
		count(s.Branches), count(s.Branches-s.Background), count(s.Background), count(s.SpawnAtIssue))
	if s.TotalBlocks > 0 {
		p.row("cache", "%.2f %% of blocks (%s of %s) and %.2f %% of input tokens are hits in theory", percent(s.HitBlocks, s.TotalBlocks), count(s.HitBlocks), count(s.TotalBlocks),
			100*float64(s.HitTokens)/max(1, s.In.Sum))
	}
	p.f("\n%-22s %8s %12s %10s %10s %10s %10s %10s %10s %10s\n", "", "count", "mean", "min", "p25", "p50", "p75", "p90", "p99", "max")
	for _, line := range []struct {
		name string
		q    Quantiles
	}{
		{"input tokens", s.In}, {"output tokens", s.Out}, {"peak context of traces", s.Peak}, {"gap, s", s.Gaps}, {"makespan, s", s.Makespan}, {"children per branch", s.FanOut},
	} {
		quantileRow(p, line.name, line.q)
	}
	for _, part := range []struct {
		name   string
		groups []Group
	}{{"depth", s.ByDepth}, {"turn", s.ByTurn}} {
		for _, g := range part.groups {
			quantileRow(p, fmt.Sprintf("%s %s: input", part.name, g.Name), g.In)
			quantileRow(p, fmt.Sprintf("%s %s: output", part.name, g.Name), g.Out)
		}
	}
	p.f("\n%14s %14s %22s %14s %22s\n", "context limit", "requests over", "traces that fit", "their turns", "their input tokens")
	for _, limit := range s.Limits {
		p.f("%14s %14s %13s (%5.1f%%) %14s %22s\n", count(limit.Limit), count(limit.RequestsOver), count(limit.TracesKept), percent(int64(limit.TracesKept), int64(s.Traces)), count(limit.TurnsKept), count(limit.InKept))
	}
	printTraceTable(p, each)
	return p.err
}

func printTraceTable(p *printer, each []namedStatistics) {
	if len(each) == 0 {
		return
	}
	p.f("\n%-40s %7s %15s %12s %10s %9s %11s %7s\n", "trace", "turns", "input tokens", "out", "peak", "branches", "makespan, s", "hits %")
	slices.SortFunc(each, bySize)
	for _, one := range each[:min(mostTraces, len(each))] {
		p.f("%-40s %7s %15s %12s %10s %9s %11.0f %7.2f\n", one.Trace, count(one.Turns), count(int64(one.In.Sum)), count(int64(one.Out.Sum)), count(int64(one.Peak.Max)), count(one.Branches), one.Makespan.Max, percent(one.HitBlocks, one.TotalBlocks))
	}
	if more := len(each) - mostTraces; more > 0 {
		p.f("… and %d smaller ones (--json lists all)\n", more)
	}
}

func quantileRow(p *printer, name string, q Quantiles) {
	p.f("%-22s %8s", name, count(q.Count))
	for i, value := range []float64{q.Mean, q.Min, q.P25, q.P50, q.P75, q.P90, q.P99, q.Max} {
		width := 10
		if i == 0 {
			width = 12
		}
		p.f(" %*s", width, shortNumber(value))
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
