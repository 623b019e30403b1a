package reportpage

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/promtext"
	"agentx/internal/scenario"
	"agentx/internal/view/paper"
)

func lanesText(count string) string {
	if count == "1" {
		return "1 lane"
	}
	return count + " lanes"
}

// identity says in a line what ran.
func identity(r *Run) string {
	parts := []string{"agentx " + r.Config.Version, strings.Join(r.Config.Models, ", "), lanesText(r.Settings.Text("concurrency"))}
	if p := r.Phase(measure.PhaseProfiling); p != nil && p.DurationNs > 0 {
		parts = append(parts, paper.Number(float64(p.DurationNs)/1e9)+" s")
	}
	parts = append(parts, fmt.Sprintf("seed %d", r.Config.Seed))
	if r.Config.Scenario != "" {
		parts = append(parts, r.Config.Scenario)
	}
	if r.Config.Simulated {
		parts = append(parts, "simulated: no server was there")
	}
	if r.Clock.Known() {
		parts = append(parts, r.Clock.Time(0).Format("2006-01-02 15:04:05 UTC"))
	}
	return strings.Join(parts, " | ")
}

// verdict is the judgement with its reasons and checks.
func verdict(r *Run) []paper.Block {
	v := &r.Verdict
	tone := paper.Plain
	switch {
	case v.Scenario != "" && !v.Valid, !v.Complete:
		tone = paper.Bad
	case v.Scenario != "":
		tone = paper.Good
	}
	blocks := []paper.Block{paper.Paragraph{Text: "Verdict: " + v.Line() + ".", Tone: tone}}
	if len(v.Checks) == 0 {
		return blocks
	}
	t := &paper.Table{Header: []string{"judged", "result", "value", "limit", "detail"}, Texts: 5, Fold: 1}
	order := func(c measure.Check) int {
		return slices.Index([]measure.CheckResult{measure.CheckFail, measure.CheckNotEvaluated, measure.CheckPass}, c.Result)
	}
	sorted := slices.Clone(v.Checks)
	slices.SortStableFunc(sorted, func(a, b measure.Check) int { return order(a) - order(b) })
	for _, c := range sorted {
		t.Row(c.Name, string(c.Result), c.Value, c.Limit, c.Detail)
		if c.Result == measure.CheckFail {
			t.Mark(1, paper.Bad)
			t.Fold = len(t.Rows)
		}
	}
	return append(blocks, t)
}

// headline are the numbers that are asked for first, with intervals.
func headline(r *Run) []paper.Block {
	rates := &paper.Table{Header: []string{"figure", "unit", "value", "95 % interval", "trees"}, Texts: 2}
	for _, row := range compare.RunIntervals(r.Analysis) {
		interval := "fewer than 6 trees"
		if !math.IsNaN(row.Low) {
			interval = paper.Number(row.Low) + " … " + paper.Number(row.High)
		}
		rates.Row(headerOf(row.Tag), row.Unit, paper.Number(row.Value), interval, fmt.Sprint(row.Trees))
	}
	text := "Intervals: whole session trees drawn with replacement, since requests of one tree depend on each other. They say how far another run of the same length would differ by its choice of sessions, not what another day or server would bring."
	window := "Rates: all valid requests of the profiling, also those that came back in the grace period, divided by the duration; the summary's line Window counts only what came in it."
	return []paper.Block{paper.Heading{Text: "Headline numbers"}, latencies(r), rates, paper.Paragraph{Text: text, Tone: paper.Dim}, paper.Paragraph{Text: window, Tone: paper.Dim}}
}

// latencies is a row for each metric of requests, with its interval in each cell where there are trees enough.
func latencies(r *Run) *paper.Table {
	statistics := []string{"avg", "p50", "p90", "p99"}
	t := &paper.Table{Header: append([]string{"figure", "unit"}, statistics...), Texts: 2}
	cells := map[[2]string]string{}
	for _, row := range r.Bootstrap() {
		cell := paper.Number(row.Value)
		if !math.IsNaN(row.Low) {
			cell += " [" + paper.Number(row.Low) + " … " + paper.Number(row.High) + "]"
		}
		cells[[2]string{row.Tag, row.Statistic}] = cell
	}
	for _, tag := range []string{"time_to_first_token", "request_latency", "inter_token_latency", "output_token_throughput_per_user"} {
		result, ok := r.Own.Get(tag)
		if !ok {
			continue
		}
		row := []string{headerOf(tag), result.Unit}
		for i, percentile := range []float64{0, 50, 90, 99} {
			cell, known := cells[[2]string{tag, statistics[i]}]
			switch {
			case known:
			case percentile == 0:
				cell = paper.Number(result.Stats.Avg)
			default:
				cell = paper.Number(result.Stats.Percentile(percentile))
			}
			row = append(row, cell)
		}
		t.Row(row...)
	}
	return t
}

