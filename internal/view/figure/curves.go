package figure

import (
	"math"
	"slices"
)

const plotHeight = 250

// Lines draws curves over a common axis; the y axis begins at 0.
func Lines(series []Series, xName, yName string) string {
	xLow, xHigh, yHigh := math.Inf(1), math.Inf(-1), 0.0
	for _, s := range series {
		for _, p := range s.Points {
			xLow, xHigh, yHigh = min(xLow, p.X), max(xHigh, p.X), max(yHigh, p.Y)
		}
	}
	if xHigh <= xLow || yHigh <= 0 {
		return nothing(yName)
	}
	c := newCanvas(plotHeight, yName+" over "+xName)
	x := &axis{low: xLow, high: xHigh, from: leftEdge, to: width - rightEdge}
	y := &axis{low: 0, high: yHigh * 1.05, from: plotHeight - bottomEdge, to: topEdge}
	c.frame(x, y, xName, yName)
	for i, s := range series {
		points := make([]Point, len(s.Points))
		for k, p := range s.Points {
			points[k] = Point{x.at(p.X), y.at(p.Y)}
		}
		c.path(points, colour(i), dashes(i))
	}
	c.legend(names(series))
	return c.done()
}

func names(series []Series) []string {
	list := make([]string, len(series))
	for i, s := range series {
		list[i] = s.Name
	}
	return list
}

// nothing stands where there is nothing to draw.
func nothing(what string) string {
	c := newCanvas(60, what+": no values")
	c.text(width/2, 35, what+": no values to draw", "middle", quiet, 13)
	return c.done()
}

// distributionSteps is the number of steps with which a distribution is drawn.
const distributionSteps = 200

// Distributions draws, for each series of values, the share of values that are at most x; x is
// logarithmic where values spread over more than a factor of 20 and none is below or at 0.
func Distributions(series []Series, xName string) string {
	low, high := math.Inf(1), math.Inf(-1)
	sorted := make([][]float64, len(series))
	for i, s := range series {
		sorted[i] = slices.Sorted(slices.Values(s.Values))
		if n := len(sorted[i]); n > 0 {
			low, high = min(low, sorted[i][0]), max(high, sorted[i][n-1])
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return nothing(xName)
	}
	x := &axis{low: low, high: high, from: leftEdge, to: width - rightEdge, log: low > 0 && high > 20*low}
	if high <= low {
		x.low, x.high, x.log = low-max(math.Abs(low)*0.1, 1e-9), high+max(math.Abs(high)*0.1, 1e-9), false
	}
	c := newCanvas(plotHeight, "distribution of "+xName)
	y := &axis{low: 0, high: 100, from: plotHeight - bottomEdge, to: topEdge}
	c.frame(x, y, xName, "% of values at most x")
	for i, values := range sorted {
		c.path(steps(values, x, y), colour(i), dashes(i))
	}
	c.legend(names(series))
	return c.done()
}

// steps is the distribution of sorted values, thinned.
func steps(sorted []float64, x, y *axis) []Point {
	n := len(sorted)
	if n == 0 {
		return nil
	}
	points := []Point{{x.at(sorted[0]), y.at(0)}}
	for step := 1; step <= min(distributionSteps, n); step++ {
		index := min(n*step/min(distributionSteps, n), n) - 1
		points = append(points, Point{x.at(sorted[index]), y.at(100 * float64(index+1) / float64(n))})
	}
	return points
}
