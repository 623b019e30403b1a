package sched

// A generic error changes nothing for a stream (8.1); this file has what does.

// overflowed ends a stream whose context window is too small for it (8.4). Its later turns are voided,
// so that nothing waits for them.
func (m *Machine) overflowed(s *stream, at int64) {
	t := s.tree
	unsent := len(s.rec.turns) - s.next - 1
	s.state = streamFinished
	if unsent > 0 {
		m.emitStream(KindStreamTerminated, s, &StreamTerminated{Unsent: unsent})
		m.void(t, s.conv, s.next+1, ReasonOverflow)
	} else {
		m.emitStream(KindStreamCompleted, s, &StreamCompleted{Outcome: OutcomeOverflow})
	}
	if s.isRoot() {
		for b := range t.branches {
			m.neverSpawn(t, b, ReasonOverflow)
		}
		m.discardGates(t, ReasonOverflow)
		m.rootEndsEarly(s, unsent)
		m.cascade(t, at)
		m.endRoot(t, ReasonOverflow)
		return
	}
	m.cascade(t, at)
	if unsent > 0 {
		m.phase.branches.Truncated++
	} else {
		m.phase.branches.Errored++
	}
	m.childFinished(s, at)
}

// failFast looks at a child's error when the run was asked not to go on after one (8.6, decision 11).
func (m *Machine) failFast(f *flight, outcome Outcome) {
	if outcome != OutcomeError || f.stream.isRoot() || m.phase.stage != stageProfiling || m.phase.cancelled {
		return
	}
	switch m.config.FailFast {
	case FailFastTree:
		m.abortTree(f.stream)
	case FailFastRun:
		m.cancelRun(ReasonFailFast)
	}
}

// abortTree gives a tree up because of one of its children: what is not in flight ends at once, what is
// in flight is cancelled and ends with its answer, then the tree drains.
func (m *Machine) abortTree(by *stream) {
	t := by.tree
	if t.aborted {
		return
	}
	t.aborted = true
	m.phase.branches.FailedByFast++
	m.emit(KindTreeAborted, t, &TreeAborted{Why: ReasonFailFast, Stream: by.id})
	m.discardGates(t, ReasonFailFast)
	for _, s := range t.streams {
		switch s.state {
		case streamPending, streamRetained, streamQueued, streamBlocked:
			m.dropAborted(s)
		}
	}
	for _, f := range m.flightsOf(t) {
		m.emitCancel(f, ReasonFailFast)
	}
	if t.root != nil && t.root.state == streamInFlight {
		m.rootEndsEarly(t.root, len(t.root.rec.turns)-t.root.next-1)
	}
	m.phase.branches.Errored++
	by.state = streamFinished
	t.outstanding--
}

// dropAborted ends a stream of an aborted tree that has nothing in flight.
func (m *Machine) dropAborted(s *stream) {
	m.detach(s)
	s.state = streamFinished
	unsent := len(s.rec.turns) - s.next
	m.emitStream(KindStreamTruncated, s, &StreamTruncated{Why: ReasonFailFast, Unsent: unsent})
	if s.isRoot() {
		m.rootEndsEarly(s, unsent)
		return
	}
	m.phase.branches.Truncated++
	s.tree.outstanding--
}

// endedAborted takes the end of a request of an aborted tree.
func (m *Machine) endedAborted(s *stream) {
	if s.state != streamFinished {
		s.state = streamFinished
		m.emitStream(KindStreamTruncated, s, &StreamTruncated{Why: ReasonFailFast, Unsent: len(s.rec.turns) - s.next - 1})
		if !s.isRoot() {
			m.phase.branches.Truncated++
			s.tree.outstanding--
		}
	}
	m.testDrain(s.tree)
}
