package sched

import "slices"

// ended stands for a stream without a turn at or after t*.
const ended = -1

// nextAt is the first turn that starts at t* or later (2.9).
func (c *recordedConversation) nextAt(tStarMs float64) int {
	for i := range c.turns {
		if c.turns[i].hasTime && c.turns[i].timeMs >= tStarMs {
			return i
		}
	}
	return ended
}

// snapshot looks at a trace at the instant t*: which streams are alive, what they send next, and how
// much of every stream is history (2.10).
func (r *recording) snapshot(tStarMs float64) *trajectory {
	built := &trajectory{plan: r, timed: true, tStarNs: toNs(tStarMs), fired: make([]bool, len(r.branches))}
	history := map[int]int{}
	rootNext := r.conversations[0].nextAt(tStarMs)
	history[0] = rootNext
	if rootNext == ended {
		history[0] = len(r.conversations[0].turns)
	}
	waiting := false
	var children []trajectoryState
	for b := range r.branches {
		branch := &r.branches[b]
		if branch.spawnTurn >= history[0] {
			continue // its spawning turn is still ahead: it will be spawned in its turn
		}
		built.fired[b] = true
		for _, child := range branch.children {
			next := r.conversations[child].nextAt(tStarMs)
			if next == ended {
				history[child] = len(r.conversations[child].turns)
				continue
			}
			history[child] = next
			children = append(children, built.state(child, next))
			waiting = waiting || branch.joinTurn == rootNext
		}
	}
	if rootNext != ended {
		root := built.state(0, rootNext)
		root.waiting = waiting
		built.states = append(built.states, root)
	}
	built.states = append(built.states, children...)
	built.setBoundaries(history)
	return built
}

func (b *trajectory) state(conversation, next int) trajectoryState {
	turns := b.plan.conversations[conversation].turns
	state := trajectoryState{conversation: conversation, next: next, offsetNs: max(0, turns[next].timeNs-b.tStarNs)}
	if next > 0 && turns[next-1].hasTime {
		state.leadNs = max(0, b.tStarNs-turns[next-1].timeNs)
	}
	return state
}

// setBoundaries keeps the conversations that have history, in the order of their ids.
func (b *trajectory) setBoundaries(history map[int]int) {
	b.boundaries = []Boundary{}
	for c := range b.plan.conversations {
		if history[c] > 0 {
			b.boundaries = append(b.boundaries, Boundary{Conversation: c, Turns: history[c]})
		}
	}
	slices.SortFunc(b.boundaries, func(x, y Boundary) int {
		return b.plan.conversations[x.Conversation].rank - b.plan.conversations[y.Conversation].rank
	})
}
