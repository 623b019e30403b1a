package sched

import "slices"

// A prefill limit bounds the requests that have not had their first token (11.5). Turns wait for a
// slot in the order in which they came.

func (m *Machine) firstToken(id ExchangeID) {
	if f, known := m.flights[id]; known && f.hasSlot {
		m.freeSlot(f)
		m.grantSlots()
	}
}

func (m *Machine) freeSlot(f *flight) {
	if f.hasSlot {
		f.hasSlot = false
		m.slots--
	}
}

// grantSlots sends waiting turns while there are slots. The stop tests are asked again.
func (m *Machine) grantSlots() {
	for len(m.queue) > 0 && m.slots < m.config.PrefillLimit {
		s := m.queue[0]
		m.queue = m.queue[1:]
		s.state = streamIdle
		s.slotWait = m.now - s.queuedAt
		s.waited |= WaitedSlot
		if reason := m.refusal(s); reason != "" {
			m.refuse(s, reason)
			continue
		}
		if m.pressureIsOver() {
			m.deferTurn(s, m.pressureEnd())
			continue
		}
		m.admit(s)
	}
}

// leaveQueue takes a turn out of the queue.
func (m *Machine) leaveQueue(s *stream) {
	m.queue = slices.DeleteFunc(m.queue, func(other *stream) bool { return other == s })
}