// headerOf is a metric's name in words, or its tag where it has none.
func headerOf(tag string) string {
	if d, known := measure.Lookup(measure.Definitions(), tag); known && d.Header != "" {
		return d.Header
	}
	return tag
}

// cache puts theory beside what was reachable and what was measured.
func cache(r *Run) []paper.Block {
	t := &paper.Table{Header: []string{"prefix cache", "unit", "value", "meaning"}, Texts: 2, Last: true}
	for _, row := range []struct{ tag, meaning string }{
		{"theoretical_prefix_cache_hit", "by the recording's block ids, a cache that never forgets"},
		{"theoretical_prefix_cache_hit_tokens_pct", "the same, by tokens"},
		{"reachable_prefix_cache_hit_pct", "what earlier requests of this run made possible"},
		{"overall_usage_prompt_cache_read_pct", "what the server reports as cached"},
		{"reuse_captured_pct", "reported / reachable"},
		{"cached_tokens_coverage_pct", "answers that report cached tokens"},
	} {
		value, ok := r.Own.Average(row.tag)
		if !ok {
			t.Row(row.tag, "%", "n/a", row.meaning)
			continue
		}
		t.Row(row.tag, "%", paper.Number(value), row.meaning)
	}
	return []paper.Block{paper.Heading{Text: "Cache: theory, reachable, measured"}, t}
}

// failures are the kinds of failures.
func failures(r *Run) []paper.Block {
	blocks := []paper.Block{paper.Heading{Text: "Failures"}}
	if len(r.Errors) == 0 {
		return append(blocks, paper.Paragraph{Text: "No request failed."})
	}
	t := &paper.Table{Header: []string{"count", "outcome", "class", "code", "traces", "first s", "last s", "first message"}, Last: true, Fold: 20}
	t.Texts = 0
	for i := range r.Errors {
		g := &r.Errors[i]
		code := ""
		if g.Error.Code != nil {
			code = fmt.Sprint(*g.Error.Code)
		}
		t.Row(fmt.Sprint(g.Count), string(g.Outcome), g.Class, code, fmt.Sprint(g.Traces), seconds(g.First), seconds(g.Last), clipped(g.Error.Type+": "+g.Error.Message, 300))
	}
	return append(blocks, t)
}

func clipped(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return fmt.Sprintf("%s… (%d more characters)", string(runes[:limit]), len(runes)-limit)
}

func seconds(at measure.Stamp) string {
	if !at.Known() {
		return ""
	}
	return paper.Number(float64(at) / 1e9)
}

// slowest is how many trees are listed.
const slowest = 15

// sessions sums up the session trees.
func sessions(r *Run) []paper.Block {
	var makespans, slowdowns []float64
	for i := range r.Sessions {
		tree := &r.Sessions[i]
		makespans = append(makespans, float64(tree.MakespanNs())/1e9)
		if value, ok := tree.Slowdown(); ok {
			slowdowns = append(slowdowns, value)
		}
	}
	text := fmt.Sprintf("%d trees sent requests in profiling.", len(r.Sessions))
	if stats, ok := measure.Distribute(makespans); ok {
		text += fmt.Sprintf(" First start to last end: median %s s, p90 %s s.", paper.Number(stats.Percentile(50)), paper.Number(stats.Percentile(90)))
	}
	if stats, ok := measure.Distribute(slowdowns); ok {
		text += fmt.Sprintf(" Request time against the recorded one: median %s, p90 %s.", paper.Number(stats.Percentile(50)), paper.Number(stats.Percentile(90)))
	}
	trees := make([]*measure.TreeRollup, len(r.Sessions))
	for i := range r.Sessions {
		trees[i] = &r.Sessions[i]
	}
	slices.SortStableFunc(trees, func(a, b *measure.TreeRollup) int { return int(min(max(b.ServerNs-a.ServerNs, -1), 1)) })
	t := &paper.Table{Header: []string{"trace", "lane", "play", "fate", "requests", "failed", "span s", "in requests s", "waiting s", "slowdown", "in tokens", "out tokens", "critical path"}}
	for _, tree := range trees[:min(len(trees), slowest)] {
		slow := "n/a"
		if value, ok := tree.Slowdown(); ok {
			slow = paper.Number(value)
		}
		t.Row(tree.Trace, fmt.Sprint(tree.Lane), fmt.Sprint(tree.Pass), tree.Fate, fmt.Sprint(tree.Requests), fmt.Sprint(tree.Errors+tree.Overflows),
			paper.Number(float64(tree.MakespanNs())/1e9), paper.Number(float64(tree.ServerNs)/1e9), paper.Number(float64(tree.ThinkNs())/1e9), slow,
			count(tree.ISL.Or(0)), count(tree.OSL.Or(0)), fmt.Sprintf("%d requests, %s s", tree.Critical.Requests, paper.Number(float64(tree.Critical.ServerNs)/1e9)))
	}
	blocks := []paper.Block{paper.Heading{Text: "Sessions"}, paper.Paragraph{Text: text}}
	if len(t.Rows) > 0 {
		blocks = append(blocks, paper.Paragraph{Text: fmt.Sprintf("The %d trees that kept the server busiest:", len(t.Rows)), Tone: paper.Dim}, t)
	}
	return blocks
}

