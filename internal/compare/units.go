package compare

import (
	"cmp"
	"slices"

	"agentx/internal/measure"
)

// treeKey names a tree so that the tree of the other side that replays the same recording has the same
// name: the run's place in its group, the trace, and how many trees of that trace the run opened before.
type treeKey struct {
	run   int
	trace string
	pass  int
}

// units are the trees of both sides, those with the same name taken together. What is drawn or exchanged
// is a unit.
type units struct {
	keys   []treeKey
	sides  [][2]bool        // which sides have a tree in the unit
	plays  [2][]map[int]int // by side and run: play to unit
	held   [2][]part        // by side: seconds, as under, that a tree held its lane inside the window
	strata [3][]int         // units on both sides, of A only, of B only

	stretches int            // of time, over all runs
	clocks    [2][]stretched // by side and run
	turns     map[recorded]int
}

// recorded names a turn of a recording.
type recorded struct {
	trace, conversation string
	turn                int
}

// gather finds the units of two sides. Trees without requests count: they held a lane.
func gather(sides [2]Side) *units {
	u := &units{turns: map[recorded]int{}}
	index := map[treeKey]int{}
	for side := range sides {
		for run, a := range sides[side].Runs {
			plays := map[int]int{}
			for _, play := range a.Plays {
				if play == nil {
					continue
				}
				key := treeKey{run, play.Trace, play.Pass}
				at, known := index[key]
				if !known {
					at = len(u.keys)
					index[key] = at
					u.keys, u.sides = append(u.keys, key), append(u.sides, [2]bool{})
				}
				plays[play.ID] = at
				u.sides[at][side] = true
			}
			u.plays[side] = append(u.plays[side], plays)
		}
	}
	u.sort(sides)
	return u
}

// sort measures the lane time of the units and sorts them into strata. A tree that held no lane in the
// window and sent nothing is on no side.
func (u *units) sort(sides [2]Side) {
	u.cutTime(sides)
	var used [2][]bool
	for side := range sides {
		used[side] = make([]bool, len(u.keys))
		for run, a := range sides[side].Runs {
			for _, h := range laneTimes(a) {
				at := u.plays[side][run][h.play]
				used[side][at] = true
				u.clocks[side][run].pieces(h.window, func(time int, seconds float64) {
					u.held[side] = append(u.held[side], part{unit: at, time: time, turn: -1, under: seconds})
				})
			}
			for _, r := range a.Selected {
				if at := u.of(side, run, r); at >= 0 && r.Exchange >= 0 {
					used[side][at] = true
				}
			}
		}
	}
	for at := range u.keys {
		inA, inB := used[sideA][at], used[sideB][at]
		u.sides[at] = [2]bool{inA, inB}
		switch {
		case inA && inB:
			u.strata[0] = append(u.strata[0], at)
		case inA:
			u.strata[1] = append(u.strata[1], at)
		case inB:
			u.strata[2] = append(u.strata[2], at)
		}
	}
}

// holding is the part of the window in which a tree held its lane.
type holding struct {
	play   int
	window measure.Window
}

// laneTimes are the stretches of the run's window that trees held their lanes: from a tree's opening, the
// first of a lane from the window's start, to the opening of the next one, the last to the window's end.
// They add up to lanes × window, which makes a rate of the run a ratio of two sums over trees.
func laneTimes(a *measure.Analysis) []holding {
	window := a.Own.Window
	if !window.Known() {
		return nil
	}
	var list []holding
	lanes := map[int]int{} // lane to its last tree's place in list
	plays := slices.DeleteFunc(slices.Clone(a.Plays), func(p *measure.Play) bool {
		return p == nil || !p.Opened.Known() || p.Opened >= window.To
	})
	slices.SortStableFunc(plays, func(a, b *measure.Play) int { return cmp.Compare(a.Opened, b.Opened) })
	for _, play := range plays {
		from := window.From
		if before, known := lanes[play.Lane]; known {
			from = max(play.Opened, window.From)
			list[before].window.To = from
		}
		lanes[play.Lane] = len(list)
		list = append(list, holding{play.ID, measure.Window{From: from, To: window.To}})
	}
	return slices.DeleteFunc(list, func(h holding) bool { return h.window.To <= h.window.From })
}

// count is how many units a side has.
func (u *units) count(side int) int { return len(u.strata[0]) + len(u.strata[1+side]) }

// paired is how many trees of one side have a counterpart.
func (u *units) paired() int { return len(u.strata[0]) }

// of is the unit of a record; -1 for one without a tree.
func (u *units) of(side, run int, r *measure.Record) int {
	at, known := u.plays[side][run][r.Place.Play]
	if !known {
		return -1
	}
	return at
}

// turnOf numbers the recorded turn of a request.
func (u *units) turnOf(r *measure.Record) int {
	key := recorded{r.Place.Trace, r.Place.Conversation, r.Place.Turn}
	at, known := u.turns[key]
	if !known {
		at = len(u.turns)
		u.turns[key] = at
	}
	return at
}
