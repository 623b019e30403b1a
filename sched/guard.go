package sched

import "container/heap"

// evaluateGuard is the global idle guard (5.7): when nothing is in flight, no pause lasts longer than
// the cap. It runs at the end of every step, because what can reach the wire changes only inside steps;
// but for lanes that a ramp opens later, whose openings are steps of their own while nothing is in flight.
func (m *Machine) evaluateGuard() {
	p := &m.phase
	p.hasOpening = false
	limit := m.config.SystemIdleCapNs
	if limit == nil || p.stage != stageProfiling || p.childrenEnded || p.inFlight > 0 {
		return
	}
	if !p.hasIdle {
		p.hasIdle, p.idleSince = true, m.now
		if p.hasEnd {
			p.idleSince = p.lastEnd
		}
	}
	budget := max(0, *limit-(m.now-p.idleSince))
	p.openingAt, p.hasOpening = m.nextOpening(m.now + budget)
	earliest, ok := m.earliestTimer(m.timers, m.now+budget)
	if !ok || earliest-m.now <= budget {
		return
	}
	amount := earliest - m.now - budget
	for _, s := range m.timers {
		m.shift(s, amount, WaitedGuard)
	}
	heap.Init(&m.timers)
	p.guard.Jumps++
	p.guard.SkippedNs += amount
	m.emit(KindTimersShifted, nil, &TimersShifted{Scope: ShiftGlobal, ShiftNs: amount, EarliestNs: earliest, Count: len(m.timers)})
}

// earliestTimer is the due instant of the earliest timer that leads to a request. Timers that a ramp
// keeps from going out by the given instant are not chosen: moving others would not end the idle time
// of their lanes.
func (m *Machine) earliestTimer(streams []*stream, by int64) (earliest int64, ok bool) {
	for _, s := range streams {
		if s.heapIndex == None || ok && s.due >= earliest || s.hasFloor && s.floor > by || !s.canGoOut() {
			continue
		}
		earliest, ok = s.due, true
	}
	return earliest, ok
}

// nextOpening is when the first lane opens that a ramp keeps closed beyond the given instant, although
// a timer of it leads to a request.
func (m *Machine) nextOpening(beyond int64) (at int64, ok bool) {
	if m.config.RampNs == 0 {
		return 0, false
	}
	for _, s := range m.timers {
		if s.hasFloor && s.floor > beyond && (!ok || s.floor < at) && s.canGoOut() {
			at, ok = s.floor, true
		}
	}
	return at, ok
}

// armWatchdog starts the wait of a tree's idle watchdog (5.8).
func (m *Machine) armWatchdog(t *tree, from int64) {
	limit := m.config.TraceIdleCapNs
	if limit == nil || m.phase.stage != stageProfiling || m.phase.childrenEnded || t.drained || t.inFlight > 0 {
		return
	}
	t.expired = false
	t.lane.hasWatch, t.lane.watchAt = true, from+*limit
}

// watchdogFires ends the idle time of a tree that has had nothing in flight for the whole cap.
func (m *Machine) watchdogFires(t *tree) {
	t.expired = true
	m.watchdogShift(t)
}

// watchdogAgain repeats the shift when a turn that the watchdog brought forward did not reach the wire.
func (m *Machine) watchdogAgain(t *tree) {
	if t.expired && t.inFlight == 0 && !t.drained && !m.phase.childrenEnded {
		m.watchdogShift(t)
	}
}

func (m *Machine) watchdogShift(t *tree) {
	earliest, ok := m.earliestTimer(t.streams, m.now)
	if !ok || earliest <= m.now {
		return
	}
	amount := earliest - m.now
	moved := 0
	for _, s := range t.streams {
		if s.heapIndex != None {
			m.shift(s, amount, WaitedWatchdog)
			heap.Fix(&m.timers, s.heapIndex)
			moved++
		}
	}
	m.phase.watch.Jumps++
	m.phase.watch.SkippedNs += amount
	m.emit(KindTimersShifted, t, &TimersShifted{Scope: ShiftTree, ShiftNs: amount, EarliestNs: earliest, Count: moved})
}
