package filler

import (
	"fmt"

	"agentx/internal/synth/draw"
)

// Need is what one trace wants of the filler.
type Need struct {
	Trace     string
	BlockSize int
	IDs       int      // ranks 0 … IDs-1 are whole blocks
	Unique    []uint16 // tokens of the ranks after them
}

// Ranks is the count of windows.
func (n *Need) Ranks() int { return n.IDs + len(n.Unique) }

// firstTokens is the length of rank 0; 0 for a trace without text.
func (n *Need) firstTokens() int {
	switch {
	case n.IDs > 0:
		return n.BlockSize
	case len(n.Unique) > 0:
		return int(n.Unique[0])
	}
	return 0
}

// TooFew is the error for a filler that has not enough windows for a trace.
type TooFew struct {
	Trace string
	Need  int
	Have  int
}

func (e *TooFew) Error() string {
	return fmt.Sprintf("trace %s needs %d windows of filler text, and only %d are legal", e.Trace, e.Need, e.Have)
}

// FirstStarts gives every trace the start of its rank 0: from one permutation over the corpus, so
// that no two traces begin alike. needs is in corpus order. A trace without text gets 0.
func (w *Windows) FirstStarts(seed int64, needs []Need) ([]uint32, error) {
	var all []uint32
	for i, is := range w.isStart {
		if is {
			all = append(all, uint32(i))
		}
	}
	p := permutation{draws: draw.New(seed, "first starts"), pool: all}
	firsts := make([]uint32, len(needs))
	var passed []uint32 // drawn, and not fit for the traces so far
	for i := range needs {
		n := needs[i].firstTokens()
		if n == 0 {
			continue
		}
		start, ok := takeFit(&passed, &p, func(start uint32) bool { return w.Legal(start, n) })
		if !ok {
			return nil, &TooFew{Trace: needs[i].Trace, Need: len(needs), Have: len(all)}
		}
		firsts[i] = start
	}
	return firsts, nil
}

// takeFit takes the first start, in permutation order, that fits.
func takeFit(passed *[]uint32, p *permutation, fits func(uint32) bool) (uint32, bool) {
	for i, start := range *passed {
		if fits(start) {
			*passed = append((*passed)[:i], (*passed)[i+1:]...)
			return start, true
		}
	}
	for {
		start, ok := p.next()
		if !ok || fits(start) {
			return start, ok
		}
		*passed = append(*passed, start)
	}
}

// permutation deals a shuffled pool one by one (Fisher and Yates, forwards), and can put the pool back
// as it was, so that the next trace need not copy it.
type permutation struct {
	draws *draw.Generator
	pool  []uint32
	dealt int
	swaps []uint32
}

func (p *permutation) next() (uint32, bool) {
	if p.dealt == len(p.pool) {
		return 0, false
	}
	other := p.dealt + p.draws.Below(len(p.pool)-p.dealt)
	p.pool[p.dealt], p.pool[other] = p.pool[other], p.pool[p.dealt]
	p.swaps = append(p.swaps, uint32(other))
	p.dealt++
	return p.pool[p.dealt-1], true
}

// undo restores the pool.
func (p *permutation) undo() {
	for p.dealt > 0 {
		p.dealt--
		other := p.swaps[p.dealt]
		p.pool[p.dealt], p.pool[other] = p.pool[other], p.pool[p.dealt]
	}
	p.swaps = p.swaps[:0]
}

// Dealer deals windows to traces. It holds working memory: one goroutine at a time.
type Dealer struct {
	windows *Windows
	seed    int64
	pools   map[int][]uint32 // by block size; in ascending order between two deals
	swaps   []uint32
	passed  []uint32
}

// NewDealer makes a dealer for the content seed.
func (w *Windows) NewDealer(seed int64) *Dealer {
	return &Dealer{windows: w, seed: seed, pools: map[int][]uint32{}}
}

// Deal appends the start of every rank of a trace to dst. first is what FirstStarts gave it. Ids take
// a permutation keyed by seed and trace one by one; fills and tails of n tokens take the first start
// after those that is still free and has a legal end at n.
func (d *Dealer) Deal(dst []uint32, need *Need, first uint32) ([]uint32, error) {
	if need.Ranks() == 0 {
		return dst, nil
	}
	pool, known := d.pools[need.BlockSize]
	if !known {
		pool = append(pool, d.windows.Starts(need.BlockSize)...)
		d.pools[need.BlockSize] = pool
	}
	p := permutation{draws: draw.New(d.seed, "starts", need.Trace), pool: pool, swaps: d.swaps[:0]}
	defer func() {
		p.undo()
		d.swaps = p.swaps
	}()
	d.passed = d.passed[:0]
	dst = append(dst, first)
	for rank := 1; rank < need.Ranks(); rank++ {
		start, ok := uint32(0), false
		if rank < need.IDs {
			if start, ok = p.next(); ok && start == first {
				start, ok = p.next()
			}
		} else {
			n := int(need.Unique[rank-need.IDs])
			start, ok = takeFit(&d.passed, &p, func(s uint32) bool { return s != first && d.windows.Legal(s, n) })
		}
		if !ok {
			return dst, &TooFew{Trace: need.Trace, Need: need.Ranks(), Have: len(pool)}
		}
		dst = append(dst, start)
	}
	return dst, nil
}
