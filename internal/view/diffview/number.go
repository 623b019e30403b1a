package diffview

import (
	"math"
	"strconv"

	"agentx/internal/compare"
	"agentx/internal/view/paper"
)

// change is B against A in percent.
func change(e *compare.Estimate) string {
	ratio := e.Ratio()
	if e.A == 0 && e.B == 0 {
		return "0.00 %"
	}
	if math.IsNaN(ratio) {
		return "n/a"
	}
	return paper.Percent(ratio - 1)
}

// interval is the interval of the change; of a difference it has the unit.
func interval(e *compare.Estimate, unit string) string {
	if math.IsNaN(e.Low) || math.IsNaN(e.High) {
		return "–"
	}
	if e.Scale == compare.ScaleDifference {
		return paper.Signed(e.Low) + " … " + paper.Signed(e.High) + " " + unit
	}
	return paper.Percent(e.Low-1) + " … " + paper.Percent(e.High-1)
}

// probability is a p value.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return "–"
	case p < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// bare is a ratio.
func bare(ratio float64) string {
	if math.IsNaN(ratio) {
		return "–"
	}
	return strconv.FormatFloat(ratio, 'f', 4, 64)
}
