package sched

import (
	"cmp"
	"slices"
)

// refusal says why a stream's next turn may not be sent any more, or nothing (7.1). It looks at the
// clock, not at whether the timer of the limit has fired. The end of a cache warmup defers turns
// instead of refusing them.
func (m *Machine) refusal(s *stream) Reason {
	if s.isRoot() && m.phase.stage == stageProfiling && m.phase.sendingDone && !m.phase.childrenEnded && !m.phase.cancelled {
		return ReasonSending
	}
	return m.childRefusal()
}

// childRefusal is refusal for a child.
func (m *Machine) childRefusal() Reason {
	p := &m.phase
	switch {
	case p.cancelled:
		return m.cancel
	case p.stage != stageProfiling:
		return ""
	case p.childrenEnded:
		return p.endedWhy
	case m.durationIsOver():
		return ReasonDuration
	case m.config.RequestCount > 0 && p.counts.Sent >= m.config.RequestCount:
		return ReasonRequestCount
	}
	return ""
}

func (m *Machine) durationIsOver() bool {
	return m.phase.stage == stageProfiling && m.config.DurationNs != nil && m.now >= m.phase.start+*m.config.DurationNs
}

// mayStartSession is the stop test of a new root (7.1). The cache warmup by requests lets a drained lane
// draw its next trace in any case (4.4).
func (m *Machine) mayStartSession() bool {
	p := &m.phase
	if p.cancelled {
		return false
	}
	if p.stage == stagePressure {
		return m.config.WarmupRequestsPerLane > 0 || !m.pressureIsOver()
	}
	return !p.sendingDone && m.childRefusal() == "" &&
		(p.sessionQuota == 0 || p.counts.SentSessions+m.waitingSessions() < p.sessionQuota)
}

// waitingSessions counts the trees whose root is still to send its first request: a slot of the prefill
// limit may keep it waiting. They have a claim on the session quota.
func (m *Machine) waitingSessions() int64 {
	var waiting int64
	for _, l := range m.lanes {
		if t := l.tree; t != nil && !t.counted && t.root != nil && t.root.alive() {
			waiting++
		}
	}
	return waiting
}

// refuse ends a stream whose turn may not be sent.
func (m *Machine) refuse(s *stream, why Reason) {
	m.emitTurn(KindTurnRefused, s, &TurnRefused{Why: why})
	m.truncate(s, why)
}

// truncate ends a stream before its last turn.
func (m *Machine) truncate(s *stream, why Reason) {
	m.detach(s)
	s.state = streamFinished
	if m.phase.stage == stagePrimers {
		return // its registration with the phase is still to come
	}
	unsent := len(s.rec.turns) - s.next
	m.emitStream(KindStreamTruncated, s, &StreamTruncated{Why: why, Unsent: unsent})
	if !s.isRoot() {
		m.phase.branches.Truncated++
		m.childFinished(s, m.now)
		return
	}
	if s.suspended {
		s.suspended = false
		m.phase.branches.Suppressed++
	}
	m.rootEndsEarly(s, unsent)
}

// detach takes a stream out of the timers, the retained turns and the prefill queue.
func (m *Machine) detach(s *stream) {
	m.dropTimer(s)
	switch s.state {
	case streamRetained:
		s.tree.forget(s)
	case streamQueued:
		m.leaveQueue(s)
	}
}

// rootEndsEarly takes the turns that will not be sent out of the session accounts (7.5).
func (m *Machine) rootEndsEarly(root *stream, unsent int) {
	if root.tree.counted {
		m.phase.counts.SessionTurns -= int64(unsent)
		m.testSessions()
	}
}

// testSessions completes sending when the last turn of the last root is out (7.5).
func (m *Machine) testSessions() {
	p := &m.phase
	if p.stage == stageProfiling && p.sessionQuota > 0 && p.counts.SentSessions >= p.sessionQuota &&
		p.counts.RootSent >= p.counts.SessionTurns {
		m.completeSending(ReasonSessions)
	}
}

