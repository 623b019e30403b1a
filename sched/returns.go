package sched

// ended applies the end of an exchange, in the order of 8.5 with the barrier before the joins. The
// instant at is the socket's stamp; pauses count from it.
func (m *Machine) ended(f *flight, at int64, input Input) {
	p := &m.phase
	s, t := f.stream, f.stream.tree
	delete(m.flights, f.id)
	p.inFlight--
	t.inFlight--
	p.hasEnd, p.lastEnd = true, max(p.lastEnd, at)
	s.state = streamIdle
	m.countEnd(f, input.Outcome)
	if s.isRoot() {
		m.noteRootAnswer(t, input, at)
	}
	m.freeSlot(f)
	if p.phase == PhaseWarmup && s.isRoot() && input.Outcome != OutcomeOK &&
		(!p.cancelled || m.cancel == ReasonDrainTimeout) {
		m.failWarmup(f, input.Outcome)
		return
	}
	m.failFast(f, input.Outcome)
	m.grantSlots()
	switch {
	case f.primer:
		m.primerEnded(s)
		return
	case t.aborted:
		m.endedAborted(s)
		return
	}
	m.completeTurn(t, s.conv, f.turn, at)
	switch {
	case input.Outcome == OutcomeOverflow:
		m.overflowed(s, at)
	case s.final():
		m.endStream(s, input.Outcome, at)
	default:
		m.goOn(s, at)
	}
	if t.inFlight == 0 {
		m.armWatchdog(t, at)
	}
}

// countEnd keeps the request counters (7.2) and watches the share of failures (7.8), in which an
// overflow counts as a success.
func (m *Machine) countEnd(f *flight, outcome Outcome) {
	p := &m.phase
	c := &p.counts
	root := f.stream.isRoot() && !f.primer
	final := f.turn == len(f.stream.rec.turns)-1
	switch outcome {
	case OutcomeCancelled, OutcomeAbandoned:
		c.Cancelled++
		if root && final {
			c.CancelledSessions++
		}
		return
	case OutcomeOverflow:
		c.Overflows++
		c.Errors++
	case OutcomeError:
		c.Errors++
	}
	c.Completed++
	if root && final && outcome != OutcomeOverflow {
		c.CompletedSessions++
	}
	limit := m.config.FailedRequestThreshold
	if limit == nil || p.stage != stageProfiling || p.cancelled || c.Completed < int64(max(m.config.Concurrency, 10)) {
		return
	}
	if float64(c.Errors-c.Overflows) > float64(*limit*float64(c.Completed)) {
		m.cancelRun(ReasonThreshold)
	}
}

// goOn leads to the stream's next turn: children of the turn that returned first, then the gate, then
// the recorded pause (5.3, 5.4.1, 5.5).
func (m *Machine) goOn(s *stream, at int64) {
	turn := s.next
	s.next++
	gap := s.rec.turns[s.next].gapNs
	if m.phase.stage == stagePressure {
		gap = 0
	}
	if s.isRoot() {
		m.spawnAll(s.tree, turn, false, at)
		if m.suspend(s, at+gap) {
			return
		}
	}
	m.schedule(s, at, gap, TimerGap)
}

// endStream ends a stream whose last turn has returned, whatever the outcome.
func (m *Machine) endStream(s *stream, outcome Outcome, at int64) {
	s.state = streamFinished
	m.emitStream(KindStreamCompleted, s, &StreamCompleted{Outcome: outcome})
	if !s.isRoot() {
		if outcome == OutcomeError {
			m.phase.branches.Errored++
		} else {
			m.phase.branches.Completed++
		}
		m.childFinished(s, at)
		return
	}
	m.spawnAll(s.tree, s.next, false, at)
	m.endRoot(s.tree, ReasonDone)
}

// endRoot marks the tree's root as done.
func (m *Machine) endRoot(t *tree, why Reason) {
	t.rootDone = true
	m.emitStream(KindRootDone, t.root, &RootDone{Why: why})
	m.testDrain(t)
}

// childFinished tells the joins and the tree that a child sends no more.
func (m *Machine) childFinished(s *stream, at int64) {
	t, b := s.tree, s.rec.branch
	t.branches[b].open--
	t.outstanding--
	m.branchAdvanced(t, b, at)
	m.testDrain(t)
}
