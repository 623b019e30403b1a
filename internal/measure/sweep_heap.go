package measure

// push, pop and sink keep the requests in flight as a binary heap on the time of their next event.
// container/heap would box every comparison; this runs once per chunk.

func (s *sweeper) push(a *active) {
	s.heap = append(s.heap, a)
	at := len(s.heap) - 1
	for at > 0 {
		parent := (at - 1) / 2
		if s.heap[parent].at <= s.heap[at].at {
			return
		}
		s.heap[parent], s.heap[at] = s.heap[at], s.heap[parent]
		at = parent
	}
}

// pop removes the top.
func (s *sweeper) pop() {
	last := len(s.heap) - 1
	s.heap[0], s.heap[last] = s.heap[last], nil
	s.heap = s.heap[:last]
	s.sink()
}

// sink restores the order after the top's time grew.
func (s *sweeper) sink() {
	at := 0
	for {
		child := at + at + 1
		if child >= len(s.heap) {
			return
		}
		if right := child + 1; right < len(s.heap) && s.heap[right].at < s.heap[child].at {
			child = right
		}
		if s.heap[at].at <= s.heap[child].at {
			return
		}
		s.heap[at], s.heap[child] = s.heap[child], s.heap[at]
		at = child
	}
}
