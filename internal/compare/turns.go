package compare

import (
	"cmp"
	"math"
	"slices"

	"agentx/internal/measure"
)

// Pair is one turn that both sides answered: the same trace, as often played before, the same
// conversation and turn, and a prompt of the same recorded length.
type Pair struct {
	A, B         *measure.Record
	unit         int
	timeA, timeB int
}

// turnKey names a turn of a tree.
type turnKey struct {
	unit         int
	conversation string
	turn         int
}

// Matching says how many turns of the two sides belong together.
type Matching struct {
	Pairs        []Pair
	Trees        int // pairs of trees that have pairs of turns
	OnlyA, OnlyB int // answered turns without a counterpart
	OtherPrompt  int // the same place, but another recorded prompt length
}

// match pairs the answered turns of both sides.
func match(sides [2]Side, u *units) Matching {
	var m Matching
	type placed struct {
		record *measure.Record
		time   int
	}
	turns := map[turnKey]placed{}
	for run, a := range sides[sideA].Runs {
		for _, r := range a.Selected {
			if unit := u.of(sideA, run, r); unit >= 0 && r.Valid() {
				turns[turnKey{unit, r.Place.Conversation, r.Place.Turn}] = placed{r, u.timeOf(sideA, run, r)}
			}
		}
	}
	m.OnlyA = len(turns)
	trees := map[int]bool{}
	for run, b := range sides[sideB].Runs {
		for _, r := range b.Selected {
			unit := u.of(sideB, run, r)
			if unit < 0 || !r.Valid() {
				continue
			}
			partner := turns[turnKey{unit, r.Place.Conversation, r.Place.Turn}]
			switch {
			case partner.record == nil:
				m.OnlyB++
			case partner.record.Plan.In != r.Plan.In:
				m.OnlyA, m.OtherPrompt = m.OnlyA-1, m.OtherPrompt+1
			default:
				m.OnlyA--
				m.Pairs = append(m.Pairs, Pair{partner.record, r, unit, partner.time, u.timeOf(sideB, run, r)})
				trees[unit] = true
			}
		}
	}
	m.Trees = len(trees)
	return m
}

// TurnRow is a metric over pairs of turns: the means of both sides over the same turns.
type TurnRow struct {
	Row
	Pairs                int
	Higher, Lower, Equal int     // pairs by B against A
	MedianRatio          float64 // over pairs; NaN where a value is not above 0
	// Wilcoxon is the signed-rank probability over the mean differences of trees, less what trees have in
	// common in time; NaN with fewer than 6 that differ.
	Wilcoxon float64
}

// turnRow compares a metric over the pairs where both sides have a value; false without any.
func turnRow(d *measure.Definition, pairs []Pair, bases [2]*measure.Basis, u *units, c *chance) (TurnRow, bool) {
	row := TurnRow{Row: rowOf(d, "avg"), MedianRatio: math.NaN(), Wilcoxon: math.NaN()}
	var values [2]*parts
	for side := range values {
		values[side] = newParts(u)
	}
	var atoms []atom
	var ratios []float64
	positive := true
	for i := range pairs {
		p := &pairs[i]
		a, hasA := d.Value(p.A, bases[sideA])
		b, hasB := d.Value(p.B, bases[sideB])
		if !hasA || !hasB {
			continue
		}
		values[sideA].add(part{p.unit, p.timeA, -1, a, 1})
		values[sideB].add(part{p.unit, p.timeB, -1, b, 1})
		atoms = append(atoms, atom{unit: p.unit, time: p.timeA, other: p.timeB, pull: b - a, off: b, weight: a})
		row.count(cmp.Compare(b, a))
		if a > 0 && b > 0 {
			ratios = append(ratios, b/a)
		} else {
			positive = false
		}
	}
	if row.Pairs == 0 {
		return row, false
	}
	k := ratioContrast(values, [2]float64{1, 1}, c.times)
	k.atoms = centred(atoms, k.value)
	row.Estimate = c.judge(&k, [2]int{row.Pairs, row.Pairs})
	if positive {
		slices.Sort(ratios)
		row.MedianRatio = median(ratios)
	}
	together := u.spread(k.atoms)
	row.Wilcoxon = together.doubted(signedRank(shifts(values)), math.Sqrt(together.exchanged)) // flips of signs are exchanges
	return row, true
}

// centred takes from the pairs' distances what the ratio of the means explains. Before, off and weight
// are the two values of a pair.
func centred(atoms []atom, means [2]float64) []atom {
	for i := range atoms {
		a, b := atoms[i].weight, atoms[i].off
		atoms[i].weight, atoms[i].off = 1, b-a-(means[sideB]-means[sideA])
		if means[sideA] != 0 {
			atoms[i].off = b - float64(means[sideB]/means[sideA]*a)
		}
	}
	return atoms
}

// shifts are the mean differences of each tree.
func shifts(values [2]*parts) []float64 {
	var list []float64
	for unit, n := range values[sideA].under {
		if n > 0 {
			list = append(list, (values[sideB].above[unit]-values[sideA].above[unit])/n)
		}
	}
	return list
}

func (t *TurnRow) count(order int) {
	t.Pairs++
	switch {
	case order > 0:
		t.Higher++
	case order < 0:
		t.Lower++
	default:
		t.Equal++
	}
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
