package figure

import (
	"fmt"
	"math"
)

// Box is the spread of one group of values of one series.
type Box struct {
	P10, P25, P50, P75, P90 float64
	Count                   int
}

// Group is a place on the axis of groups with a box for each series; a Count of 0 draws none.
type Group struct {
	Label string
	Boxes []Box
}

// Boxes draws groups of boxes (quartiles, with lines to the 10th and 90th percentile); the y axis is
// logarithmic where values spread over more than a factor of 20.
func Boxes(groups []Group, series []string, xName, yName string) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, g := range groups {
		for _, b := range g.Boxes {
			if b.Count > 0 {
				low, high = min(low, b.P10), max(high, b.P90)
			}
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return nothing(yName)
	}
	c := newCanvas(plotHeight, yName+" by "+xName)
	y := &axis{low: 0, high: max(high*1.05, 1e-9), from: plotHeight - bottomEdge, to: topEdge}
	if low > 0 && high > 20*low {
		y.low, y.log = low/1.2, true
	}
	for _, tick := range y.ticks(5) {
		c.line(leftEdge, y.at(tick), width-rightEdge, y.at(tick), faint, 1, "")
		c.text(leftEdge-8, y.at(tick)+4, brief(tick), "end", quiet, 11)
	}
	step := float64(width-leftEdge-rightEdge) / float64(len(groups))
	for i, g := range groups {
		middle := leftEdge + step*(float64(i)+0.5)
		c.text(middle, plotHeight-bottomEdge+17, g.Label, "middle", quiet, 11)
		for k, b := range g.Boxes {
			wide := min(step*0.8/float64(len(g.Boxes)), 34)
			c.box(y, k, middle+(float64(k)-float64(len(g.Boxes)-1)/2)*wide, wide*0.8, b, g.Label)
		}
	}
	c.line(leftEdge, plotHeight-bottomEdge, width-rightEdge, plotHeight-bottomEdge, quiet, 1, "")
	c.text((leftEdge+width-rightEdge)/2, plotHeight-6, xName, "middle", quiet, 12)
	c.text(4, topEdge-10, yName, "start", quiet, 12)
	if len(series) > 1 {
		c.legend(series)
	}
	return c.done()
}

func (c *canvas) box(y *axis, i int, x, wide float64, b Box, label string) {
	if b.Count == 0 {
		return
	}
	c.WriteString("<g>")
	c.line(x, y.at(b.P10), x, y.at(b.P90), colour(i), 1.5, "")
	fmt.Fprintf(c, `<rect x="%s" y="%s" width="%s" height="%s" fill="#ffffff" stroke="%s" stroke-width="1.8"/>`,
		number(x-wide/2), number(y.at(b.P75)), number(wide), number(max(y.at(b.P25)-y.at(b.P75), 1)), colour(i))
	c.line(x-wide/2, y.at(b.P50), x+wide/2, y.at(b.P50), colour(i), 3, "")
	fmt.Fprintf(c, "<title>%s</title></g>", safe(fmt.Sprintf("%s: p10 %s, p25 %s, p50 %s, p75 %s, p90 %s of %d",
		label, brief(b.P10), brief(b.P25), brief(b.P50), brief(b.P75), brief(b.P90), b.Count)))
}
