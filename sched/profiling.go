package sched

// beginProfiling starts the measured phase: all trees are alive from now on, and the first requests go
// out by their distance from t* (5.1, 5.2).
func (m *Machine) beginProfiling() {
	m.phase = phaseState{phase: PhaseProfiling, stage: stageProfiling, start: m.now, sessionQuota: m.config.NumSessions}
	p := &m.phase
	if d := m.config.DurationNs; d != nil {
		p.hasStop, p.stopAt = true, m.now+*d
		if g := m.config.GraceNs; g != nil {
			p.hasGrace, p.graceAt = true, p.stopAt+*g
		}
	}
	m.admitSessions()
	start := &PhaseStart{Phase: PhaseProfiling, Lanes: len(m.lanes), DurationNs: m.config.DurationNs}
	if m.config.RequestCount > 0 {
		start.Target = &m.config.RequestCount
	}
	m.measureOffsets(start)
	m.emit(KindPhaseStart, nil, start)
	for i, l := range m.lanes {
		l.opens = m.now + int64(i)*m.config.RampNs/int64(len(m.lanes))
		if l.barred {
			m.barLane(l)
		} else if l.tree != nil {
			m.registerTree(l.tree, m.laneMinimum(l, start.MinimumNs))
		}
	}
	for _, l := range m.lanes {
		if l.tree != nil {
			m.sendFirst(l.tree, m.laneMinimum(l, start.MinimumNs))
		}
	}
	for _, l := range m.lanes {
		if l.tree != nil {
			m.armWatchdog(l.tree, max(m.now, l.opens))
		}
	}
}

// admitSessions lets every tree with a live root take one session, in lane order; lanes that find the
// quota used take no part (7.5).
func (m *Machine) admitSessions() {
	p := &m.phase
	for _, l := range m.lanes {
		if l.tree == nil || l.tree.root == nil || !l.tree.root.alive() {
			continue
		}
		l.tree.counted = false
		if p.sessionQuota > 0 && p.counts.SentSessions >= p.sessionQuota {
			l.barred = true
			continue
		}
		m.openSession(l.tree.root)
	}
}

func (m *Machine) barLane(l *lane) {
	m.emit(KindTreeAborted, l.tree, &TreeAborted{Why: ReasonSessions, Stream: None})
	l.tree.drained = true
	m.closeTree(l.tree)
}

// candidates calls visit for every live stream of a lane that takes part.
func (l *lane) candidates(visit func(s *stream)) {
	if l.tree == nil || l.barred {
		return
	}
	for _, s := range l.tree.streams {
		if s.alive() {
			visit(s)
		}
	}
}

// measureOffsets finds the minimum that is taken off all first offsets (D1), and how far the lanes'
// first requests are apart.
func (m *Machine) measureOffsets(start *PhaseStart) {
	var least, latest int64
	some := false
	for _, l := range m.lanes {
		earliest, found := l.minimum()
		if !found {
			continue
		}
		if !some {
			least, latest, some = earliest, earliest, true
		}
		least, latest = min(least, earliest), max(latest, earliest)
		if l.tree.root == nil || !l.tree.root.alive() {
			start.Rootless++
		} else if l.tree.root.waiting {
			start.Waiting++
		}
	}
	start.SpreadNs = latest - least
	if !m.config.BurstPhaseStarts {
		start.MinimumNs = least
		start.Late = m.lateLanes(least)
	}
}

// lateLanes lists the lanes that begin late because a cache warmup left others with nothing to wait for.
func (m *Machine) lateLanes(least int64) []LaneID {
	if !m.hasPressure() || m.config.TraceIdleCapNs != nil || m.config.DurationNs == nil {
		return nil
	}
	var late []LaneID
	for _, l := range m.lanes {
		if earliest, found := l.minimum(); found && earliest-least > *m.config.DurationNs/10 {
			late = append(late, l.id)
		}
	}
	return late
}

// minimum is the earliest first offset of a lane's streams that do not wait.
func (l *lane) minimum() (earliest int64, found bool) {
	l.candidates(func(s *stream) {
		if !s.waiting && (!found || s.offset < earliest) {
			earliest, found = s.offset, true
		}
	})
	return earliest, found
}

// laneMinimum is what is taken off the offsets of a lane: the global minimum, or the lane's own in a
// burst. A lane whose root waits and that has no other stream takes its own offset.
func (m *Machine) laneMinimum(l *lane, global int64) int64 {
	if !m.config.BurstPhaseStarts {
		return global
	}
	if own, found := l.minimum(); found {
		return own
	}
	var own int64
	l.candidates(func(s *stream) { own = s.offset })
	return own
}

// firstGap is how long after the phase's start a stream's first request wants to go out.
func (m *Machine) firstGap(s *stream, minimum int64) int64 {
	return max(0, s.offset-minimum) + s.tree.lane.opens - m.phase.start
}

// registerTree counts the live children of a tree that the phase takes over, and rebuilds its gates.
func (m *Machine) registerTree(t *tree, minimum int64) {
	for b := range t.branches {
		join := t.plan.branches[b].joinTurn
		if t.branches[b].open == 0 {
			continue
		}
		m.phase.branches.Spawned += int64(t.branches[b].open)
		if join >= 0 && t.root != nil && t.root.alive() {
			m.createGate(t, join)
		}
	}
	if t.root != nil && t.root.alive() && t.root.waiting {
		m.limitShifts(t.root)
		m.block(t.root, m.phase.start+m.firstGap(t.root, minimum))
	}
}

// limitShifts keeps shifts from moving a first request to before the opening of its lane (5.9).
func (m *Machine) limitShifts(s *stream) {
	if m.config.RampNs > 0 {
		s.hasFloor, s.floor = true, s.tree.lane.opens
	}
}

// sendFirst sends or schedules the first requests of a tree, in the order of its streams.
func (m *Machine) sendFirst(t *tree, minimum int64) {
	for _, s := range t.streams {
		if !s.alive() || s.waiting || s.state != streamIdle {
			continue
		}
		m.limitShifts(s)
		m.schedule(s, m.phase.start, m.firstGap(s, minimum), TimerFirst)
	}
}
