package compare

import (
	"math"

	"agentx/internal/measure"
)

// RunInterval is a figure of one run with its interval: whole trees drawn with replacement.
type RunInterval struct {
	Tag, Header, Unit string
	Value             float64
	Low, High         float64 // NaN with fewer than 6 trees
	Trees             int
}

// RunIntervals are the rates and shares of a run with their intervals; measure.Analysis.Bootstrap has those
// of latencies.
func RunIntervals(a *measure.Analysis) []RunInterval {
	sides := [2]Side{{Runs: []*measure.Analysis{a}}, {Runs: []*measure.Analysis{a}}}
	u := gather(sides)
	c := roll(u, sides)
	definitions := measure.Definitions()
	var list []RunInterval
	for _, s := range shares() {
		d, known := measure.Lookup(definitions, s.tag)
		totals, factors, _, ok := s.sums(sides, u)
		if !known || !ok {
			continue
		}
		k := ratioContrast(totals, factors, c.times)
		trees := map[int]bool{}
		for _, p := range totals[sideA].list {
			trees[p.unit] = true
		}
		row := RunInterval{Tag: d.Tag, Header: d.Header, Unit: d.Unit, Value: k.value[sideA], Low: math.NaN(), High: math.NaN(), Trees: len(trees)}
		if row.Trees >= fewestUnits {
			reach := quantileT(row.Trees-1, 1-(1-level)/2) * deviation(k.drawn[sideA])
			row.Low, row.High = row.Value-reach, row.Value+reach
		}
		list = append(list, row)
	}
	return list
}
