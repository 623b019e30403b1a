package token

import "math"

// noRank marks a pair that does not merge.
const noRank = math.MaxUint32

// ranker knows which neighbouring tokens merge. text is what the two together stand for.
type ranker interface {
	rank(left, right ID, text string) (rank uint32, merged ID)
}

// symbol is a token in the making: bytes [at, next.at) of the word.
type symbol struct {
	id   ID
	at   int32
	rank uint32 // of the merge with the next symbol
	into ID     // what that merge makes
}

// scratch is the working memory of merging.
type scratch struct {
	symbols []symbol
	links   []link
	heap    []candidate
}

// shortWord bounds the words that are merged by scanning for the best pair; longer ones use a heap.
const shortWord = 64

// mergeAll merges the symbols of word, always the pair of lowest rank and the leftmost of equals,
// until no pair merges, and appends what is left to dst.
func mergeAll(dst []ID, word string, symbols []symbol, ranks ranker, s *scratch) []ID {
	if len(symbols) > shortWord {
		return mergeLong(dst, word, symbols, ranks, s)
	}
	n := len(symbols)
	end := func(i int) int32 {
		if i+1 < n {
			return symbols[i+1].at
		}
		return int32(len(word))
	}
	measure := func(i int) {
		symbols[i].rank = noRank
		if i+1 < n {
			symbols[i].rank, symbols[i].into = ranks.rank(symbols[i].id, symbols[i+1].id, word[symbols[i].at:end(i+1)])
		}
	}
	for i := range n {
		measure(i)
	}
	for {
		best, lowest := -1, uint32(noRank)
		for i := range n {
			if symbols[i].rank < lowest {
				best, lowest = i, symbols[i].rank
			}
		}
		if best < 0 {
			break
		}
		symbols[best].id = symbols[best].into
		copy(symbols[best+1:n], symbols[best+2:n])
		n--
		measure(best)
		if best > 0 {
			measure(best - 1)
		}
	}
	for i := range n {
		dst = append(dst, symbols[i].id)
	}
	return dst
}

// link chains the symbols that are still there.
type link struct{ before, after int32 }

// candidate is a merge that was possible when it was queued.
type candidate struct {
	rank        uint32
	at          int32 // index of the left symbol
	left, right ID
	into        ID
}

func (c candidate) less(o candidate) bool {
	return c.rank < o.rank || c.rank == o.rank && c.at < o.at
}

// mergeLong is mergeAll with a heap of candidates: n log n.
func mergeLong(dst []ID, word string, symbols []symbol, ranks ranker, s *scratch) []ID {
	n := int32(len(symbols))
	links := s.links[:0]
	for i := range n {
		links = append(links, link{i - 1, i + 1})
	}
	heap := s.heap[:0]
	offer := func(i int32) {
		if i < 0 || links[i].after >= n {
			return
		}
		j := links[i].after
		end := int32(len(word))
		if links[j].after < n {
			end = symbols[links[j].after].at
		}
		rank, into := ranks.rank(symbols[i].id, symbols[j].id, word[symbols[i].at:end])
		if rank != noRank {
			heap = push(heap, candidate{rank, i, symbols[i].id, symbols[j].id, into})
		}
	}
	for i := range n {
		offer(i)
	}
	const gone = -1
	for len(heap) > 0 {
		var best candidate
		best, heap = pop(heap)
		i := best.at
		j := links[i].after
		if j == gone || j >= n || symbols[i].id != best.left || symbols[j].id != best.right {
			continue // one of the two has merged since
		}
		symbols[i].id = best.into
		next := links[j].after
		links[i].after, links[j].after = next, gone
		if next < n {
			links[next].before = i
		}
		offer(i)
		offer(links[i].before)
	}
	for i := int32(0); i < n; i = links[i].after {
		dst = append(dst, symbols[i].id)
	}
	s.links, s.heap = links, heap
	return dst
}

func push(heap []candidate, c candidate) []candidate {
	heap = append(heap, c)
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !heap[i].less(heap[parent]) {
			break
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
	return heap
}

func pop(heap []candidate) (candidate, []candidate) {
	top := heap[0]
	last := len(heap) - 1
	heap[0] = heap[last]
	heap = heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && heap[child+1].less(heap[child]) {
			child++
		}
		if !heap[child].less(heap[i]) {
			break
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
	return top, heap
}
