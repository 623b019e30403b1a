package invariants

import (
	"agentx/corpus"
	"agentx/eventlog"
	"agentx/sched"
)

// gapNs is the recorded pause before a turn.
func gapNs(turns []corpus.Turn, turn int) int64 {
	if turn < 1 || turn >= len(turns) {
		return 0
	}
	if turns[turn].GapMs.Present() {
		return max(0, sched.NanosecondsOf(float64(turns[turn].GapMs)))
	}
	before := &turns[turn-1]
	if !turns[turn].TMs.Present() || !before.TMs.Present() {
		return 0
	}
	return max(0, sched.NanosecondsOf(float64(turns[turn].TMs))-sched.NanosecondsOf(float64(before.TMs))-sched.NanosecondsOf(max(0, before.APIMs.Or(0))))
}

// timerSet holds what a timer counts from: I1, I4, I5, I20; the cache warmup has none (I21).
func (c *Check) timerSet(row *eventlog.Event, s *stream, due int64) {
	if c.phase.pressure {
		c.violate(21, at(row.Seq), "the cache warmup waits: a timer is set for stream %d", s.id)
	}
	c.meets(row, s, due)
	s.timer = &timer{due: due}
}

// meets compares a due instant with what is expected of the stream.
func (c *Check) meets(row *eventlog.Event, s *stream, due int64) {
	if s.expect != nil && due != s.expect.due {
		c.violate(s.expect.invariant, at(s.openSeq, row.Seq), "turn %d of stream %d is due at %d ns instead of %d", s.next, s.id, due, s.expect.due)
	}
	s.expect = nil
}

// turnDue compares the instant with the stream's timer, as shifts have moved it.
func (c *Check) turnDue(row *eventlog.Event, s *stream, due int64) {
	switch {
	case s.timer == nil:
		c.meets(row, s, due)
	case s.timer.join && c.config.JoinPolicy == sched.JoinImmediate:
	case due != s.timer.due && s.timer.shifted:
		c.violate(19, at(row.Seq), "stream %d is due at %d ns; shifts of its timer lead to %d", s.id, due, s.timer.due)
	case due != s.timer.due:
		c.violate(1, at(row.Seq), "stream %d is due at %d ns; its timer was set for %d", s.id, due, s.timer.due)
	}
	if s.timer != nil && row.AtNs < s.timer.due && c.config.JoinPolicy == sched.JoinMax {
		c.violate(1, at(row.Seq), "stream %d goes on %d ns before its timer", s.id, s.timer.due-row.AtNs)
	}
	s.timer, s.expect = nil, nil
	if c.phase.phase == sched.PhaseWarmup && !c.phase.pressure {
		c.phase.primerDue = append(c.phase.primerDue, due)
	}
}

// gateBlocked holds the earliest instant of a join turn: its pause after the parent's return (I7), or
// its place among the first requests (I4).
func (c *Check) gateBlocked(row *eventlog.Event, s *stream, notBefore int64) {
	if s.expect != nil && notBefore != s.expect.due && c.phase.phase == sched.PhaseProfiling {
		invariant := 7
		if s.waiting {
			invariant = 4
		}
		c.violate(invariant, at(row.Seq), "the join of play %d is not before %d ns instead of %d", s.play.id, notBefore, s.expect.due)
	}
	s.expect = nil
	s.timer = &timer{due: notBefore, join: true, blocked: true}
	s.suspended = true
	c.phase.stats.Suspended++
}

// timersShifted holds I19: what may be shifted, by how much, and how many timers that concerns.
func (c *Check) timersShifted(row *eventlog.Event, shift *sched.TimersShifted) {
	ph := c.phase
	tree := shift.Scope == sched.ShiftTree
	jumps, streams, busy := &ph.guard, c.pending(nil), ph.inFlight
	if tree {
		p := c.plays[row.Play]
		if p == nil {
			c.violate(19, at(row.Seq), "a shift names no play")
			return
		}
		jumps, streams, busy = &ph.watch, c.pending(p), p.inFlight
		p.shifts += shift.ShiftNs
	} else {
		c.shifts += shift.ShiftNs
	}
	if shift.ShiftNs <= 0 {
		c.violate(19, at(row.Seq), "a shift by %d ns", shift.ShiftNs)
	}
	if busy > 0 {
		c.violate(19, at(row.Seq), "timers are shifted while %d requests are in flight", busy)
	}
	c.checkAmount(row, shift, streams)
	jumps.Jumps++
	jumps.SkippedNs += shift.ShiftNs
	gone := 0
	for _, s := range streams {
		if s.timer.blocked && s.timer.due <= row.AtNs {
			gone++ // may have passed already
		}
		s.timer.move(shift.ShiftNs, max(row.AtNs, c.floorOf(s)))
	}
	if shift.Count > len(streams) || shift.Count < len(streams)-gone {
		c.violate(19, at(row.Seq), "%d timers are shifted, %d are pending", shift.Count, len(streams))
	}
}

// checkAmount compares the shift with the earliest timer that can go out and what the cap leaves.
func (c *Check) checkAmount(row *eventlog.Event, shift *sched.TimersShifted, streams []*stream) {
	left := int64(0)
	if shift.Scope == sched.ShiftGlobal && c.config.SystemIdleCapNs != nil {
		left = max(0, *c.config.SystemIdleCapNs-(row.AtNs-c.phase.idleFrom))
	}
	earliest, found := int64(0), false
	for _, s := range streams {
		if s.canGoOut() && c.floorOf(s) <= row.AtNs+left && (!found || s.timer.due < earliest) {
			earliest, found = s.timer.due, true
		}
	}
	if !found || earliest != shift.EarliestNs || shift.ShiftNs != earliest-row.AtNs-left {
		c.violate(19, at(row.Seq), "a shift by %d ns for a timer at %d ns; the earliest that can go out is at %d (found: %v), and %d ns may stay idle",
			shift.ShiftNs, shift.EarliestNs, earliest, found, left)
	}
}

