package diffview

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/view/paper"
)

// inCommon is model and concurrency, each where all runs have the same, for the title.
func inCommon(in *Input) (words string) {
	for _, fact := range []func(*measure.Analysis) string{
		func(a *measure.Analysis) string { return strings.Join(a.Config.Models, ", ") },
		func(a *measure.Analysis) string {
			if lanes, set := a.Settings.Float("concurrency"); set {
				return "concurrency " + paper.Number(lanes)
			}
			return ""
		},
	} {
		word, same := "", true
		for _, side := range in.Sides {
			for _, run := range side.Runs {
				if word == "" {
					word = fact(run)
				}
				same = same && fact(run) == word
			}
		}
		if same && word != "" {
			words += " · " + word
		}
	}
	return words
}

// document is the comparison as sections, with figures for pages.
func document(in *Input, figures bool) *paper.Document {
	d := &paper.Document{Title: "agentx diff: A " + in.Sides[0].Label + ", B " + in.Sides[1].Label + inCommon(in)}
	d.Add(sides(in), comparable(in))
	if t := circumstances(in); len(t.Rows) > 0 {
		d.Add(t)
	}
	for _, line := range clients(in) {
		d.Add(paper.Paragraph{Text: line, Tone: paper.Dim})
	}
	d.Add(paper.Heading{Text: "Result"}, conclusion(in))
	d.Add(headline(in))
	if figures {
		d.Add(forest(in))
	}
	d.Add(checks(in)...)
	d.Add(turns(in, in.All || figures)...)
	d.Add(requests(in, in.All || figures)...)
	if figures {
		d.Add(pictures(in)...)
	}
	d.Add(buckets(in)...)
	d.Add(changes(in)...)
	d.Add(others(in)...)
	d.Add(method(in)...)
	return d
}

func sides(in *Input) *paper.Table {
	t := &paper.Table{Header: []string{"side", "log", "version", "seed", "lanes", "window s", "requests", "failed", "trees"}, Texts: 3}
	for i, side := range in.Sides {
		trees := in.TreesA
		if i == 1 {
			trees = in.TreesB
		}
		for k, a := range side.Runs {
			path, count := "", fmt.Sprint(trees)
			if k < len(side.Paths) {
				path = side.Paths[k]
			}
			if len(side.Runs) > 1 {
				count = ""
			}
			t.Row(string(rune('A'+i)), path, a.Config.Version, fmt.Sprint(a.Config.Seed), a.Settings.Text("concurrency"),
				paper.Number(compare.WindowSeconds(a)), fmt.Sprint(a.Population.Sent), fmt.Sprint(a.Own.Totals.Errors+a.Own.Totals.Skipped), count)
		}
	}
	return t
}

