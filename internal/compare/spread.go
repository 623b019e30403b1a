package compare

import "math"

// atom is what one request, or one pair of turns, adds to B − A, with the tree and the stretches of time
// that it belongs to: a pair of turns lies in a stretch of A's time and in one of B's.
type atom struct {
	unit        int
	time, other int
	turn        int     // the recorded turn; -1 for lane time
	pull        float64 // if both sides were the same
	off         float64 // how far the request is from its own side's value …
	weight      float64 // … and how much that counts, with the sign of its side
}

// spread is how contributions vary from tree to tree.
type spread struct {
	pull     []float64 // by tree that is not the same on both sides
	units    int       // trees with a contribution
	together float64   // variance against that of independent trees, at least 1
	// exchanged is the same for exchanges. Those of a great difference vary by that difference, whatever
	// trees have in common, so it comes near to 1.
	exchanged float64
	degrees   int
}

// spread adds the contributions up by tree, and finds out how much trees vary together in time: requests
// of several trees that a server works on at once slow each other, so trees are not independent. Variances
// by tree and by time are combined as those of several clusterings are (Cameron, Gelbach and Miller 2011):
// the sum of those by one of them, less those by two, plus that by all three.
func (u *units) spread(atoms []atom) spread {
	byUnit, offs := newTally(len(atoms)), newTally(len(atoms))
	greatest := 0.0
	for i := range atoms {
		a := &atoms[i]
		byUnit.add(int64(a.unit), a.pull)
		offs.add(int64(a.unit), a.off*a.weight)
		greatest = max(greatest, math.Abs(a.pull))
	}
	s := spread{units: len(byUnit.sums), together: 1, exchanged: 1, degrees: max(len(byUnit.sums)-1, 1)}
	for _, pull := range byUnit.sums {
		if math.Abs(pull) > 1e-9*greatest { // else it is rounding
			s.pull = append(s.pull, pull)
		}
	}
	trees := offs.squares()
	if trees == 0 || u.stretches < 2 {
		return s
	}
	if extra := u.inTime(atoms); extra > 0 {
		s.together, s.exchanged = 1+extra/trees, 1+extra/max(byUnit.squares(), trees)
		s.degrees = max(min(s.degrees, u.stretches-1), 1)
	}
	return s
}

// inTime is how much the variance grows by what trees have in common in time. What a turn is like (its
// length, its place in the session) is taken off before: it has nothing to do with time, and would drown
// what has.
func (u *units) inTime(atoms []atom) float64 {
	n := int64(u.stretches)
	pairs := twoTimes(atoms)
	if !pairs {
		atoms = againstSameTurn(atoms)
	}
	by := func(key func(a *atom) int64) float64 {
		t := newTally(len(atoms))
		for i := range atoms {
			t.add(key(&atoms[i]), atoms[i].off*atoms[i].weight)
		}
		return t.squares()
	}
	unit := func(a *atom) int64 { return int64(a.unit) }
	time := func(a *atom) int64 { return int64(a.time) }
	other := func(a *atom) int64 { return int64(a.other) }
	both := func(x, y func(*atom) int64) func(*atom) int64 {
		return func(a *atom) int64 { return joined(x(a), y(a), n) }
	}
	extra := by(time) - by(both(unit, time))
	if pairs {
		extra += by(other) - by(both(unit, other))
		extra += by(both(both(unit, time), other)) - by(both(time, other))
	}
	return extra
}

// againstSameTurn are the atoms with their distances less the mean distance of the others of the same
// recorded turn, on both sides; without those that have no other.
func againstSameTurn(atoms []atom) []atom {
	turns := map[int]int{}
	var counts []int
	var sums []float64
	for _, a := range atoms {
		at, known := turns[a.turn]
		if !known {
			at = len(sums)
			turns[a.turn] = at
			counts, sums = append(counts, 0), append(sums, 0)
		}
		counts[at]++
		sums[at] += a.off
	}
	rest := make([]atom, 0, len(atoms))
	for _, a := range atoms {
		at := turns[a.turn]
		if a.turn < 0 || counts[at] < 2 {
			continue
		}
		a.off -= (sums[at] - a.off) / float64(counts[at]-1)
		rest = append(rest, a)
	}
	return rest
}

// joined is one key for two, the second below n.
func joined(first, second, n int64) int64 {
	first *= n
	return first + second
}

func twoTimes(atoms []atom) bool {
	for i := range atoms {
		if atoms[i].time != atoms[i].other {
			return true
		}
	}
	return false
}

// tally sums by key, in the order of first appearance: sums of floats must not depend on a map's order.
type tally struct {
	index map[int64]int
	sums  []float64
}

func newTally(size int) *tally { return &tally{index: make(map[int64]int, min(size, 1024))} }

func (t *tally) add(key int64, value float64) {
	at, known := t.index[key]
	if !known {
		at = len(t.sums)
		t.index[key] = at
		t.sums = append(t.sums, 0)
	}
	t.sums[at] += value
}

func (t *tally) squares() float64 {
	total := 0.0
	for _, value := range t.sums {
		total += float64(value * value)
	}
	return total
}
