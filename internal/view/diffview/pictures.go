package diffview

import (
	"fmt"
	"math"

	"agentx/internal/compare"
	"agentx/internal/measure"
	"agentx/internal/view/figure"
	"agentx/internal/view/paper"
)

// forest shows the headline changes with their intervals.
func forest(in *Input) paper.Figure {
	var list []figure.Interval
	left := 0
	for _, h := range in.Headline() {
		if h.Scale != compare.ScaleRatio {
			left++
			continue
		}
		row := figure.Interval{Label: rowName(h), Mid: 100 * (h.Ratio() - 1), Low: 100 * (h.Low - 1), High: 100 * (h.High - 1)}
		switch h.Word() {
		case "better":
			row.Tone = 1
		case "worse":
			row.Tone = 2
		case "changed":
			row.Tone = 3
		}
		list = append(list, row)
	}
	caption := "Headline figures: change of B against A with 95 % intervals; grey ones say nothing."
	if left > 0 {
		caption += " Not drawn, since 0 on a side has no ratio: " + counted(left, "figure", "figures") + "."
	}
	if n := figure.Beyond(list); n > 0 {
		caption += fmt.Sprintf(" Beyond ±%d %%, so drawn at the edge: %s.", figure.MostChange, counted(n, "figure", "figures"))
	}
	return paper.Figure{SVG: figure.Intervals(list), Caption: caption}
}

// pictures show both sides on one axis.
func pictures(in *Input) []paper.Block {
	blocks := []paper.Block{paper.Heading{Text: "Both sides on one axis"}}
	for _, tag := range []string{"time_to_first_token", "inter_token_latency", "request_latency"} {
		d, known := measure.Lookup(measure.Definitions(), tag)
		if !known {
			continue
		}
		series := make([]figure.Series, len(in.Sides))
		for i, side := range in.Sides {
			series[i].Name = string(rune('A'+i)) + " " + side.Label
			for _, a := range side.Runs {
				for _, r := range a.Selected {
					if v, ok := d.Value(r, &a.Basis); ok {
						series[i].Values = append(series[i].Values, v)
					}
				}
			}
		}
		blocks = append(blocks, paper.Figure{SVG: figure.Distributions(series, fmt.Sprintf("%s, %s", d.Header, d.Unit)),
			Caption: fmt.Sprintf("%s of valid profiling requests: %d of A, %d of B.", d.Header, len(series[0].Values), len(series[1].Values))})
	}
	return append(blocks, rates(in)...)
}

// rates draws throughput over time, each side's runs from their profiling start.
func rates(in *Input) []paper.Block {
	var output, flying []figure.Series
	var step float64
	for i, side := range in.Sides {
		for k, a := range side.Runs {
			name := string(rune('A'+i)) + " " + side.Label
			if len(side.Runs) > 1 {
				name = fmt.Sprintf("%c run %d", 'A'+i, k+1)
			}
			times := compare.Timeline(a)
			step = times.StepSeconds
			output = append(output, figure.Series{Name: name, Points: points(times.StepSeconds, times.OutputTokens)})
			flying = append(flying, figure.Series{Name: name, Points: points(times.StepSeconds, times.InFlight)})
		}
	}
	if math.IsNaN(step) || step <= 0 {
		return nil
	}
	caption := fmt.Sprintf("Output tokens by the time their chunks came, in steps of %s s.", paper.Number(step))
	return []paper.Block{
		paper.Figure{SVG: figure.Lines(output, "seconds after profiling start", "output tokens/s"), Caption: caption},
		paper.Figure{SVG: figure.Lines(flying, "seconds after profiling start", "requests in flight"), Caption: "Requests in flight, mean of each step, failed ones included."},
	}
}

func points(step float64, values []float64) []figure.Point {
	list := make([]figure.Point, len(values))
	for i, v := range values {
		list[i] = figure.Point{X: (float64(i) + 0.5) * step, Y: v}
	}
	return list
}
