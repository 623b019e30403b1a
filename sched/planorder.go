package sched

import "fmt"

// checkOrder refuses a plan whose order of turns has a cycle: some turn would wait for itself, and its
// tree would never drain. The arrows are own-stream order, spawning turn to first turn of the child,
// last turn of a joined child to the join turn, and the predecessors.
func (r *recording) checkOrder() error {
	first := make([]int, len(r.conversations)+1) // node number of each conversation's turn 0
	for c := range r.conversations {
		first[c+1] = first[c] + len(r.conversations[c].turns)
	}
	waits := make([]int, first[len(r.conversations)]) // arrows that still hold a turn
	after := make([][]int, len(waits))
	add := func(from, to int) {
		after[from] = append(after[from], to)
		waits[to]++
	}
	for c := range r.conversations {
		for i := range r.conversations[c].turns {
			if i > 0 {
				add(first[c]+i-1, first[c]+i)
			}
			for _, pred := range r.conversations[c].turns[i].preds {
				add(first[pred.Conversation]+pred.Turn, first[c]+i)
			}
		}
	}
	for b := range r.branches {
		branch := &r.branches[b]
		for _, child := range branch.children {
			add(branch.spawnTurn, first[child])
			if branch.joinTurn >= 0 {
				add(first[child+1]-1, branch.joinTurn)
			}
		}
	}
	var free []int
	for node, count := range waits {
		if count == 0 {
			free = append(free, node)
		}
	}
	for i := 0; i < len(free); i++ {
		for _, next := range after[free[i]] {
			if waits[next]--; waits[next] == 0 {
				free = append(free, next)
			}
		}
	}
	if len(free) < len(waits) {
		return fmt.Errorf("%d turns wait for each other in a circle", len(waits)-len(free))
	}
	return nil
}
