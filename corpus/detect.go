package corpus

import (
	"cmp"
	"slices"
)

// preambleMaxOut is the output up to which a disjoint first request always counts as a preamble.
const preambleMaxOut = 64

// call is a recorded request with its place: t is on the trace's clock, inner is −1 for rows of the
// trace itself.
type call struct {
	*Request
	t          float64
	row, inner int
}

func (c *call) end() float64 { return c.t + c.APITime.floored() }

// sortCalls orders calls by time, then by their place in the file.
func sortCalls(calls []call) {
	slices.SortStableFunc(calls, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.row, b.row), cmp.Compare(a.inner, b.inner))
	})
}

// fork says from which state of which chain a chain split off.
type fork struct {
	parent int // chain, -1 for none
	tail   int // call that was the parent's last
	depth  int // leading blocks in common with it
}

// chain is a run of calls that each go on from the one before. Calls are positions in the detector's
// list.
type chain struct {
	calls []int
	tail  int // its last call with blocks, -1 for none
	fork  fork
	into  int // chain that it was spliced into, -1 while it is its own
}

// detector takes the calls of one layer, the trace's own or a subagent's, apart into the conversations
// that were recorded as one list (spec reconstruction 3).
type detector struct {
	options  *Options
	calls    []call // in the order of sortCalls
	chains   []chain
	children map[int][]int // chains by the call they forked from, in order of creation
	seams    int
	peeled   bool // the first call is a preamble
}

// detection is what the detector found: the main chain and the workers, in order of their first call.
type detection struct {
	main     []int // in time order, with the preamble
	yard     []int // the same without the preamble: the yardstick of classes
	workers  []chain
	seams    int
	noBlocks int // calls without blocks
	peeled   bool
}

func detect(calls []call, options *Options) detection {
	d := detector{options: options, calls: calls, children: map[int][]int{}}
	d.peeled = !options.NoPreamble && d.hasPreamble()
	d.assign()
	d.splice()
	return d.result()
}

// hasPreamble reports whether the earliest call stands apart from all others (spec 3.1).
func (d *detector) hasPreamble() bool {
	if len(d.calls) < 2 || len(d.calls[0].Blocks) == 0 {
		return false
	}
	first := d.calls[0].Blocks
	for _, other := range d.calls[1:] {
		if len(other.Blocks) > 0 && other.Blocks[0] == first[0] {
			return false
		}
	}
	if d.calls[0].Out <= preambleMaxOut {
		return true
	}
	own := make(map[Block]bool, len(first))
	for _, block := range first {
		own[block] = true
	}
	for _, other := range d.calls[1:] {
		for _, block := range other.Blocks {
			if own[block] {
				return false
			}
		}
	}
	return true
}

// assign gives every call to a chain, in time order (spec 3.2).
func (d *detector) assign() {
	start := 0
	if d.peeled {
		start = 1
	}
	tails := false // some chain has a tail
	for i := start; i < len(d.calls); i++ {
		hashed := len(d.calls[i].Blocks) > 0
		switch {
		case len(d.chains) == 0:
			d.found(i, fork{parent: -1, tail: -1})
		case !hashed || !tails:
			d.extend(0, i)
		default:
			d.place(i)
		}
		tails = tails || hashed
	}
}

// place finds the chain that call i goes on with, or founds one for it. Some chain has a tail.
func (d *detector) place(i int) {
	r := &d.calls[i]
	extends, extendsLength := -1, 0
	parent, parentDepth, parentLength := -1, 0, 0
	for c := range d.chains {
		if d.chains[c].tail < 0 {
			continue
		}
		tail := &d.calls[d.chains[c].tail]
		length := len(tail.Blocks)
		depth := commonPrefix(tail.Blocks, r.Blocks)
		if depth == length && length > extendsLength && tail.Model == r.Model && tail.end() <= r.t+timeSlack {
			extends, extendsLength = c, length
		}
		if depth > parentDepth || depth == parentDepth && depth > 0 && length > parentLength {
			parent, parentDepth, parentLength = c, depth, length
		}
	}
	if extends >= 0 {
		d.extend(extends, i)
		return
	}
	origin := fork{parent: -1, tail: -1}
	if parent >= 0 {
		origin = fork{parent: parent, tail: d.chains[parent].tail, depth: parentDepth}
		d.children[origin.tail] = append(d.children[origin.tail], len(d.chains))
	}
	d.found(i, origin)
}

func (d *detector) found(i int, origin fork) {
	d.chains = append(d.chains, chain{tail: -1, fork: origin, into: -1})
	d.extend(len(d.chains)-1, i)
}

func (d *detector) extend(c, i int) {
	d.chains[c].calls = append(d.chains[c].calls, i)
	if len(d.calls[i].Blocks) > 0 {
		d.chains[c].tail = i
	}
}

// result names the main chain and the workers. Chain 0 owns the first call and is never spliced into
// another one.
func (d *detector) result() detection {
	found := detection{seams: d.seams, peeled: d.peeled}
	for i := range d.calls {
		if len(d.calls[i].Blocks) == 0 {
			found.noBlocks++
		}
	}
	found.yard = d.chains[0].calls
	slices.Sort(found.yard)
	found.main = found.yard
	if d.peeled {
		found.main = append([]int{0}, found.yard...)
	}
	for c := 1; c < len(d.chains); c++ {
		if d.chains[c].into >= 0 {
			continue
		}
		worker := d.chains[c]
		if worker.fork.parent >= 0 {
			worker.fork.parent = d.owner(worker.fork.parent)
		}
		found.workers = append(found.workers, worker)
	}
	return found
}

// owner follows the splices to the chain that now holds chain c's calls.
func (d *detector) owner(c int) int {
	for d.chains[c].into >= 0 {
		c = d.chains[c].into
	}
	return c
}