// comparable says first whether the numbers may be held against each other.
func comparable(in *Input) paper.Paragraph {
	refused, explaining := 0, 0
	for _, d := range in.Differing {
		switch d.Weight {
		case compare.Refuse:
			refused++
		case compare.Explains:
			explaining++
		}
	}
	switch {
	case refused > 0:
		return paper.Paragraph{Tone: paper.Bad, Text: fmt.Sprintf("NOT COMPARABLE (%s); shown because --force was given: what follows says nothing about the servers.", counted(refused, "reason", "reasons"))}
	case explaining > 0:
		return paper.Paragraph{Tone: paper.Warn, Text: fmt.Sprintf("Comparable, but %s may explain what is found:", counted(explaining, "other circumstance", "other circumstances"))}
	case len(in.Differing) > 0:
		return paper.Paragraph{Tone: paper.Good, Text: "Comparable: corpus, load, window and server set-up are the same. To be known:"}
	}
	return paper.Paragraph{Tone: paper.Good, Text: "Comparable: corpus, load, seed, window, server set-up and client are the same."}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func circumstances(in *Input) *paper.Table {
	t := &paper.Table{Header: []string{"weight", "topic", "what", "A", "B", "effect"}, Texts: 5, Last: true}
	for _, d := range in.Differing {
		t.Row(string(d.Weight), d.Topic, d.Name, d.A, d.B, d.Effect)
		if d.Weight == compare.Refuse {
			t.Mark(0, paper.Bad)
		}
		if d.Weight == compare.Explains {
			t.Mark(0, paper.Warn)
		}
	}
	return t
}

// clients say how honest the clients were.
func clients(in *Input) []string {
	var lines []string
	for i, c := range in.Clients {
		text := fmt.Sprintf("Client %c: lateness p50 %s ms, p99 %s ms, max %s ms", 'A'+i, paper.Number(c.LatenessP50Ms), paper.Number(c.LatenessP99Ms), paper.Number(c.LatenessMaxMs))
		if c.Samples > 0 {
			text += fmt.Sprintf("; CPU at most %.0f %% of its cores, machine at most %.0f %%; read delay p99 at most %s ms; log queue at most %d events",
				100*c.CPUShareMax, 100*c.MachineShareMax, paper.Number(c.ReadDelayP99Ms), c.QueueEventsMax)
		}
		if c.Limited != "" {
			text += "; CLIENT-LIMITED: " + c.Limited
		}
		lines = append(lines, text+".")
	}
	return lines
}

// conclusion is the answer in one sentence.
func conclusion(in *Input) paper.Paragraph {
	worse, better, changed := []string{}, []string{}, []string{}
	for _, f := range in.Findings() {
		text := rowName(f) + " " + change(&f.Estimate)
		if f.Scale == compare.ScaleDifference {
			text = rowName(f) + " " + paper.Signed(f.Delta()) + " " + f.Unit
		}
		switch f.Word() {
		case "worse":
			worse = append(worse, text)
		case "better":
			better = append(better, text)
		default:
			changed = append(changed, text)
		}
	}
	total := len(in.Headline())
	silent := total - len(worse) - len(better) - len(changed)
	var parts []string
	for _, group := range []struct {
		word string
		list []string
	}{{"worse", worse}, {"better", better}, {"changed", changed}} {
		if len(group.list) > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d of %d headline figures (%s)", group.word, len(group.list), total, strings.Join(group.list, "; ")))
		}
	}
	tone := paper.Plain
	switch {
	case len(worse) > 0:
		tone = paper.Bad
	case len(better) > 0:
		tone = paper.Good
	}
	if len(parts) == 0 {
		return paper.Paragraph{Text: fmt.Sprintf("No difference that chance does not explain in any of %d headline figures.", total)}
	}
	text := "B is " + strings.Join(parts, "; ") + "."
	if silent > 0 {
		text += fmt.Sprintf(" The other %d show nothing that chance does not explain.", silent)
	}
	return paper.Paragraph{Text: text, Tone: tone}
}

// rowName names a headline row.
func rowName(h compare.Headline) string {
	if h.SameTurns {
		return h.Tag + " over the same turns"
	}
	if h.Statistic == "avg" {
		return h.Tag
	}
	return h.Tag + "." + h.Statistic
}

func headline(in *Input) *paper.Table {
	t := &paper.Table{Header: []string{"", "figure", "unit", "A", "B", "difference", "change", "95 % interval", "p (Holm)", "trees"}, Texts: 3}
	if in.Repeated {
		t.Header[9] = "runs or trees"
	}
	for _, h := range in.Headline() {
		row := h.Row
		t.Row(h.Word(), rowName(h), row.Unit, paper.Number(row.A), paper.Number(row.B), paper.Signed(row.Delta()), change(&row.Estimate), interval(&row.Estimate, row.Unit),
			probability(row.Adjusted), fmt.Sprint(row.Units))
		t.Mark(0, tone(h.Word()))
	}
	return t
}

func tone(word string) paper.Tone {
	switch word {
	case "better":
		return paper.Good
	case "worse":
		return paper.Bad
	case "changed":
		return paper.Warn
	}
	return paper.Dim
}

// checks are the thresholds of --fail-if.
func checks(in *Input) []paper.Block {
	if len(in.Checks) == 0 {
		return nil
	}
	t := &paper.Table{Header: []string{"threshold", "reached", "A", "B", "change", "remark"}, Texts: 2, Last: true}
	for _, c := range in.Checks {
		reached, mark := "no", paper.Good
		remark := c.Reason
		if c.Reached {
			reached, mark = "yes", paper.Bad
			if remark == "" && c.Sure {
				remark = "the whole interval reaches it"
			} else if remark == "" {
				remark = "the interval does not wholly reach it"
			}
		}
		text := paper.Signed(c.Change)
		if c.Relative {
			text = paper.Percent(c.Change)
		}
		t.Row(c.Text, reached, paper.Number(c.A), paper.Number(c.B), text, remark)
		t.Mark(1, mark)
	}
	return []paper.Block{paper.Heading{Text: "Thresholds"}, t}
}

