package figure

import "math"

// Spot is a labelled point; those with Front are joined by a line.
type Spot struct {
	Point
	Label string
	Front bool
}

// Scatter draws labelled points; both axes begin at 0.
func Scatter(spots []Spot, xName, yName string) string {
	xHigh, yHigh := 0.0, 0.0
	for _, s := range spots {
		if !math.IsNaN(s.X) && !math.IsNaN(s.Y) {
			xHigh, yHigh = max(xHigh, s.X), max(yHigh, s.Y)
		}
	}
	if xHigh <= 0 || yHigh <= 0 {
		return nothing(yName)
	}
	const height = 340
	c := newCanvas(height, yName+" against "+xName)
	x := &axis{low: 0, high: xHigh * 1.12, from: leftEdge, to: width - rightEdge}
	y := &axis{low: 0, high: yHigh * 1.12, from: height - bottomEdge, to: topEdge}
	c.frame(x, y, xName, yName)
	var front []Point
	for _, s := range spots {
		if s.Front {
			front = append(front, Point{x.at(s.X), y.at(s.Y)})
		}
	}
	c.path(front, quiet, "4 3")
	for i, s := range spots {
		if math.IsNaN(s.X) || math.IsNaN(s.Y) {
			continue
		}
		c.mark(i, x.at(s.X), y.at(s.Y), s.Label+": "+brief(s.X)+", "+brief(s.Y))
		anchor, shift := "start", 9.0
		if x.at(s.X) > width-160 {
			anchor, shift = "end", -9
		}
		c.text(x.at(s.X)+shift, y.at(s.Y)-7, clipped(s.Label, 34), anchor, ink, 11)
	}
	return c.done()
}