// floorOf is the instant before which a ramp keeps a lane's first requests.
func (c *Check) floorOf(s *stream) int64 {
	if c.config.RampNs == 0 || s.measured {
		return 0
	}
	return s.play.lane.opens
}

// openingOf is the instant that excuses idle time after the given one: until then a ramp kept the lane of
// a first request closed, and a busy host may be late to open it. 0 where no ramp did.
func (c *Check) openingOf(s *stream, after int64) int64 {
	if floor := c.floorOf(s); floor > after {
		return floor + stallNs
	}
	return 0
}

// move takes a timer earlier, to the given instant at the earliest.
func (t *timer) move(amount, earliest int64) {
	t.due = max(t.due-amount, min(earliest, t.due))
	t.shifted = true
}

// pending lists the streams with a running timer, of one play or of all, by number.
func (c *Check) pending(p *play) []*stream {
	var found []*stream
	for _, l := range c.lanes {
		if l.play == nil || p != nil && l.play != p {
			continue
		}
		for _, s := range l.play.streams {
			if s.timer != nil && !s.finished {
				found = append(found, s)
			}
		}
	}
	return found
}

// checkIdle holds I18 and I31: how long nothing was in flight before this request. Idle time counts from
// the stamp of the last end, but the machine cannot end it before it is told, and a watchdog fires at the
// first wake after its instant, which in a live run is a little late.
func (c *Check) checkIdle(row *eventlog.Event, s *stream, d *sched.Dispatch) {
	ph, p := c.phase, s.play
	const byTimer = sched.WaitedGap | sched.WaitedFirst | sched.WaitedSpawn
	if limit := c.config.SystemIdleCapNs; limit != nil && ph.inFlight == 0 && d.Waited&byTimer != 0 {
		if idle := d.DueNs - ph.idleFrom; idle > *limit && d.DueNs > max(ph.quietNow, c.openingOf(s, ph.idleFrom+*limit)) {
			c.violate(18, at(row.Seq), "nothing was in flight for %d ns, more than the cap", idle)
		}
	}
	if limit := c.config.TraceIdleCapNs; limit != nil && c.config.PrefillLimit == 0 && p.inFlight == 0 && c.floorOf(s) <= p.idleFrom+*limit {
		if idle := d.DueNs - p.idleFrom; idle > *limit && d.DueNs > p.quietNow && !c.watchdogLate(p) {
			c.violate(31, at(row.Seq), "play %d had nothing in flight for %d ns, more than the cap", p.id, idle)
		}
	}
}

// wokenLate tells whether what should have happened at an instant, of which the row since is the cause, could
// not because no wake came after it until this step: that is the operating system's doing, and told as the
// run's lateness, up to stallNs.
func (c *Check) wokenLate(instant int64, since eventlog.Seq) bool {
	if c.lastWake >= instant && c.wakeSeq > since {
		return false
	}
	return c.step.now-instant <= stallNs
}

// watchdogLate is wokenLate for a play's watchdog.
func (c *Check) watchdogLate(p *play) bool {
	return c.wokenLate(max(p.idleFrom, p.lane.opens)+*c.config.TraceIdleCapNs, max(p.quietSeq, p.openSeq, c.phase.seq))
}

// checkIdleAtStop is checkIdle for idle time that a stop ends.
func (c *Check) checkIdleAtStop(row *eventlog.Event) {
	ph := c.phase
	if limit := c.config.SystemIdleCapNs; limit != nil && ph.inFlight == 0 && row.AtNs-max(ph.idleFrom+*limit, ph.quietNow) > toleranceNs {
		for _, s := range c.pending(nil) {
			if s.canGoOut() && row.AtNs > c.openingOf(s, ph.idleFrom+*limit) && !c.wokenLate(ph.idleFrom+*limit, ph.seq) {
				c.violate(18, at(row.Seq), "nothing was in flight for %d ns before the stop, though stream %d could send", row.AtNs-ph.idleFrom, s.id)
				break
			}
		}
	}
	limit := c.config.TraceIdleCapNs
	if limit == nil || c.config.PrefillLimit > 0 {
		return
	}
	for _, l := range c.lanes {
		if p := l.play; p != nil && !p.aborted && p.inFlight == 0 && row.AtNs-max(p.idleFrom+*limit, l.opens+*limit, p.quietNow) > toleranceNs && !c.watchdogLate(p) {
			c.violate(31, at(p.openSeq, row.Seq), "play %d had nothing in flight for %d ns before the stop", p.id, row.AtNs-p.idleFrom)
		}
	}
}

// released holds I9: a retained turn goes on in the step that completes its last predecessor.
func (c *Check) released(row *eventlog.Event, s *stream) {
	retained := s.retainedAt
	s.retainedAt = 0
	if retained == 0 {
		c.violate(9, at(row.Seq), "stream %d is released, but was not retained", s.id)
		return
	}
	if s.play.plan == nil || s.next >= s.count {
		return
	}
	now := false
	for _, pred := range s.play.plan.Conversations[s.conv].Turns[s.next].Preds {
		now = now || c.step.completed[turnKey{s.play.id, pred.Conversation, pred.Turn}]
	}
	if !now || !s.play.predsComplete(s.conv, s.next) {
		c.violate(9, at(retained, row.Seq), "turn %d of stream %d is released in another step than that of its last predecessor", s.next, s.id)
	}
}
