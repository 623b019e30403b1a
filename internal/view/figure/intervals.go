package figure

import (
	"fmt"
	"math"
)

// Interval is a change with its interval, in percent.
type Interval struct {
	Label          string
	Low, Mid, High float64 // Low and High may be NaN
	Tone           int     // 0: says nothing, 1: better, 2: worse, 3: changed
}

// MostChange is the largest change in percent that Intervals has room for; what is beyond is drawn at the edge.
const MostChange = 200

// Beyond counts the rows of which a part is drawn at the edge.
func Beyond(list []Interval) int {
	beyond := 0
	for _, row := range list {
		if math.Abs(row.Low) > MostChange || math.Abs(row.Mid) > MostChange || math.Abs(row.High) > MostChange {
			beyond++
		}
	}
	return beyond
}

// Intervals draws changes in percent around 0, one line each.
func Intervals(list []Interval) string {
	if len(list) == 0 {
		return nothing("changes")
	}
	reach := 1.0
	for _, row := range list {
		for _, value := range []float64{row.Low, row.Mid, row.High} {
			if !math.IsNaN(value) && !math.IsInf(value, 0) {
				reach = max(reach, math.Abs(value))
			}
		}
	}
	reach = min(reach*1.1, MostChange)
	const rowHeight, labels = 24, 300
	height := float64(topEdge + rowHeight*len(list) + bottomEdge)
	c := newCanvas(height, "change of B against A with intervals")
	x := &axis{low: -reach, high: reach, from: labels, to: width - rightEdge}
	bottom := height - bottomEdge
	for _, tick := range x.ticks(8) {
		c.line(x.at(tick), topEdge-6, x.at(tick), bottom, faint, 1, "")
		c.text(x.at(tick), bottom+16, brief(tick), "middle", quiet, 11)
	}
	c.line(x.at(0), topEdge-6, x.at(0), bottom, ink, 1, "")
	c.text((x.from+x.to)/2, height-6, "change of B against A, %", "middle", quiet, 12)
	for i, row := range list {
		c.interval(x, float64(topEdge+rowHeight*i+rowHeight/2), row)
	}
	return c.done()
}

func (c *canvas) interval(x *axis, y float64, row Interval) {
	fill := []string{quiet, "#009E73", "#D55E00", "#0072B2"}[row.Tone%4]
	c.text(x.from-12, y+4, clipped(row.Label, 44), "end", ink, 12)
	inside := func(value float64) float64 { return x.at(min(max(value, x.low), x.high)) }
	if !math.IsNaN(row.Low) && !math.IsNaN(row.High) {
		c.line(inside(row.Low), y, inside(row.High), y, fill, 2.5, "")
		c.line(inside(row.Low), y-5, inside(row.Low), y+5, fill, 1.5, "")
		c.line(inside(row.High), y-5, inside(row.High), y+5, fill, 1.5, "")
	}
	if math.IsNaN(row.Mid) {
		return
	}
	tooltip := fmt.Sprintf("%s: %+.2f %%", row.Label, row.Mid)
	if !math.IsNaN(row.Low) {
		tooltip += fmt.Sprintf(" (%+.2f to %+.2f)", row.Low, row.High)
	}
	fmt.Fprintf(c, `<g><circle cx="%s" cy="%s" r="4.5" fill="%s"/><title>%s</title></g>`, number(inside(row.Mid)), number(y), fill, safe(tooltip))
}
