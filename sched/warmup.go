package sched

// beginWarmup opens the lanes' first trees and sends one primer per stream that has history, so that
// all of them reach their t* at the same instant (3.2 … 3.5).
func (m *Machine) beginWarmup() {
	p := &m.phase
	longest, shortest := int64(0), int64(-1)
	for _, l := range m.lanes {
		for i := range l.built.states {
			state := &l.built.states[i]
			if state.next == 0 {
				continue
			}
			p.primers++
			if limit := m.config.SystemIdleCapNs; limit != nil {
				state.leadNs = min(state.leadNs, *limit)
			}
			longest = max(longest, state.leadNs)
			if shortest < 0 || state.leadNs < shortest {
				shortest = state.leadNs
			}
		}
	}
	start := &PhaseStart{Phase: PhaseWarmup, Lanes: len(m.lanes), Pressure: m.hasPressure()}
	if !m.hasPressure() {
		target := int64(p.primers)
		start.Target = &target
	}
	if p.primers > 0 && !m.config.BurstPhaseStarts {
		start.RampNs = longest - shortest
	}
	m.emit(KindPhaseStart, nil, start)
	for _, l := range m.lanes {
		m.openSnapshotTree(l)
	}
	if p.primers == 0 && !m.hasPressure() {
		m.completeSending(ReasonPrimersSent)
	}
	for _, l := range m.lanes {
		for i, s := range l.tree.streams {
			if s.next > 0 {
				m.setPrimer(s, &l.built.states[i], longest)
			}
		}
	}
}

// setPrimer puts a stream's primer on the ramp.
func (m *Machine) setPrimer(s *stream, state *trajectoryState, longest int64) {
	wait := longest - state.leadNs
	if m.config.BurstPhaseStarts || !s.rec.turns[s.next-1].hasTime {
		wait = 0
	}
	s.next-- // the primer is the turn before; ended sets it back
	if m.phase.cancelled {
		return
	}
	if wait <= 0 {
		m.becomeDue(s, m.phase.start)
		return
	}
	s.waited |= WaitedFirst
	m.setTimer(s, m.phase.start, wait, TimerPrimer)
}

// primerEnded takes the stream back to the turn that profiling begins with. A failed primer of a child
// does no harm: its stream goes on as if it had been warmed (3.8).
func (m *Machine) primerEnded(s *stream) {
	m.phase.primersDone++
	s.state = streamIdle
	s.next++
}

// failWarmup gives the run up because a root's request failed in the warmup (3.8). Nothing is sent
// after it.
func (m *Machine) failWarmup(f *flight, outcome Outcome) {
	event := m.emitTurn(KindWarmupFailure, f.stream, &WarmupFailure{Trace: f.stream.tree.plan.trace, Outcome: outcome})
	event.Turn, event.Exchange = int32(f.turn), f.id
	m.cancelRun(ReasonWarmupFailure)
}

// WarmupGrace is how long after sending complete the warmup waits for what is in flight; not ok means
// for ever (3.9).
func (c *Config) WarmupGrace() (grace int64, ok bool) {
	switch {
	case c.WarmupGraceNs != nil:
		return *c.WarmupGraceNs, true
	case c.CacheWarmupNs != nil && c.GraceNs != nil:
		const most = 300_000_000_000
		return max(*c.GraceNs, min(*c.CacheWarmupNs, most)), true
	}
	return 0, false
}
