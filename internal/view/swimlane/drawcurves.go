package swimlane

import (
	"fmt"
	"math"
)

// drawPanels draws the curves, one panel for each group, on the lanes' time axis.
func (p *picture) drawPanels(c canvas) {
	for _, panel := range p.panels {
		top, bottom := panel.top, panel.top+p.px(panelHeight)
		series := make([][]float64, len(panel.curves))
		peak := 0.0
		for i, index := range panel.curves {
			series[i] = sample(&p.run.Curves[index], p.layout.From, p.layout.To, p.right-p.left)
			for _, value := range series[i] {
				peak = max(peak, value)
			}
		}
		target := 0
		if panel.name == "requests" {
			target = p.run.Target
			peak = max(peak, float64(target))
		}
		if peak == 0 {
			peak = 1
		}
		scale := float64(bottom-top-p.px(8)) / peak
		at := func(value float64) int { return bottom - int(math.Round(float64(value*scale))) }
		x, size := p.left, p.size(11)
		for i, index := range panel.curves {
			curve := &p.run.Curves[index]
			points := p.points(series[i], at)
			if i == 0 {
				c.area(points, bottom, curveColour(i))
			}
			c.steps(points, p.px(1.2), curveColour(i))
			label := curve.Name + " (" + curve.Unit + ")"
			c.text(x, top-p.px(5), size, curveColour(i), atStart, true, label)
			x += p.fonts.width(size, true, label) + p.px(16)
		}
		if target > 0 {
			c.hline(p.left, p.right, at(float64(target)), 1, markColour("profiling start"), true)
			c.text(x, top-p.px(5), size, markColour("profiling start"), atStart, true, fmt.Sprintf("target %d", target))
		}
		c.hline(p.left, p.right, bottom, 1, faint(), false)
		c.text(p.left-p.px(8), bottom, size, faint(), atEnd, false, "0")
		c.text(p.left-p.px(8), at(peak)+p.px(8), size, faint(), atEnd, false, shortNumber(peak))
	}
}

// sample is a curve's value in each of count equal stretches of the axis: the time-weighted mean inside
// it for rates, the greatest value inside it for counts, so that no peak is lost.
func sample(curve *Curve, start, end int64, count int) []float64 {
	values := make([]float64, count)
	width := float64(end-start) / float64(count)
	at, value := 0, 0.0
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
	}
	return values
}

// points turns sampled values into the corners of a step curve.
func (p *picture) points(values []float64, y func(float64) int) []point {
	var points []point
	for i, value := range values {
		if i == 0 || y(value) != points[len(points)-1].y {
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
