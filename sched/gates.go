package sched

import "slices"

// A gate is a turn of the root that waits for the children of its branches (5.5).

// open reports whether all branches that the root's turn waits for are complete.
func (t *tree) open(turn int) bool {
	for _, b := range t.plan.conversations[0].turns[turn].joins {
		if !t.branches[b].complete() {
			return false
		}
	}
	return true
}

func (t *tree) gateAt(turn int) *gate {
	for i := range t.gates {
		if t.gates[i].turn == turn {
			return &t.gates[i]
		}
	}
	return nil
}

// createGate registers the gate of a join turn, with all its branches, when the first of them gets
// children (5.5.1).
func (m *Machine) createGate(t *tree, turn int) *gate {
	if g := t.gateAt(turn); g != nil {
		return g
	}
	t.gates = append(t.gates, gate{turn: turn})
	m.emitGate(KindGateCreated, t, turn, &GateCreated{Branches: t.plan.conversations[0].turns[turn].joins})
	return &t.gates[len(t.gates)-1]
}

func (m *Machine) emitGate(kind Kind, t *tree, turn int, payload any) {
	event := m.emit(kind, t, payload)
	event.Turn = int32(turn)
	if t.root != nil {
		event.Stream = t.root.id
	}
}

// suspend blocks the root at its next turn when children that it joins are still alive. The turn goes
// out when they are done, but not before its own recorded pause is over (D7).
func (m *Machine) suspend(root *stream, notBefore int64) bool {
	t := root.tree
	if t.open(root.next) {
		return false
	}
	m.block(root, notBefore)
	return true
}

// block is suspend without the question.
func (m *Machine) block(root *stream, notBefore int64) {
	g := m.createGate(root.tree, root.next)
	g.blocked = true
	root.state = streamBlocked
	root.suspended = true
	m.phase.branches.Suspended++
	m.emitGate(KindGateBlocked, root.tree, root.next, &GateBlocked{NotBeforeNs: notBefore})
	root.due = notBefore
	if notBefore > m.now {
		m.runTimer(root, notBefore)
	}
}

// branchAdvanced looks at the gate of a branch after one of its children finished or its spawn was
// given up.
func (m *Machine) branchAdvanced(t *tree, b int, at int64) {
	turn := t.plan.branches[b].joinTurn
	if turn < 0 || !t.open(turn) {
		return
	}
	g := t.gateAt(turn)
	if g == nil || g.satisfied || g.discarded {
		return
	}
	g.satisfied = true
	m.emitGate(KindGateSatisfied, t, turn, &GateSatisfied{AtNs: at, Blocked: g.blocked})
	if g.blocked && t.root.state == streamBlocked {
		m.resume(t.root, at)
	}
}

// resume lets a blocked root go on: when its pause is over, or at once by the policy of AIPerf 0.13.
func (m *Machine) resume(root *stream, at int64) {
	root.ready, root.hasReady = at, true
	root.waited |= WaitedJoin
	if reason := m.refusal(root); reason != "" {
		m.refuse(root, reason)
		return
	}
	if root.heapIndex != None && m.config.JoinPolicy == JoinMax {
		root.waited |= WaitedGap
		root.state = streamPending
		return
	}
	m.dropTimer(root)
	if m.config.JoinPolicy == JoinImmediate {
		root.due = at
	}
	m.becomeDue(root, root.due)
}

// discardGates gives up the gates of a root that will not come (8.4, 8.6).
func (m *Machine) discardGates(t *tree, why Reason) {
	slices.SortFunc(t.gates, func(a, b gate) int { return a.turn - b.turn })
	for i := range t.gates {
		g := &t.gates[i]
		if g.satisfied || g.discarded {
			continue
		}
		g.discarded = true
		m.emitGate(KindGateDiscarded, t, g.turn, &GateDiscarded{Why: why, Blocked: g.blocked})
	}
	if t.root != nil && t.root.suspended {
		t.root.suspended = false
		m.phase.branches.Discarded++
	}
}