// completeSending closes the phase for new requests. Under a session limit the children of the last
// trees go on; at the end of a warmup nothing is given up; every other reason ends all streams.
func (m *Machine) completeSending(why Reason) {
	p := &m.phase
	if p.sendingDone {
		return
	}
	p.sendingDone = true
	event := &SendingComplete{Phase: p.phase, Reason: why, Sent: p.counts.Sent}
	if why == ReasonQuota {
		event.Shortfall = m.shortfall()
	}
	m.emit(KindSendingComplete, nil, event)
	for _, l := range m.lanes {
		l.hasBackoff = false
	}
	switch why {
	case ReasonSessions:
	case ReasonPrimersSent, ReasonCutoff, ReasonQuota:
		p.hasStop = false
		if grace, bounded := m.config.WarmupGrace(); bounded {
			p.hasGrace, p.graceAt = true, m.now+grace
		}
		m.deferQueue()
	default:
		m.endChildren(why)
	}
}

// endChildren ends every stream that has nothing in flight. A root that waits for children is ended
// with the last of them.
func (m *Machine) endChildren(why Reason) {
	p := &m.phase
	if p.childrenEnded {
		return
	}
	p.childrenEnded, p.endedWhy, p.hasStop = true, why, false
	for _, l := range m.lanes {
		l.hasWatch = false
		if l.tree == nil {
			continue
		}
		for _, s := range slices.Clone(l.tree.streams) {
			switch s.state {
			case streamPending:
				m.truncate(s, why)
			case streamRetained, streamQueued, streamDeferred:
				m.refuse(s, why)
			case streamBlocked:
				m.dropTimer(s)
			}
		}
	}
}

// stopByClock is the end of the duration, or the cutoff of the cache warmup.
func (m *Machine) stopByClock() {
	if m.phase.stage == stagePressure {
		m.completeSending(ReasonCutoff)
		return
	}
	m.phase.timedOut = true
	m.completeSending(ReasonDuration)
	m.endChildren(ReasonDuration) // a session limit may have completed sending before
}

// graceExpired cancels what is still in flight (7.7). In the cache warmup that fails the run (4.3).
func (m *Machine) graceExpired() {
	m.phase.graceOver = true
	if m.phase.stage == stagePressure {
		m.cancelRun(ReasonDrainTimeout)
		return
	}
	m.cancelInFlight(ReasonGrace)
}

// cancelRun stops the run: nothing more is sent and what is in flight is cancelled (7.9). Only the
// first reason counts.
func (m *Machine) cancelRun(why Reason) {
	if m.cancel != "" {
		return
	}
	m.cancel = why
	p := &m.phase
	p.cancelled, p.hasStop, p.hasGrace = true, false, false
	if p.phase == PhaseNone {
		return
	}
	m.completeSending(why)
	m.endChildren(why) // sending may have been complete before
	m.cancelInFlight(why)
}

func (m *Machine) cancelInFlight(why Reason) {
	flights := m.flightsOf(nil)
	if len(flights) == 0 {
		return
	}
	m.emit(KindCancelInFlight, nil, &CancelInFlight{Count: len(flights), Why: why})
	for _, f := range flights {
		m.emitCancel(f, why)
	}
}

// flightsOf lists the exchanges of a tree, or of all trees for nil, by number.
func (m *Machine) flightsOf(t *tree) []*flight {
	var flights []*flight
	for _, f := range m.flights {
		if t == nil || f.stream.tree == t {
			flights = append(flights, f)
		}
	}
	slices.SortFunc(flights, func(a, b *flight) int { return cmp.Compare(a.id, b.id) })
	return flights
}

func (m *Machine) emitCancel(f *flight, why Reason) {
	event := m.emit(KindCancel, f.stream.tree, &Cancel{Why: why})
	event.Stream, event.Turn, event.Exchange = f.stream.id, int32(f.turn), f.id
}

// abort ends the run in this step.
func (m *Machine) abort(why Reason) {
	m.cancelRun(why)
	if m.phase.phase != PhaseNone {
		m.reportPhase()
	}
	m.finish()
}
