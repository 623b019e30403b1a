package sched

// recycleAfter lets a lane go on after its tree has drained: at once, or after the pause that the
// root's last answer asks for (6.4, decision 13).
func (m *Machine) recycleAfter(t *tree) {
	if t.hasBackoff && t.backoffTo > m.now && m.mayStartSession() {
		t.lane.hasBackoff, t.lane.backoffAt = true, t.backoffTo
		m.emitLane(KindBackoff, t.lane, &Backoff{UntilNs: t.backoffTo, Why: t.backoffWhy})
		return
	}
	m.recycle(t.lane)
}

// recycle opens the next trace of the sampler on an empty lane, at its turn 0.
func (m *Machine) recycle(l *lane) {
	if !m.mayStartSession() {
		return
	}
	t := m.drawTree(l, DrawRecycle)
	if t == nil {
		return
	}
	m.becomeDue(t.root, m.now)
}

// drawTree opens a tree at turn 0 of the next usable trace; nil when no draw of a whole pass is usable.
func (m *Machine) drawTree(l *lane, purpose DrawPurpose) *tree {
	for range len(m.plans) + 1 {
		index, draw := m.sampler.draw()
		if why := m.unusable(index); why != "" {
			m.skip(index, draw, purpose, why)
			continue
		}
		r := m.plans[index]
		m.emitLane(KindTraceDrawn, l, &TraceDrawn{Purpose: purpose, Plan: index, Trace: r.trace, Draw: draw})
		t := m.newTree(l, r, TreeRecycled)
		first := &r.conversations[0].turns[0]
		t.hasOrigin, t.originNs = first.hasTime, first.timeNs
		m.announce(t)
		m.openStream(t, 0, 0, OriginRoot, 0, 0)
		return t
	}
	return nil
}

// noteRootAnswer remembers whether the root's last answer asks for a pause before the lane goes on: an
// overflow, or a failure without a single response byte.
func (m *Machine) noteRootAnswer(t *tree, input Input, at int64) {
	t.hasBackoff = false
	if m.config.OverflowBackoffNs == 0 {
		return
	}
	switch {
	case input.Outcome == OutcomeOverflow:
		t.backoffWhy = ReasonOverflow
	case input.Outcome == OutcomeError && !input.Answered:
		t.backoffWhy = ReasonUnanswered
	default:
		return
	}
	t.hasBackoff, t.backoffTo = true, at+m.config.OverflowBackoffNs
}
