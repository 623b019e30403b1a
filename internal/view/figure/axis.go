package figure

import (
	"math"
	"strconv"
)

// axis turns values into coordinates.
type axis struct {
	low, high float64 // values
	from, to  float64 // coordinates
	log       bool
}

func (a *axis) at(value float64) float64 {
	low, high := a.low, a.high
	if a.log {
		value, low, high = math.Log10(max(value, a.low)), math.Log10(low), math.Log10(high)
	}
	if high <= low {
		return a.from
	}
	return a.from + (value-low)/(high-low)*(a.to-a.from)
}

// ticks are round values on the axis.
func (a *axis) ticks(wanted int) []float64 {
	if a.log {
		return a.decades()
	}
	span := a.high - a.low
	if !(span > 0) || math.IsInf(span, 0) {
		return []float64{a.low}
	}
	step := math.Pow(10, math.Floor(math.Log10(span/float64(wanted))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if span/(step*factor) <= float64(wanted) {
			step *= factor
			break
		}
	}
	var list []float64
	for i := math.Ceil(a.low/step - 1e-9); i*step <= a.high+step*1e-9 && len(list) < 50; i++ {
		list = append(list, i*step)
	}
	return list
}

// decades are 1, 2, 5 of each power of ten, or only the powers where there are many.
func (a *axis) decades() []float64 {
	first, last := int(math.Floor(math.Log10(a.low))), int(math.Ceil(math.Log10(a.high)))
	factors := []float64{1, 2, 5}
	if last-first > 3 {
		factors = []float64{1}
	}
	var list []float64
	for power := first; power <= last && len(list) < 60; power++ {
		for _, factor := range factors {
			if value := factor * math.Pow(10, float64(power)); value >= a.low*0.999 && value <= a.high*1.001 {
				list = append(list, value)
			}
		}
	}
	return list
}

// brief is a number as an axis shows it.
func brief(value float64) string {
	size := math.Abs(value)
	switch {
	case value == 0:
		return "0"
	case size >= 1e9:
		return trimmed(value/1e9) + "G"
	case size >= 1e6:
		return trimmed(value/1e6) + "M"
	case size >= 1e4:
		return trimmed(value/1e3) + "k"
	}
	return trimmed(value)
}

func trimmed(value float64) string {
	return strconv.FormatFloat(roundTo(value, 4), 'f', -1, 64)
}

// roundTo keeps so many significant digits.
func roundTo(value float64, digits int) float64 {
	if value == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return value
	}
	power := math.Pow(10, float64(digits)-math.Ceil(math.Log10(math.Abs(value))))
	return math.Round(value*power) / power
}

// frame draws both axes with their grids and names.
func (c *canvas) frame(x, y *axis, xName, yName string) {
	for _, tick := range y.ticks(5) {
		at := y.at(tick)
		c.line(x.from, at, x.to, at, faint, 1, "")
		c.text(x.from-8, at+4, brief(tick), "end", quiet, 11)
	}
	for _, tick := range x.ticks(8) {
		at := x.at(tick)
		c.line(at, y.from, at, y.from+4, quiet, 1, "")
		c.text(at, y.from+17, brief(tick), "middle", quiet, 11)
	}
	c.line(x.from, y.from, x.to, y.from, quiet, 1, "")
	c.text((x.from+x.to)/2, c.height-6, xName, "middle", quiet, 12)
	c.text(x.from-leftEdge+4, topEdge-10, yName, "start", quiet, 12)
}
