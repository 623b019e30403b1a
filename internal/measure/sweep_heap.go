package measure

// upcoming is a request in flight in the heap. The time stands beside the pointer: comparing would fetch a
// request from memory each time otherwise.
type upcoming struct {
	at     int64 // of its next event
	active *active
}

// push, pop and sink keep the requests in flight as a binary heap on the time of their next event.
// container/heap would box every comparison; this runs once per chunk.

func (s *sweeper) push(a *active) {
	s.heap = append(s.heap, upcoming{a.at, a})
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
	s.heap[0], s.heap[last] = s.heap[last], upcoming{}
	s.heap = s.heap[:last]
	s.sink()
}

// sink restores the order after the top grew.
func (s *sweeper) sink() {
	heap := s.heap
	if len(heap) == 0 {
		return
	}
	top, at := heap[0], 0
	for {
		child := at + at + 1
		if child >= len(heap) {
			break
		}
		if right := child + 1; right < len(heap) && heap[right].at < heap[child].at {
			child = right
		}
		if top.at <= heap[child].at {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	heap[at] = top
}
