package corpus

import "container/heap"

// splice joins chains across compactions: where nobody went on from the full state of a call, the
// best of the chains that forked from it is its continuation (spec reconstruction 3.3).
func (d *detector) splice() {
	owner := make([]int, len(d.calls))
	for c := range d.chains {
		for _, i := range d.chains[c].calls {
			owner[i] = c
		}
	}
	var pending intHeap
	for i := range d.calls { // ascending, so it is a heap already
		if len(d.children[i]) > 0 {
			pending = append(pending, i)
		}
	}
	for len(pending) > 0 {
		k := heap.Pop(&pending).(int)
		into := d.owner(owner[k])
		if d.chains[into].tail != k {
			continue // the longer state was continued
		}
		chosen := d.elect(k)
		if chosen < 0 {
			continue
		}
		d.join(into, chosen)
		if next := d.chains[into].tail; d.reregister(k, next, into) {
			heap.Push(&pending, next) // a second visit of a call changes nothing
		}
	}
}

// elect finds, among the chains forked from call k, the one that continues it; -1 for none: the deepest,
// of equals the earliest (chains are numbered in time order).
func (d *detector) elect(k int) int {
	state := &d.calls[k]
	chosen, depth := -1, 0
	for _, c := range d.children[k] {
		candidate := &d.chains[c]
		first := &d.calls[candidate.calls[0]]
		if candidate.into >= 0 || candidate.fork.depth < depth || candidate.fork.depth == depth && c > chosen {
			continue
		}
		if state.end() > first.t+timeSlack || first.Model != state.Model {
			continue
		}
		if d.guarded(state, first, candidate.fork.depth) {
			continue
		}
		chosen, depth = c, candidate.fork.depth
	}
	return chosen
}

// guarded reports whether too long a pause with too little in common keeps two calls apart.
func (d *detector) guarded(state, first *call, depth int) bool {
	if first.t-state.end() <= d.options.SeamMaxGapSeconds {
		return false
	}
	return float64(depth)/float64(len(state.Blocks)) < d.options.SeamMinOverlapRatio
}

func (d *detector) join(into, chosen int) {
	target, source := &d.chains[into], &d.chains[chosen]
	target.calls = append(target.calls, source.calls...)
	target.tail = source.tail
	source.into = into
	d.seams++
}

// reregister moves the other chains forked from call k to call next, the new last state of chain
// owner, where they have something in common with it. It reports whether any was moved.
func (d *detector) reregister(k, next, owner int) bool {
	moved := false
	kept := d.children[k][:0]
	for _, c := range d.children[k] {
		other := &d.chains[c]
		if other.into >= 0 {
			continue
		}
		depth := commonPrefix(d.calls[next].Blocks, d.calls[other.calls[0]].Blocks)
		if depth == 0 {
			kept = append(kept, c)
			continue
		}
		other.fork = fork{parent: owner, tail: next, depth: depth}
		d.children[next] = append(d.children[next], c)
		moved = true
	}
	d.children[k] = kept
	return moved
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
