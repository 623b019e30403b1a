package sched

import "slices"

// The barrier holds turns until the turns of other streams that were recorded as finished before them
// are complete (5.6). Completed turns of a conversation are always a prefix, because a stream sends
// one turn at a time and voided turns complete in order.

func (t *tree) predsComplete(conv, turn int) bool {
	for _, pred := range t.plan.conversations[conv].turns[turn].preds {
		if int(t.done[pred.Conversation]) <= pred.Turn {
			return false
		}
	}
	return true
}

func (t *tree) missingPreds(conv, turn int) []TurnRef {
	var missing []TurnRef
	for _, pred := range t.plan.conversations[conv].turns[turn].preds {
		if int(t.done[pred.Conversation]) <= pred.Turn {
			missing = append(missing, pred)
		}
	}
	return missing
}

// completeTurn marks a turn that ended, whatever its outcome, and releases what waited for it. The
// instant at is that of the fact.
func (m *Machine) completeTurn(t *tree, conv, turn int, at int64) {
	t.done[conv] = max(t.done[conv], int32(turn+1))
	m.cascade(t, at)
}

// void gives up the turns of a conversation from one on. They count as complete as soon as what
// precedes them is, so that nothing waits for them for ever (5.6.4). The caller runs cascade.
func (m *Machine) void(t *tree, conv, from int, why Reason) {
	if from >= int(t.voidFrom[conv]) {
		return
	}
	to := int(t.voidFrom[conv])
	t.voidFrom[conv] = int32(from)
	t.voided = true
	e := m.emit(KindTurnsVoided, t, &TurnsVoided{Conversation: conv, From: from, To: to, Why: why})
	if s := t.streamOf(conv); s != nil {
		e.Stream = s.id
	}
}

// cascade completes voided turns as far as possible and releases retained turns.
func (m *Machine) cascade(t *tree, at int64) {
	for progress := t.voided; progress; {
		progress = false
		for conv := range t.voidFrom {
			turns := int32(len(t.plan.conversations[conv].turns))
			for t.done[conv] < turns && t.done[conv] >= t.voidFrom[conv] && t.predsComplete(conv, int(t.done[conv])) {
				t.done[conv]++
				progress = true
			}
		}
	}
	m.release(t, at)
}

// release lets retained turns go whose predecessors are complete now, by stream id and turn (5.6.3).
// A cache warmup that is past its end keeps them.
func (m *Machine) release(t *tree, at int64) {
	if len(t.retained) == 0 || m.pressureIsOver() {
		return
	}
	var free []*stream
	t.retained = slices.DeleteFunc(t.retained, func(s *stream) bool {
		if t.predsComplete(s.conv, s.next) {
			free = append(free, s)
			return true
		}
		return false
	})
	slices.SortFunc(free, func(a, b *stream) int { return a.rec.rank - b.rec.rank })
	for _, s := range free {
		s.state = streamIdle
		s.ready, s.hasReady = at, true
		s.waited |= WaitedBarrier
		m.emitTurn(KindTurnReleased, s, &TurnReleased{AtNs: at})
	}
	for _, s := range free {
		m.tryTurn(s)
	}
}

func (m *Machine) retain(s *stream) {
	s.state = streamRetained
	s.tree.retained = append(s.tree.retained, s)
	m.emitTurn(KindTurnRetained, s, &TurnRetained{Missing: s.tree.missingPreds(s.conv, s.next)})
}

// forget takes a stream out of the retained ones.
func (t *tree) forget(s *stream) {
	t.retained = slices.DeleteFunc(t.retained, func(other *stream) bool { return other == s })
}
