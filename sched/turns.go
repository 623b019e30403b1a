package sched

// The way of a turn to the wire: a timer or a zero pause makes it due, then the stop tests, the barrier
// and the prefill limit are asked in this order; the last step counts it and sends it.

// setTimer starts the timer of a stream's next turn at base + gap. A turn that could not be sent any
// more is refused at once.
func (m *Machine) setTimer(s *stream, base, gap int64, why TimerWhy) {
	if reason := m.refusal(s); reason != "" {
		m.refuse(s, reason)
		return
	}
	s.state = streamPending
	m.runTimer(s, base+gap)
	m.emitTurn(KindTimerSet, s, &TimerSet{DueNs: s.due, BaseNs: base, GapNs: gap, Why: why})
}

// schedule makes a turn due at base + gap: in this step when that instant has come, else by a timer.
func (m *Machine) schedule(s *stream, base, gap int64, why TimerWhy) {
	if gap > 0 {
		s.waited |= waitedFor(why)
	}
	if base+gap > m.now {
		m.setTimer(s, base, gap, why)
		return
	}
	m.becomeDue(s, base+gap)
}

func waitedFor(why TimerWhy) Waited {
	switch why {
	case TimerSpawn:
		return WaitedSpawn
	case TimerFirst, TimerPrimer:
		return WaitedFirst
	}
	return WaitedGap
}

// becomeDue is the instant that a turn wants to go out.
func (m *Machine) becomeDue(s *stream, due int64) {
	s.state = streamIdle
	s.due = due
	m.emitTurn(KindTurnDue, s, &TurnDue{DueNs: due})
	m.tryTurn(s)
}

// tryTurn takes a due turn as far as it gets.
func (m *Machine) tryTurn(s *stream) {
	if reason := m.refusal(s); reason != "" {
		m.refuse(s, reason)
		return
	}
	if m.phase.stage != stagePrimers && !s.tree.predsComplete(s.conv, s.next) {
		m.retain(s)
		m.watchdogAgain(s.tree)
		return
	}
	if m.pressureIsOver() {
		m.deferTurn(s, m.pressureEnd())
		return
	}
	if m.config.PrefillLimit > 0 && (m.slots >= m.config.PrefillLimit || len(m.queue) > 0) {
		s.state = streamQueued
		s.queuedAt = m.now
		m.queue = append(m.queue, s)
		m.emitTurn(KindSlotWait, s, &SlotWait{Waiting: len(m.queue)})
		return
	}
	m.admit(s)
}

// admit is the last test before the wire: the lane's quota of the cache warmup (4.4).
func (m *Machine) admit(s *stream) {
	if m.phase.stage == stagePressure && m.config.WarmupRequestsPerLane > 0 {
		if s.tree.lane.quota >= m.config.WarmupRequestsPerLane {
			m.deferTurn(s, ReasonQuota)
			return
		}
		s.tree.lane.quota++
	}
	m.dispatch(s)
}

// dispatch sends a turn: it counts it, tells the runner, and starts the children that were recorded to
// start while their parent's request was under way (5.4.2).
func (m *Machine) dispatch(s *stream) {
	p := &m.phase
	t := s.tree
	f := &flight{id: m.exchanges, stream: s, turn: s.next, primer: p.stage == stagePrimers}
	m.exchanges++
	m.flights[f.id] = f
	if m.config.PrefillLimit > 0 {
		f.hasSlot = true
		m.slots++
	}
	s.state = streamInFlight
	p.inFlight++
	t.inFlight++
	t.expired = false
	t.lane.hasWatch = false
	p.hasIdle = false
	m.countSession(s)
	if s.suspended {
		s.suspended = false
		p.branches.Resumed++
	}
	m.emitDispatch(f, s)
	p.counts.Sent++
	s.waited, s.hasReady, s.slotWait, s.hasFloor = 0, false, 0, false
	m.afterSend(f)
}

func (m *Machine) emitDispatch(f *flight, s *stream) {
	p := &m.phase
	d := &Dispatch{
		Phase: p.phase, Credit: p.counts.Sent, Plan: s.tree.plan.index, Conversation: s.conv,
		DueNs: s.due, ReadyNs: s.due, SlotWaitNs: s.slotWait, Primer: f.primer, Final: s.final(),
		Waited: s.waited, URL: s.url, Marker: s.tree.marker,
	}
	if s.hasReady {
		d.ReadyNs = s.ready
	}
	if p.phase == PhaseWarmup {
		d.MaxTokens = 1
	}
	m.emitTurn(KindDispatch, s, d).Exchange = f.id
}

// countSession keeps the session counters, which know roots only (7.2).
func (m *Machine) countSession(s *stream) {
	if !s.isRoot() || m.phase.stage == stagePrimers {
		return
	}
	m.openSession(s)
	m.phase.counts.RootSent++
}

// openSession counts a root as a session of this phase, once.
func (m *Machine) openSession(root *stream) {
	if root.tree.counted {
		return
	}
	root.tree.counted = true
	m.phase.counts.SentSessions++
	m.phase.counts.SessionTurns += int64(len(root.rec.turns) - root.next)
}

// afterSend does what a send brings about: the end of sending by a count, and children that start with
// their parent's request.
func (m *Machine) afterSend(f *flight) {
	p := &m.phase
	switch p.stage {
	case stagePrimers:
		if p.primersOut++; p.primersOut == p.primers && !m.hasPressure() {
			m.completeSending(ReasonPrimersSent)
		}
		return
	case stageProfiling:
		if p.counts.Sent == m.config.RequestCount {
			m.completeSending(ReasonRequestCount)
		}
		m.testSessions()
	}
	if f.stream.isRoot() {
		m.spawnAll(f.stream.tree, f.turn, true, m.now)
	}
}
