package swimlane

import (
	"fmt"
	"math"
	"slices"
)

// drawPanels draws the curves, one panel for each group, on the lanes' time axis.
func (p *picture) drawPanels(c canvas) {
	for _, panel := range p.panels {
		top, bottom := panel.top, panel.top+p.px(panelHeight)
		series := make([][]float64, len(panel.curves))
		for i, index := range panel.curves {
			series[i] = sample(&p.run.Curves[index], p.layout.Focus, p.layout.To, p.right-p.left)
		}
		least, most := extent(series)
		target := 0
		if panel.name == PanelRequests {
			target = p.run.Target
			most = max(most, float64(target))
		}
		low, high := scale(panel.name, least, most)
		perUnit := float64(bottom-top) / (high - low)
		at := func(value float64) int { return bottom - int(math.Round(float64((max(value, low)-low)*perUnit))) }
		c.hline(p.left, p.right, top, 1, rule(), false)
		p.drawCurves(c, panel, series, bottom, low == 0, at)
		x := p.nameCurves(c, panel)
		if target > 0 {
			c.hline(p.left, p.right, at(float64(target)), 1, markColour("profiling start"), true)
			c.text(x, top-p.px(5), p.size(11), markColour("profiling start"), atStart, true, fmt.Sprintf("target %d", target))
		}
		c.hline(p.left, p.right, bottom, 1, faint(), false)
		c.text(p.left-p.px(8), bottom, p.size(11), faint(), atEnd, false, shortNumber(low))
		c.text(p.left-p.px(8), top+p.px(8), p.size(11), faint(), atEnd, false, shortNumber(high))
	}
}

// extent is nearly the least of all values (the 2nd percentile, so that a cold start does not flatten the
// rest) and the greatest.
func extent(series [][]float64) (least, most float64) {
	var known []float64
	for _, values := range series {
		for _, value := range values {
			if !math.IsNaN(value) {
				known = append(known, value)
			}
		}
	}
	if len(known) == 0 {
		return 0, 0
	}
	slices.Sort(known)
	return known[len(known)/50], known[len(known)-1]
}

// drawCurves draws the curves of a panel, the last one first and widest, so that one that lies on another
// leaves it an edge. The area under the first is filled where the axis begins at 0.
func (p *picture) drawCurves(c canvas, panel panel, series [][]float64, bottom int, filled bool, at func(float64) int) {
	for i := len(series) - 1; i >= 0; i-- {
		points := p.points(series[i], at)
		if i == 0 && filled {
			c.area(points, bottom, curveColour(i))
		}
		c.steps(points, p.px(1.2+1.2*float64(i)), curveColour(i))
	}
}

// nameCurves writes the names over the panel and returns where there is room after them.
func (p *picture) nameCurves(c canvas, panel panel) int {
	x := p.left
	for i, index := range panel.curves {
		curve := &p.run.Curves[index]
		label := curve.Name + " (" + curve.Unit + ")"
		c.text(x, panel.top-p.px(5), p.size(11), curveColour(i), atStart, true, label)
		x += p.fonts.width(p.size(11), true, label) + p.px(16)
	}
	return x
}

// sample is a curve's value in each of count equal stretches of the axis: the time-weighted mean inside
// it for rates, the greatest value inside it for counts, so that no peak is lost. It is NaN up to the
// curve's first step.
func sample(curve *Curve, start, end int64, count int) []float64 {
	values := make([]float64, count)
	width := float64(end-start) / float64(count)
	at, value := 0, 0.0
	known := len(curve.Steps) > 0
	for i := range values {
		from := float64(start) + float64(float64(i)*width)
		to := from + width
		sum, greatest, cursor := 0.0, value, from
		for at < len(curve.Steps) && float64(curve.Steps[at].At) < to {
			moment := max(float64(curve.Steps[at].At), from)
			sum += float64(value * (moment - cursor))
			cursor, value = moment, curve.Steps[at].Value
			greatest = max(greatest, value)
			at++
		}
		sum += float64(value * (to - cursor))
		values[i] = greatest
		if curve.Mean {
			values[i] = sum / width
		}
		if !known || float64(curve.Steps[0].At) >= to {
			values[i] = math.NaN()
		}
	}
	return values
}

// points turns sampled values into the corners of a step curve.
func (p *picture) points(values []float64, y func(float64) int) []point {
	var points []point
	for i, value := range values {
		if !math.IsNaN(value) && (len(points) == 0 || y(value) != points[len(points)-1].y) {
			points = append(points, point{p.left + i, y(value)})
		}
	}
	if len(points) > 0 {
		points = append(points, point{p.right, points[len(points)-1].y})
	}
	return points
}

// shortNumber is a number with at most four figures.
func shortNumber(value float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if value >= unit.size {
			return fmt.Sprintf("%.3g%s", value/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", value)
}