// turns are the matched pairs.
func turns(in *Input, whole bool) []paper.Block {
	m := &in.Matching
	text := fmt.Sprintf("%d turns were answered on both sides: same trace, same play of it, same conversation, turn and prompt length; %d more only by A, %d only by B.",
		len(m.Pairs), m.OnlyA, m.OnlyB)
	if m.OtherPrompt > 0 {
		text += fmt.Sprintf(" %d were left out because their prompts have another recorded length.", m.OtherPrompt)
	}
	blocks := []paper.Block{paper.Heading{Text: "The same turns"}, paper.Paragraph{Text: text}}
	if len(in.Turns) == 0 {
		return blocks
	}
	t := &paper.Table{Header: []string{"", "mean of", "unit", "A", "B", "change", "95 % interval", "p", "median ratio", "B higher", "lower", "equal", "p (Wilcoxon)"}, Texts: 3}
	for i := range in.Turns {
		row := &in.Turns[i]
		if !whole && !shownShort(&row.Row) {
			continue
		}
		t.Row(row.Word(), row.Tag, row.Unit, paper.Number(row.A), paper.Number(row.B), change(&row.Estimate), interval(&row.Estimate, row.Unit), probability(row.P),
			bare(row.MedianRatio), fmt.Sprint(row.Higher), fmt.Sprint(row.Lower), fmt.Sprint(row.Equal), probability(row.Wilcoxon))
		t.Mark(0, tone(row.Word()))
	}
	return append(blocks, t)
}

func requests(in *Input, whole bool) []paper.Block {
	left := 0
	text := fmt.Sprintf("Each side's own requests: %d trees of A, %d of B, %d of them paired.", in.TreesA, in.TreesB, in.TreesBoth)
	if in.Repeated {
		text = "Figures of repeated runs, by Welch's t test."
	}
	t := &paper.Table{Header: []string{"", "metric", "statistic", "unit", "A", "B", "difference", "change", "95 % interval", "p"}, Texts: 4, Fold: 60}
	for i := range in.Requests {
		row := &in.Requests[i]
		if !whole && !shownShort(row) {
			left++
			continue
		}
		t.Row(row.Word(), row.Tag, row.Statistic, row.Unit, paper.Number(row.A), paper.Number(row.B), paper.Signed(row.Delta()), change(&row.Estimate), interval(&row.Estimate, row.Unit), probability(row.P))
		t.Mark(0, tone(row.Word()))
	}
	if left > 0 {
		text += fmt.Sprintf(" %d rows of lesser metrics that show no difference are left out (--all).", left)
	}
	return []paper.Block{paper.Heading{Text: "All requests"}, paper.Paragraph{Text: text}, t}
}

// shownShort are the rows that are shown without --all: what people look at, and what differs.
func shownShort(row *compare.Row) bool {
	switch row.Tag {
	case "time_to_first_token", "request_latency", "inter_token_latency", "output_token_throughput_per_user":
		return row.Headline || row.Estimate.Difference || slices.Contains([]string{"avg", "p50", "p90", "p99"}, row.Statistic)
	case "input_sequence_length", "output_sequence_length", "request_throughput", "output_token_throughput", "total_token_throughput", "goodput",
		"request_error_rate", "overall_usage_prompt_cache_read_pct", "reuse_captured_pct", "reachable_prefix_cache_hit_pct":
		return row.Statistic == "avg" || row.Estimate.Difference
	}
	return row.Headline || row.Estimate.Difference
}

func buckets(in *Input) []paper.Block {
	if len(in.Buckets) == 0 {
		return nil
	}
	t := &paper.Table{Header: []string{"", "by", "bucket", "mean of", "unit", "n A", "n B", "A", "B", "change", "95 % interval", "p"}, Texts: 5, Fold: 45}
	for _, b := range in.Buckets {
		for i := range b.Rows {
			row := &b.Rows[i]
			t.Row(row.Word(), b.By, b.Label, row.Tag, row.Unit, fmt.Sprint(row.CountA), fmt.Sprint(row.CountB), paper.Number(row.A), paper.Number(row.B), change(&row.Estimate),
				interval(&row.Estimate, row.Unit), probability(row.P))
			t.Mark(0, tone(row.Word()))
		}
	}
	return []paper.Block{paper.Heading{Text: "By depth and input length"},
		paper.Paragraph{Text: "For looking closer: these are not corrected for their number, so about one in twenty shows a difference by chance.", Tone: paper.Dim}, t}
}

