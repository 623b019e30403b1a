package reportpage

import (
	"fmt"
	"slices"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/view/figure"
	"agentx/internal/view/paper"
)

// valuesOf are a metric's values over the chosen requests.
func valuesOf(r *Run, tag string) (values []float64, d *measure.Definition) {
	d, known := measure.Lookup(measure.Definitions(), tag)
	if !known {
		return nil, &measure.Definition{Tag: tag, Header: tag}
	}
	for _, q := range r.Selected {
		if value, ok := d.Value(q, &r.Basis); ok {
			values = append(values, value)
		}
	}
	return values, d
}

// distributions are the figures of latencies.
func distributions(r *Run) []paper.Block {
	blocks := []paper.Block{paper.Heading{Text: "Distributions"}, byUncached(r)}
	for _, tag := range []string{"time_to_first_token", "inter_token_latency", "request_latency"} {
		values, d := valuesOf(r, tag)
		blocks = append(blocks, paper.Figure{
			SVG:     figure.Distributions([]figure.Series{{Name: r.Label, Values: values}}, d.Header+", "+d.Unit),
			Caption: fmt.Sprintf("%s of %d requests; %d valid ones have no value.", d.Header, len(values), r.Own.Totals.Valid-len(values)),
		})
	}
	return blocks
}

// byUncached shows the time to first token by what the server had to compute: the input that it did not
// report as cached, or where it reports nothing the whole input.
func byUncached(r *Run) paper.Figure {
	ttft, _ := measure.Lookup(measure.Definitions(), "time_to_first_token")
	reported := r.Own.Totals.Captured.Reporting > 0
	groups := map[int][]float64{}
	left := 0
	for _, q := range r.Selected {
		value, ok := ttft.Value(q, &r.Basis)
		if !ok {
			continue
		}
		tokens := q.Tokens.Input
		if reported {
			tokens = measure.NoCount
			if u := &q.Tokens.Usage; u.Prompt.Known() && u.CacheRead.Known() {
				tokens = max(u.Prompt-u.CacheRead, 0)
			}
		}
		if !tokens.Known() {
			left++
			continue
		}
		low := 0
		for limit := 128; int(tokens) >= limit; limit *= 2 {
			low = limit
		}
		groups[low] = append(groups[low], value)
	}
	var list []figure.Group
	for low := 0; low <= 1<<30; low = max(low*2, 128) {
		if values := groups[low]; len(values) > 0 {
			list = append(list, figure.Group{Label: roundLabel(low), Boxes: []figure.Box{boxOf(values)}})
		}
	}
	what := "uncached input tokens"
	if !reported {
		what = "input tokens (the server reports no cached ones)"
	}
	caption := "Boxes are quartiles, lines go to p10 and p90; groups double from 128 tokens on; 1k is 1,024."
	if left > 0 {
		caption += fmt.Sprintf(" %d requests without a count are left out.", left)
	}
	return paper.Figure{SVG: figure.Boxes(list, []string{r.Label}, what, "time to first token, ms"), Caption: caption}
}

// roundLabel names the group of a least number of tokens.
func roundLabel(low int) string {
	if low >= 1024 {
		return fmt.Sprintf("%dk+", low/1024)
	}
	return fmt.Sprintf("%d+", low)
}

func boxOf(values []float64) figure.Box {
	stats, ok := measure.Distribute(slices.Clone(values))
	if !ok {
		return figure.Box{}
	}
	return figure.Box{P10: stats.Percentile(10), P25: stats.Percentile(25), P50: stats.Percentile(50), P75: stats.Percentile(75), P90: stats.Percentile(90), Count: len(values)}
}

// timeline shows rates over the window.
func timeline(r *Run) []paper.Block {
	times := compare.Timeline(r.Analysis)
	if times.StepSeconds <= 0 {
		return nil
	}
	x := "seconds after profiling start"
	note := fmt.Sprintf(", in steps of %s s", paper.Number(times.StepSeconds))
	return []paper.Block{
		paper.Heading{Text: "Throughput over time"},
		paper.Figure{SVG: figure.Lines([]figure.Series{{Name: "output", Points: curve(times.StepSeconds, times.OutputTokens)}}, x, "output tokens/s"),
			Caption: "Output tokens by the time their chunks came" + note + "."},
		paper.Figure{SVG: figure.Lines([]figure.Series{{Name: "input", Points: curve(times.StepSeconds, times.InputTokens)}}, x, "input tokens/s"),
			Caption: "Input tokens when their first token came, cached ones included" + note + "."},
		paper.Figure{SVG: figure.Lines([]figure.Series{{Name: "in flight", Points: curve(times.StepSeconds, times.InFlight)}}, x, "requests in flight"),
			Caption: "Requests in flight, failed ones included" + note + "."},
	}
}

func curve(step float64, values []float64) []figure.Point {
	list := make([]figure.Point, len(values))
	for i, v := range values {
		list[i] = figure.Point{X: (float64(i) + 0.5) * step, Y: v}
	}
	return list
}
