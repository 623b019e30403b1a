package reportpage

import (
	"fmt"
	"math"
	"slices"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/view/figure"
	"agentx/internal/view/paper"
)

// together holds several runs beside each other.
func together(runs []Run) []paper.Block {
	blocks := []paper.Block{paper.Heading{Text: "All runs"}, overview(runs), pareto(runs)}
	if t := apart(runs); len(t.Rows) > 0 {
		blocks = append(blocks, paper.Paragraph{Text: "In what the runs differ from the first one:"}, t)
	}
	blocks = append(blocks, repeated(runs)...)
	var latency, output []figure.Series
	for i := range runs {
		values, _ := valuesOf(&runs[i], "time_to_first_token")
		latency = append(latency, figure.Series{Name: runs[i].Label, Values: values})
		if times := compare.Timeline(runs[i].Analysis); times.StepSeconds > 0 {
			output = append(output, figure.Series{Name: runs[i].Label, Points: curve(times.StepSeconds, times.OutputTokens)})
		}
	}
	return append(blocks,
		paper.Figure{SVG: figure.Distributions(latency, "Time to First Token, ms"), Caption: "Time to first token of valid profiling requests."},
		paper.Figure{SVG: figure.Lines(output, "seconds after profiling start", "output tokens/s"), Caption: "Output tokens by the time their content came."})
}

// column is a figure of the overview: a statistic of a metric, or without a tag a rate of what came before the
// end of the duration, as in the table of agentx-analyze summary.
type column struct {
	name, tag, statistic string
	rate                 func(*measure.WindowOutput) float64
}

func outputRate() column {
	return column{name: "output tokens/s", rate: func(o *measure.WindowOutput) float64 { return o.OutputTokens }}
}

func columns() []column {
	return []column{
		outputRate(), {name: "requests/s", rate: func(o *measure.WindowOutput) float64 { return float64(o.Completed) }},
		{"TTFT p50 ms", "time_to_first_token", "p50", nil}, {"TTFT p99 ms", "time_to_first_token", "p99", nil},
		{"ITL p50 ms", "inter_token_latency", "p50", nil}, {"latency p50 ms", "request_latency", "p50", nil},
		{"tokens/s/user p50", "output_token_throughput_per_user", "p50", nil}, {"cached %", "overall_usage_prompt_cache_read_pct", "avg", nil},
		{"goodput/s", "goodput", "avg", nil},
	}
}

func statistic(r *Run, c column) float64 {
	if c.rate != nil {
		if seconds := r.Output.Seconds(); seconds > 0 {
			return c.rate(&r.Output) / seconds
		}
		return math.NaN()
	}
	result, ok := r.Own.Get(c.tag)
	switch {
	case !ok:
		return math.NaN()
	case c.statistic == "p50":
		return result.Stats.Percentile(50)
	case c.statistic == "p99":
		return result.Stats.Percentile(99)
	}
	return result.Stats.Avg
}

func overview(runs []Run) *paper.Table {
	t := &paper.Table{Header: []string{"run", "lanes", "window s", "sent", "failed"}, Last: true}
	for _, c := range columns() {
		t.Header = append(t.Header, c.name)
	}
	t.Header = append(t.Header, "verdict")
	for i := range runs {
		r := &runs[i]
		cells := []string{r.Label, r.Settings.Text("concurrency"), paper.Number(compare.WindowSeconds(r.Analysis)), fmt.Sprint(r.Population.Sent), fmt.Sprint(r.Own.Totals.Errors + r.Own.Totals.Skipped)}
		for _, c := range columns() {
			cells = append(cells, paper.Number(statistic(r, c)))
		}
		t.Row(append(cells, r.Verdict.Line())...)
		if v := &r.Verdict; !v.Complete || v.Scenario != "" && !v.Valid {
			t.Mark(len(cells), paper.Bad)
		}
	}
	return t
}

// pareto draws throughput against interactivity: what the server gives in all against what each user
// sees. Runs that no other beats in both are joined.
func pareto(runs []Run) paper.Figure {
	spots := make([]figure.Spot, len(runs))
	perGPU := true
	for i := range runs {
		perGPU = perGPU && runs[i].Options.GPUs > 0
	}
	for i := range runs {
		r := &runs[i]
		throughput := statistic(r, outputRate())
		if perGPU {
			throughput /= float64(r.Options.GPUs)
		}
		spots[i] = figure.Spot{Point: figure.Point{X: statistic(r, column{"", "output_token_throughput_per_user", "p50", nil}), Y: throughput}, Label: r.Label}
	}
	markFront(spots)
	slices.SortStableFunc(spots, func(a, b figure.Spot) int {
		switch {
		case a.X < b.X:
			return -1
		case a.X > b.X:
			return 1
		}
		return 0
	})
	yName := "output tokens/s"
	if perGPU {
		yName += " per accelerator"
	}
	return paper.Figure{SVG: figure.Scatter(spots, "interactivity: output tokens/s per user, median", yName),
		Caption: "Throughput against interactivity; the dashed line joins the runs that no other beats in both."}
}

// markFront marks the spots that no other spot beats in both directions.
func markFront(spots []figure.Spot) {
	for i := range spots {
		a := &spots[i]
		a.Front = !math.IsNaN(a.X) && !math.IsNaN(a.Y)
		for k := range spots {
			b := &spots[k]
			if b.X >= a.X && b.Y >= a.Y && (b.X > a.X || b.Y > a.Y) {
				a.Front = false
			}
		}
	}
}

// apart lists in what the runs differ.
func apart(runs []Run) *paper.Table {
	t := &paper.Table{Header: []string{"run", "weight", "topic", "what", "first run", "this run", "effect"}, Texts: 7, Fold: 40}
	first := compare.Side{Label: runs[0].Label, Runs: []*measure.Analysis{runs[0].Analysis}}
	for i := 1; i < len(runs); i++ {
		for _, d := range compare.Differing(first, compare.Side{Label: runs[i].Label, Runs: []*measure.Analysis{runs[i].Analysis}}) {
			t.Row(runs[i].Label, string(d.Weight), d.Topic, d.Name, d.A, d.B, d.Effect)
			if d.Weight == compare.Refuse {
				t.Mark(1, paper.Bad)
			}
		}
	}
	return t
}

// repeated gives intervals over the runs where they repeat one configuration: nothing that explains
// anything differs.
func repeated(runs []Run) []paper.Block {
	first := compare.Side{Runs: []*measure.Analysis{runs[0].Analysis}}
	for i := 1; i < len(runs); i++ {
		for _, d := range compare.Differing(first, compare.Side{Runs: []*measure.Analysis{runs[i].Analysis}}) {
			if d.Weight != compare.Note {
				return nil
			}
		}
	}
	t := &paper.Table{Header: []string{"figure", "mean", "95 % interval", "standard deviation", "least", "most"}}
	for _, c := range columns() {
		var values []float64
		for i := range runs {
			values = append(values, statistic(&runs[i], c))
		}
		if interval, ok := measure.Confidence(values, 0.95); ok {
			t.Row(c.name, paper.Number(interval.Mean), paper.Number(interval.Low)+" … "+paper.Number(interval.High), paper.Number(interval.Std), paper.Number(interval.Min), paper.Number(interval.Max))
		}
	}
	return []paper.Block{paper.Paragraph{Text: fmt.Sprintf("The %d runs repeat one configuration; Student's t intervals of the means:", len(runs))}, t}
}
