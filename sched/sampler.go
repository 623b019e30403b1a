package sched

import (
	"fmt"
	"strconv"
)

// sampler gives the sequence of traces that lanes take, as indices in data set order. One sampler
// serves the whole run: the fill, recycles of the cache warmup and of profiling (2.2).
type sampler struct {
	kind  Sampler
	count int // traces
	draws int64

	order    []int // sequential and shuffle: the current pass
	position int
	shuffler *pcg
	random   *mersenne
}

func newSampler(kind Sampler, count int, seed uint64) (*sampler, error) {
	s := &sampler{kind: kind, count: count}
	label := strconv.FormatUint(seed, 10) + ":dataset.sampler." + string(kind)
	switch kind {
	case SamplerSequential, SamplerShuffle:
		s.order = make([]int, count)
		for i := range s.order {
			s.order[i] = i
		}
		if kind == SamplerShuffle {
			s.shuffler = newPCG(labelSeed(label))
			s.shuffle()
		}
	case SamplerRandom:
		s.random = newMersenne(labelSeed(label))
	default:
		return nil, fmt.Errorf("unknown sampler %q: use sequential, shuffle or random", kind)
	}
	return s, nil
}

// draw gives the next trace and the number of this draw.
func (s *sampler) draw() (trace int, number int64) {
	number = s.draws
	s.draws++
	if s.random != nil {
		return int(s.random.below(uint32(s.count))), number
	}
	if s.position == s.count {
		s.position = 0
		if s.shuffler != nil {
			s.shuffle()
		}
	}
	trace = s.order[s.position]
	s.position++
	return trace, number
}

// shuffle reorders the pass in place; the previous order is the input of the next.
func (s *sampler) shuffle() {
	for i := s.count - 1; i > 0; i-- {
		j := s.shuffler.masked(uint32(i))
		s.order[i], s.order[j] = s.order[j], s.order[i]
	}
}
