package sched

import "container/heap"

// timerHeap orders the pending timers of streams by due instant, then by where they would be without
// the floors of shifts, then by the order of setting.
type timerHeap []*stream

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.due != b.due {
		return a.due < b.due
	}
	if a.raw != b.raw {
		return a.raw < b.raw
	}
	return a.sequence < b.sequence
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heapIndex, h[j].heapIndex = i, j
}

func (h *timerHeap) Push(x any) {
	s := x.(*stream)
	s.heapIndex = len(*h)
	*h = append(*h, s)
}

func (h *timerHeap) Pop() any {
	old := *h
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	s.heapIndex = None
	return s
}

// runTimer starts the stream's timer; the caller sets the state and tells the log.
func (m *Machine) runTimer(s *stream, due int64) {
	s.due, s.raw, s.sequence = due, due, m.sequence
	m.sequence++
	heap.Push(&m.timers, s)
}

func (m *Machine) dropTimer(s *stream) {
	if s.heapIndex != None {
		heap.Remove(&m.timers, s.heapIndex)
	}
}

// fireTimers lets every turn whose instant has come go on, in the order of the timers.
func (m *Machine) fireTimers() {
	for len(m.timers) > 0 && m.timers[0].due <= m.now && !m.done {
		s := heap.Pop(&m.timers).(*stream)
		if s.state == streamBlocked {
			continue // its "not before" has passed; the children decide
		}
		m.becomeDue(s, s.due)
	}
}

// canGoOut reports whether the running timer of a stream leads to a request when it fires: it is not
// held by unfinished children or by predecessors (5.7.4).
func (s *stream) canGoOut() bool {
	return s.state == streamPending && s.tree.predsComplete(s.conv, s.next)
}

// shift moves one timer earlier by the amount, to now or to the opening of its lane at the earliest.
func (m *Machine) shift(s *stream, amount int64, by Waited) {
	earliest := m.now
	if s.hasFloor {
		earliest = max(earliest, s.floor)
	}
	s.raw -= amount
	s.due = max(s.due-amount, min(earliest, s.due))
	s.waited |= by
}

// NextWake is the instant of the earliest timer, and whether there is one. It may lie in the past.
func (m *Machine) NextWake() (at int64, ok bool) {
	if m.done || !m.started {
		return 0, false
	}
	consider := func(has bool, when int64) {
		if has && (!ok || when < at) {
			at, ok = when, true
		}
	}
	if len(m.timers) > 0 {
		consider(true, m.timers[0].due)
	}
	consider(m.phase.hasStop, m.phase.stopAt)
	consider(m.phase.hasGrace, m.phase.graceAt)
	consider(m.phase.hasOpening, m.phase.openingAt)
	for _, l := range m.lanes {
		consider(l.hasBackoff, l.backoffAt)
		consider(l.hasWatch, l.watchAt)
	}
	return at, ok
}

// DueBy counts the timers that will have come at the instant: what a Wake then sets going.
func (m *Machine) DueBy(at int64) int {
	count := 0
	for _, s := range m.timers {
		if s.due <= at {
			count++
		}
	}
	for _, l := range m.lanes {
		if l.hasBackoff && l.backoffAt <= at || l.hasWatch && l.watchAt <= at {
			count++
		}
	}
	return count
}

// wake applies every timer whose instant has come, in the order of 14.2.
func (m *Machine) wake() {
	if m.phase.hasStop && m.phase.stopAt <= m.now {
		m.phase.hasStop = false
		m.stopByClock()
	}
	if m.phase.hasGrace && m.phase.graceAt <= m.now {
		m.phase.hasGrace = false
		m.graceExpired()
	}
	for _, l := range m.lanes {
		if l.hasBackoff && l.backoffAt <= m.now {
			l.hasBackoff = false
			m.recycle(l)
		}
	}
	for _, l := range m.lanes {
		if l.hasWatch && l.watchAt <= m.now {
			l.hasWatch = false
			m.watchdogFires(l.tree)
		}
	}
	m.fireTimers()
}