func changes(in *Input) []paper.Block {
	var blocks []paper.Block
	for _, list := range in.Changes {
		if len(list.Greater)+len(list.Smaller) == 0 {
			continue
		}
		t := &paper.Table{Header: []string{"trace", "conversation", "turn", "play", "depth", "in tokens", "cached A", "cached B", "A", "B", "difference", "exchange A", "B"}, Texts: 2}
		for _, change := range append(append([]compare.Change{}, list.Greater...), list.Smaller...) {
			t.Row(change.Trace, change.Conversation, fmt.Sprint(change.Turn), fmt.Sprint(change.Pass), fmt.Sprint(change.Depth), fmt.Sprint(change.InputTokens),
				count(change.CachedA), count(change.CachedB), paper.Number(change.A), paper.Number(change.B), paper.Signed(change.B-change.A), fmt.Sprint(change.ExchangeA), fmt.Sprint(change.ExchangeB))
		}
		blocks = append(blocks, paper.Heading{Text: fmt.Sprintf("Turns that changed most: %s (%s)", list.Tag, list.Unit)}, t)
	}
	return blocks
}

func count(c measure.Count) string {
	if !c.Known() {
		return "n/a"
	}
	return fmt.Sprint(int64(c))
}

func others(in *Input) []paper.Block {
	if !in.All || len(in.Others) == 0 {
		return nil
	}
	t := &paper.Table{Header: []string{"metric", "statistic", "unit", "A", "B", "difference", "change"}, Texts: 3, Fold: 20}
	for i := range in.Others {
		row := &in.Others[i]
		t.Row(row.Tag, row.Statistic, row.Unit, paper.Number(row.A), paper.Number(row.B), paper.Signed(row.Delta()), change(&row.Estimate))
	}
	return []paper.Block{paper.Heading{Text: "Figures without an interval"}, t}
}

// method says how the numbers came about.
func method(in *Input) []paper.Block {
	lines := []string{
		"Numbers are those of report.json: profiling requests, over the window from profiling start to the end of the duration; a rate counts also the requests that came back in the grace period. ~ means that nothing can be said, ≈ that the sides differ surely, by less than 0.1 %.",
		"Intervals: whole session trees are drawn with replacement (1,000 draws; a tree of A together with the tree of B that replays the same trace for the same time), Student's t on the spread of the logarithm of the ratio, widened by what trees have in common in time. p: A and B exchanged, tree by tree (4,999 exchanges, 999 for percentiles; with few trees all), or the interval's probability where that is greater.",
		"A difference is claimed where p is below 5 %, the interval leaves out no change, and the change is at least 0.1 %. Headline figures are corrected for their number (Holm); the others are not.",
	}
	if in.Repeated {
		lines[1] = "Figures of whole runs: Welch's t test and interval over the runs, on logarithms where all values are above 0. The same turns: trees of the i-th runs of both groups, drawn and exchanged as wholes."
	}
	if few := tooFew(in); few != "" {
		lines = append(lines, few)
	}
	if few := fewTrees(in); few {
		lines = append(lines, "With fewer than 6 trees nothing can be told from chance: make the runs longer, or wider.")
	}
	blocks := []paper.Block{paper.Heading{Text: "How to read this"}}
	for _, line := range lines {
		blocks = append(blocks, paper.Paragraph{Text: line, Tone: paper.Dim})
	}
	return blocks
}

// tooFew says that the correction leaves nothing to find with so few trees.
func tooFew(in *Input) string {
	least := math.Pow(2, 1-float64(in.TreesBoth))
	if in.Repeated || in.TreesBoth < 6 || least*float64(in.HeadlineOf) < 0.05 {
		return ""
	}
	return fmt.Sprintf("With %d pairs of trees no p can be below %s, too much for a correction over %d figures: look at the uncorrected ones, or make the runs longer.", in.TreesBoth, probability(least), in.HeadlineOf)
}

func fewTrees(in *Input) bool {
	for _, h := range in.Headline() {
		if math.IsNaN(h.P) {
			return true
		}
	}
	return false
}