// circumstances are what the client, the corpus and the settings were.
func circumstances(r *Run) []paper.Block {
	t := &paper.Table{Header: []string{"what", "value"}, Texts: 2}
	add := func(name, value string) {
		if value != "" {
			t.Row(name, value)
		}
	}
	h := r.Config.Host
	add("client", fmt.Sprintf("%s %s %s on %s, %s/%s, %d CPUs, %s", r.Config.Program, r.Config.Version, r.Config.Commit, h.Name, h.OS, h.Arch, h.CPUs, h.Go))
	add("command", strings.Join(r.Config.Args, " "))
	add("corpus", fmt.Sprintf("%d traces, content digest %s, key %s", len(r.Config.Bundle.Traces), short(r.Config.Bundle.ContentDigest), short(r.Config.Bundle.Key)))
	content := scenario.ContentOf(r.Config.Bundle.Manifest)
	add("data set", strings.TrimSpace(content.Loader+" "+content.Repository+" "+content.Revision))
	for _, s := range r.Servers {
		add("server "+s.URL, strings.TrimSpace(fmt.Sprintf("%s, models %s, longest context %d %s", serverName(s.Server, s.Version), strings.Join(s.Models, " "), s.MaxModelLen, s.Error)))
	}
	add("urls", strings.Join(r.Config.URLs, ", "))
	add("token counts", string(r.Basis.Source))
	add("run", r.Config.RunID+", benchmark "+r.Config.BenchmarkID)
	for _, name := range r.Config.Explicit {
		add("--"+name, r.Settings.Text(name))
	}
	blocks := []paper.Block{paper.Heading{Text: "Client, corpus, settings"}, t, paper.Heading{Text: "Comparability"}}
	if len(r.Verdict.Notes) == 0 {
		return append(blocks, paper.Paragraph{Text: "Nothing that would make this run hard to compare with others."})
	}
	notes := &paper.Table{Header: []string{"setting", "value", "default", "effect"}, Texts: 4}
	for _, n := range r.Verdict.Notes {
		notes.Row(n.Setting, n.Value, n.Default, n.Effect)
	}
	return append(blocks, notes)
}

// serverMetrics are what the servers say of themselves over the window.
func serverMetrics(r *Run) []paper.Block {
	if r.Server == nil {
		return nil
	}
	t := &paper.Table{Header: []string{"metric", "server", "average", "most", "grew by"}, Texts: 2}
	wanted := promtext.FactNames()
	for _, m := range r.Server.Metrics {
		if !slices.Contains(wanted, m.Name) {
			continue
		}
		for _, s := range m.Series {
			stats, ok := s.Over(m.Type, r.Own.Window)
			switch {
			case ok && stats.Gauge != nil:
				t.Row(m.Name, s.URL, paper.Number(stats.Gauge.Avg), paper.Number(stats.Gauge.Max), "")
			case ok && stats.Counter != nil:
				t.Row(m.Name, s.URL, "", "", paper.Number(stats.Counter.Total))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []paper.Block{paper.Heading{Text: "The server's own figures"}, t}
}
