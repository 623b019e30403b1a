package compare

// parts are what requests add to a numerator and a denominator: of a mean, a rate or a share.
type parts struct {
	list         []part
	above, under []float64 // by unit
}

// part is what one request, or a stretch of lane time, adds.
type part struct {
	unit, time   int
	turn         int // -1 for lane time
	above, under float64
}

func newParts(u *units) *parts {
	return &parts{above: make([]float64, len(u.keys)), under: make([]float64, len(u.keys))}
}

func (s *parts) add(p part) {
	s.list = append(s.list, p)
	s.above[p.unit] += p.above
	s.under[p.unit] += p.under
}

// ratio is Σ above / Σ under where each unit counts times as often; times nil: once.
func (s *parts) ratio(times []uint16) float64 {
	above, under := 0.0, 0.0
	for i := range s.above {
		weight := 1.0
		if times != nil {
			weight = float64(times[i])
		}
		above += float64(weight * s.above[i])
		under += float64(weight * s.under[i])
	}
	return above / under
}

// totals are Σ above and Σ under.
func (s *parts) totals() (above, under float64) {
	for i := range s.above {
		above, under = above+s.above[i], under+s.under[i]
	}
	return above, under
}

// ratioContrast is the contrast of a ratio of sums, times a factor for each side. Without atoms: the
// caller has better ones.
func ratioContrast(sides [2]*parts, factors [2]float64, draws [][]uint16) contrast {
	var k contrast
	for side, s := range sides {
		k.value[side] = factors[side] * s.ratio(nil)
		k.drawn[side] = make([]float64, len(draws))
		for d, times := range draws {
			k.drawn[side][d] = factors[side] * s.ratio(times)
		}
	}
	return k
}

// ratioAtoms are the contributions to the difference of two ratios of sums: what each part has above the
// common ratio.
func ratioAtoms(sides [2]*parts) []atom {
	aboveA, underA := sides[sideA].totals()
	aboveB, underB := sides[sideB].totals()
	common := (aboveA + aboveB) / (underA + underB) // the ratio if both sides were the same
	own := [2]float64{aboveA / underA, aboveB / underB}
	atoms := make([]atom, 0, len(sides[sideA].list)+len(sides[sideB].list))
	for side, weight := range [2]float64{-1 / underA, 1 / underB} {
		for _, p := range sides[side].list {
			atoms = append(atoms, atom{unit: p.unit, time: p.time, other: p.time, turn: p.turn, weight: weight,
				pull: (p.above - float64(common*p.under)) * weight, off: p.above - float64(own[side]*p.under)})
		}
	}
	return atoms
}
