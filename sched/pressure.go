package sched

import "slices"

// The cache-pressure warmup replays the trees without their pauses, one output token a request, until
// a time is over or every lane has sent its number of requests (4).

func (m *Machine) hasPressure() bool {
	return m.config.CacheWarmupNs != nil || m.config.WarmupRequestsPerLane > 0
}

// beginPressure starts the stage once every primer has returned.
func (m *Machine) beginPressure() {
	p := &m.phase
	p.stage = stagePressure
	if d := m.config.CacheWarmupNs; d != nil {
		p.hasStop, p.stopAt = true, m.now+*d
	}
	for _, l := range m.lanes {
		t := l.tree
		m.registerPressure(t)
		for _, s := range slices.Clone(t.streams) {
			if s.alive() && s.state == streamIdle {
				m.becomeDue(s, m.now)
			}
		}
	}
}

// registerPressure is registerTree for this stage: a waiting root has no pause to keep.
func (m *Machine) registerPressure(t *tree) {
	if t.root != nil {
		t.root.offset = 0
	}
	t.lane.opens = m.now
	m.registerTree(t, 0)
}

// pressureIsOver reports that turns which become due now go over into profiling. It looks at the
// clock, not at whether the cutoff's timer has fired.
func (m *Machine) pressureIsOver() bool {
	p := &m.phase
	return p.stage == stagePressure && (p.sendingDone || p.hasStop && m.now >= p.stopAt)
}

// pressureEnd says what ends the stage.
func (m *Machine) pressureEnd() Reason {
	if m.config.CacheWarmupNs != nil {
		return ReasonCutoff
	}
	return ReasonQuota
}

// deferTurn keeps a due turn for profiling.
func (m *Machine) deferTurn(s *stream, why Reason) {
	s.state = streamDeferred
	m.emitTurn(KindTurnDeferred, s, &TurnDeferred{Why: why})
}

func (m *Machine) deferQueue() {
	queued := m.queue
	m.queue = nil
	for _, s := range queued {
		m.deferTurn(s, m.pressureEnd())
	}
}

// endPressureByQuota completes sending when every lane has sent its requests, or has none left that
// could be sent.
func (m *Machine) endPressureByQuota() {
	quota := m.config.WarmupRequestsPerLane
	if quota == 0 {
		return
	}
	for _, l := range m.lanes {
		if l.quota < quota && l.tree != nil && (l.tree.inFlight > 0 || slices.ContainsFunc(l.tree.streams, isQueued)) {
			return
		}
	}
	m.completeSending(ReasonQuota)
}

func isQueued(s *stream) bool { return s.state == streamQueued }

// shortfall lists the lanes that sent fewer requests than asked for.
func (m *Machine) shortfall() []LaneShortfall {
	var short []LaneShortfall
	for _, l := range m.lanes {
		if l.quota < m.config.WarmupRequestsPerLane {
			short = append(short, LaneShortfall{Lane: l.id, Sent: l.quota})
		}
	}
	return short
}

// handOff takes the trees as they stand when the last request has returned over into profiling (4.5),
// each live stream with the offset of its next turn (4.6). Empty lanes draw a new trace.
func (m *Machine) handOff() {
	clock := m.handoffClock()
	event := &Handoff{Clock: clock}
	for _, l := range m.lanes {
		t := l.tree
		if t == nil {
			if t = m.drawTree(l, DrawHandoff); t == nil {
				continue
			}
		}
		t.retained = nil
		entry := HandoffLane{Lane: l.id, Play: t.id, States: []State{}}
		for _, s := range t.streams {
			if !s.alive() {
				continue
			}
			s.waiting = s.state == streamBlocked
			s.offset = handoffOffset(s, clock)
			entry.States = append(entry.States, State{Conversation: s.conv, Next: s.next, OffsetNs: s.offset, Waiting: s.waiting, Stream: int(s.id)})
			m.dropTimer(s)
			s.state, s.suspended, s.waited, s.hasReady, s.slotWait = streamIdle, false, 0, false, 0
		}
		for i := range t.gates {
			t.gates[i].blocked = false
		}
		event.Lanes = append(event.Lanes, entry)
	}
	m.emit(KindHandoff, nil, event)
}

func (m *Machine) handoffClock() HandoffClock {
	switch {
	case m.config.HandoffClock != "":
		return m.config.HandoffClock
	case m.config.WarmupRequestsPerLane > 0:
		return HandoffDataset
	}
	return HandoffDelay
}

// handoffOffset is when a stream goes on after the start of profiling, before the minimum is taken off.
func handoffOffset(s *stream, clock HandoffClock) int64 {
	turn := &s.rec.turns[s.next]
	if clock == HandoffDataset && s.tree.hasOrigin && turn.hasTime {
		return max(0, turn.timeNs-s.tree.originNs)
	}
	return turn.gapNs // 0 where there is none: turn 0, or nothing recorded
}
