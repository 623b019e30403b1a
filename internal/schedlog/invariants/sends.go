package invariants

import (
	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

func (c *Check) dispatch(row *eventlog.Event, s *stream, d *sched.Dispatch) {
	p, turn := s.play, int(row.Turn)
	c.checkOrder(row, s, d, turn)
	c.checkPlay(row, p, d, turn)
	c.checkCounts(row, s, d)
	if !d.Primer {
		c.checkConditions(row, s, turn)
		c.checkPauses(row, s, d, turn)
		s.sentReal = true
		if s.root() {
			c.step.sentTurn[p.id] = turn
		}
	}
	if c.phase.phase == sched.PhaseProfiling {
		c.checkIdle(row, s, d)
		s.measured = true
	}
	s.inFlight, s.timer, s.expect, s.retainedAt = true, nil, nil, 0
	if s.suspended {
		s.suspended = false
		c.phase.stats.Resumed++
	}
	c.exchanges[row.Exchange] = &exchange{stream: s, turn: turn, seq: row.Seq, now: row.AtNs, primer: d.Primer}
	p.inFlight++
	p.requests++
	c.phase.inFlight++
	c.phase.counts.Sent++
}

// checkOrder holds I2, I3, I13, I20, I22 and I27: which turn a stream may send.
func (c *Check) checkOrder(row *eventlog.Event, s *stream, d *sched.Dispatch, turn int) {
	if s.retainedAt != 0 {
		c.violate(9, at(s.retainedAt, row.Seq), "stream %d sends a retained turn that was not released", s.id)
	}
	if s.inFlight {
		c.violate(2, at(s.openSeq, row.Seq), "stream %d sends turn %d while it has a request in flight", s.id, turn)
	}
	want := s.next
	if d.Primer {
		want = s.start - 1
	}
	switch {
	case turn == want:
	case !d.Primer && !s.measured && c.phase.phase == sched.PhaseProfiling:
		c.violate(3, at(s.openSeq, row.Seq), "stream %d begins profiling with turn %d instead of %d", s.id, turn, want)
	case d.Primer:
		c.violate(3, at(s.openSeq, row.Seq), "stream %d is warmed with turn %d instead of %d", s.id, turn, want)
	default:
		c.violate(2, at(s.openSeq, row.Seq), "stream %d sends turn %d instead of %d", s.id, turn, want)
	}
	key := turnKey{s.play.id, s.conv, turn}
	if first, twice := s.play.sent[key]; twice {
		c.violate(13, at(first, row.Seq), "turn %d of conversation %d is sent twice in play %d", turn, s.conv, s.play.id)
	}
	s.play.sent[key] = row.Seq
	if s.retired != 0 {
		c.violate(22, at(s.retired, row.Seq), "stream %d sends turn %d after its end by overflow", s.id, turn)
	}
	if d.Primer {
		s.primed = true
		c.phase.sent++
		if s.play.kind == sched.TreeRecycled {
			c.violate(27, at(s.play.openSeq, row.Seq), "a recycled tree has a primer")
		}
	}
	if c.phase.phase == sched.PhaseWarmup && d.MaxTokens != 1 {
		c.violate(20, at(row.Seq), "a warmup request asks for %d output tokens", d.MaxTokens)
	}
}

// checkPlay holds I11, I14 and I27 of the tree.
func (c *Check) checkPlay(row *eventlog.Event, p *play, d *sched.Dispatch, turn int) {
	if p.drained != 0 {
		c.violate(11, at(p.drained, row.Seq), "play %d sends after its end", p.id)
	}
	if d.Marker != p.marker {
		c.violate(14, at(p.openSeq, row.Seq), "a request of play %d carries the marker %q instead of %q", p.id, d.Marker, p.marker)
	}
	if p.kind == sched.TreeRecycled && p.requests == 0 && !p.delayed && p.openSeq > c.phase.seq {
		if turn != 0 || row.AtNs != p.openNow {
			c.violate(27, at(p.openSeq, row.Seq), "the recycled play %d begins with turn %d, %d ns after it was opened", p.id, turn, row.AtNs-p.openNow)
		}
	}
}

// checkCounts holds I15, I16, I17, I21 and I23.
func (c *Check) checkCounts(row *eventlog.Event, s *stream, d *sched.Dispatch) {
	ph := c.phase
	if d.Credit != ph.counts.Sent {
		c.violate(15, at(row.Seq), "request number %d of the phase has the number %d", ph.counts.Sent, d.Credit)
	}
	if c.failedAt != 0 {
		c.violate(23, at(c.failedAt, row.Seq), "a request is sent after a root failed in the warmup")
	}
	if ph.phase == sched.PhaseWarmup {
		if ph.sending != nil {
			c.violate(21, at(ph.sendSeq, row.Seq), "a request is sent after the end of the warmup's sending")
		}
		if !d.Primer {
			s.play.lane.quota++
		}
		return
	}
	if limit := c.config.DurationNs; limit != nil && row.AtNs >= ph.t0+*limit {
		c.violate(16, at(row.Seq), "a request is sent %d ns after the start of profiling, at or after the duration", row.AtNs-ph.t0)
	}
	if ph.sending != nil && (ph.sending.Reason != sched.ReasonSessions || s.root() || ph.stopped) {
		c.violate(16, at(ph.sendSeq, row.Seq), "a request is sent after the end of sending")
	}
	if limit := c.config.RequestCount; limit > 0 && ph.counts.Sent >= limit {
		c.violate(17, at(row.Seq), "request %d is over the limit of %d", ph.counts.Sent+1, limit)
	}
	if s.root() && !s.measured {
		c.openSession(row, s.play)
	}
}

// openSession counts the root of a recycled tree, which is a session from its first request on.
func (c *Check) openSession(row *eventlog.Event, p *play) {
	if p.kind != sched.TreeRecycled || p.openSeq < c.phase.seq {
		return // counted at the start of the phase
	}
	c.phase.counts.SentSessions++
	if limit := c.phase.sessions; limit > 0 && c.phase.counts.SentSessions > limit {
		c.violate(17, at(row.Seq), "session %d is over the limit of %d", c.phase.counts.SentSessions, limit)
	}
}

// checkConditions holds I6 and I8: what must have happened before a turn.
func (c *Check) checkConditions(row *eventlog.Event, s *stream, turn int) {
	if s.play.plan == nil || turn >= s.count {
		return
	}
	if s.root() && !s.play.gateOpen(turn) {
		c.violate(6, at(row.Seq), "turn %d of play %d is sent while children that it joins are alive", turn, s.play.id)
	}
	if !s.play.predsComplete(s.conv, turn) {
		c.violate(8, at(row.Seq), "turn %d of conversation %d is sent before what precedes it is complete", turn, s.conv)
	}
}

// checkPauses holds I1 and I7 as the rules put them: a turn keeps its pause but for what was shifted.
func (c *Check) checkPauses(row *eventlog.Event, s *stream, d *sched.Dispatch, turn int) {
	if c.phase.phase != sched.PhaseProfiling || s.lastEnd == nil || !s.measured || s.turns == nil {
		return
	}
	invariant := 1
	if d.Waited&sched.WaitedJoin != 0 {
		if c.config.JoinPolicy == sched.JoinImmediate {
			return
		}
		invariant = 7
	}
	earliest := s.lastEnd.at + gapNs(s.turns, turn) - (c.shiftsOf(s.play) - s.lastEnd.shifts)
	if row.AtNs < earliest {
		c.violate(invariant, at(s.lastEnd.seq, row.Seq), "turn %d of stream %d is sent %d ns before its pause is over", turn, s.id, earliest-row.AtNs)
	}
}

func (c *Check) ended(row *eventlog.Event, e *schedlog.Ended) {
	x := c.exchanges[row.Exchange]
	if x == nil {
		c.violate(15, at(row.Seq), "exchange %d ends, but is not in flight", row.Exchange)
		return
	}
	delete(c.exchanges, row.Exchange)
	s, p, ph := x.stream, x.stream.play, c.phase
	s.inFlight = false
	p.inFlight--
	ph.inFlight--
	ph.lastStep = row.AtNs
	ph.idleFrom, p.idleFrom = max(ph.idleFrom, e.AtNs), max(p.idleFrom, e.AtNs)
	ph.quietNow, p.quietNow, p.quietSeq = row.AtNs, row.AtNs, row.Seq
	c.countEnd(s, x, e)
	if ph.phase == sched.PhaseWarmup && s.root() && e.Outcome != sched.OutcomeOK && !ph.cancelled {
		c.failedAt, ph.cancelled = row.Seq, true
	}
	if x.primer {
		ph.returned++
		return
	}
	s.lastEnd = &end{seq: row.Seq, at: e.AtNs, shifts: c.shiftsOf(p)}
	c.complete(p, s.conv, x.turn)
	final := x.turn == s.count-1
	s.next = x.turn + 1
	if final || e.Outcome == sched.OutcomeOverflow {
		return
	}
	if s.turns != nil {
		gap := gapNs(s.turns, s.next)
		if ph.phase == sched.PhaseWarmup {
			gap = 0
		}
		s.expect = &expectation{e.AtNs + gap, 1}
	}
	if c.failedAt == 0 {
		c.step.needs = s
	}
	if e.Timer != nil {
		c.step.needs = nil
		c.timerSet(row, s, e.Timer.DueNs)
	}
}

func (c *Check) countEnd(s *stream, x *exchange, e *schedlog.Ended) {
	counts := &c.phase.counts
	final := x.turn == s.count-1 && s.root() && !x.primer
	switch e.Outcome {
	case sched.OutcomeCancelled, sched.OutcomeAbandoned:
		counts.Cancelled++
		if final {
			counts.CancelledSessions++
		}
		return
	case sched.OutcomeOverflow:
		counts.Overflows++
		counts.Errors++
	case sched.OutcomeError:
		counts.Errors++
	}
	counts.Completed++
	if final && e.Outcome != sched.OutcomeOverflow {
		counts.CompletedSessions++
	}
}
