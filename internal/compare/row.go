package compare

import (
	"math"

	"agentx/internal/measure"
)

// Row is one statistic of a metric on both sides.
type Row struct {
	Tag, Header, Unit string
	Statistic         string // avg, p50 …
	Better            measure.Better
	Headline          bool
	Estimate
}

func rowOf(d *measure.Definition, statistic string) Row {
	return Row{Tag: d.Tag, Header: d.Header, Unit: d.Unit, Statistic: statistic, Better: d.Better}
}

// Word is what the difference means: better, worse, changed, ≈ for one that is sure but below 0.1 %, or ~
// where nothing can be said.
func (r *Row) Word() string { return r.word(r.Estimate.Difference, r.Negligible) }

func (r *Row) word(difference, negligible bool) string {
	switch {
	case negligible:
		return "≈"
	case !difference:
		return "~"
	case r.Better == measure.Neither:
		return "changed"
	case (r.Better == measure.Lower) == (r.B < r.A):
		return "better"
	}
	return "worse"
}

// requestRows compare the metrics with one value per request, over all requests of each side.
func requestRows(sides [2]Side, u *units, c *chance) []Row {
	definitions := measure.Definitions()
	var rows []Row
	for _, tag := range requestTags() {
		d, known := measure.Lookup(definitions, tag)
		if !known {
			continue
		}
		rows = append(rows, metricRows(d, samplesOf(d, sides, u, nil), u, c, requestRanks())...)
	}
	return rows
}

// samplesOf are a metric's values of both sides, sorted; choose may leave requests out.
func samplesOf(d *measure.Definition, sides [2]Side, u *units, choose func(*measure.Record) bool) [2][]sample {
	var sorted [2][]sample
	for side := range sides {
		for run, a := range sides[side].Runs {
			b := basis(a)
			for _, r := range a.Selected {
				unit := u.of(side, run, r)
				if unit < 0 || choose != nil && !choose(r) {
					continue
				}
				if value, ok := d.Value(r, b); ok {
					sorted[side] = append(sorted[side], sample{value, unit, u.timeOf(side, run, r), u.turnOf(r)})
				}
			}
		}
		sortSamples(sorted[side])
	}
	return sorted
}

// metricRows are the mean and the percentiles of a metric; none where a side has no value.
func metricRows(d *measure.Definition, sorted [2][]sample, u *units, c *chance, ranks []float64) []Row {
	counts := [2]int{len(sorted[sideA]), len(sorted[sideB])}
	if counts[sideA] == 0 || counts[sideB] == 0 {
		return nil
	}
	var means [2]*parts
	for side := range sorted {
		means[side] = newParts(u)
		for _, s := range sorted[side] {
			means[side].add(part{s.unit, s.time, s.turn, s.value, 1})
		}
	}
	row := rowOf(d, "avg")
	k := ratioContrast(means, [2]float64{1, 1}, c.times)
	k.atoms = ratioAtoms(means)
	row.Estimate = c.judge(&k, counts)
	rows := []Row{row}
	if len(ranks) == 0 {
		return rows
	}
	for i, k := range percentileContrasts(sorted, ranks, u, c) {
		row := rowOf(d, rankName(ranks[i]))
		row.Estimate = c.judge(&k, counts)
		rows = append(rows, row)
	}
	return rows
}

// shareRows compare rates and shares of the run.
func shareRows(sides [2]Side, u *units, c *chance) []Row {
	definitions := measure.Definitions()
	var rows []Row
	for _, s := range shares() {
		d, known := measure.Lookup(definitions, s.tag)
		if !known {
			continue
		}
		totals, factors, counts, ok := s.sums(sides, u)
		if !ok {
			continue
		}
		row := rowOf(d, "avg")
		k := ratioContrast(totals, factors, c.times)
		k.atoms = ratioAtoms(totals)
		row.Estimate = c.judge(&k, counts)
		rows = append(rows, row)
	}
	return rows
}

// sums adds up a share on both sides; false where a side has nothing to add.
func (s *share) sums(sides [2]Side, u *units) (totals [2]*parts, factors [2]float64, counts [2]int, ok bool) {
	ok = true
	for side := range sides {
		totals[side], factors[side] = newParts(u), s.scale
		window := 0.0
		for run, a := range sides[side].Runs {
			b := basis(a)
			window += WindowSeconds(a)
			for _, r := range a.Selected {
				unit := u.of(side, run, r)
				if above, under, has := s.add(r, b); has && unit >= 0 {
					totals[side].add(part{unit, u.timeOf(side, run, r), u.turnOf(r), above, under})
					counts[side]++
				}
			}
		}
		ok = ok && counts[side] > 0
		if s.perRun {
			for _, held := range u.held[side] {
				totals[side].add(held)
			}
			_, lane := totals[side].totals()
			factors[side] *= lane / window
		}
		_, under := totals[side].totals()
		ok = ok && under > 0
	}
	return totals, factors, counts, ok
}

// runRows compare repeated runs: every figure of every run.
func runRows(sides [2]Side) []Row {
	var rows []Row
	eachFigure(sides, func(d *measure.Definition, statistic string, values [2][]float64) {
		row := rowOf(d, statistic)
		row.Estimate = welch(values[sideA], values[sideB])
		rows = append(rows, row)
	})
	return rows
}

// plainRows are figures without an interval, of sides where trees cannot tell: both values and no more.
func plainRows(sides [2]Side, done []Row) []Row {
	known := map[[2]string]bool{}
	for _, row := range done {
		known[[2]string{row.Tag, row.Statistic}] = true
	}
	var rows []Row
	eachFigure(sides, func(d *measure.Definition, statistic string, values [2][]float64) {
		if known[[2]string{d.Tag, statistic}] {
			return
		}
		row := rowOf(d, statistic)
		row.Estimate = Estimate{A: mean(values[sideA]), B: mean(values[sideB]), CountA: len(values[sideA]), CountB: len(values[sideB]),
			Method: MethodNone, Scale: ScaleDifference, Low: math.NaN(), High: math.NaN(), P: math.NaN(), Adjusted: math.NaN(),
			Reason: "no interval for this figure of one run"}
		rows = append(rows, row)
	})
	return rows
}

func mean(values []float64) float64 {
	total := 0.0
	for _, value := range values {
		total += value
	}
	return total / float64(len(values))
}

// eachFigure gives every statistic of every metric that all runs of both sides have.
func eachFigure(sides [2]Side, give func(d *measure.Definition, statistic string, values [2][]float64)) {
	for _, d := range measure.Definitions() {
		for _, statistic := range statistics() {
			var values [2][]float64
			whole := true
			for side := range sides {
				for _, a := range sides[side].Runs {
					value, ok := figure(a.Own, d.Tag, statistic)
					values[side] = append(values[side], value)
					whole = whole && ok
				}
			}
			if whole {
				give(d, statistic, values)
			}
		}
	}
}
