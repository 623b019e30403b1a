package invariants

import (
	"agentx/eventlog"
	"agentx/sched"
)

// phaseComplete holds the accounts of a phase: I15, I19, I25, I28, I30.
func (c *Check) phaseComplete(row *eventlog.Event, report *sched.PhaseComplete) {
	ph := c.phase
	if ph.aborted {
		return // ended in mid-flight
	}
	got := report.Counts
	if got.Sent != got.Completed+got.Cancelled || got.Sent != ph.counts.Sent {
		c.violate(15, at(row.Seq), "%d sent (counted %d), %d completed, %d cancelled", got.Sent, ph.counts.Sent, got.Completed, got.Cancelled)
	}
	if got.Completed != ph.counts.Completed || got.Cancelled != ph.counts.Cancelled || got.Errors != ph.counts.Errors || got.Overflows != ph.counts.Overflows {
		c.violate(30, at(row.Seq), "counters %+v, the log has %+v", got, ph.counts)
	}
	if report.Guard != ph.guard || report.Watchdogs != ph.watch {
		c.violate(19, at(row.Seq), "jumps %+v and %+v, the log has %+v and %+v", report.Guard, report.Watchdogs, ph.guard, ph.watch)
	}
	c.checkBranches(row, report)
	c.checkDrained()
	if row.AtNs != ph.lastStep && (row.AtNs != c.step.now || !c.stopsNow()) {
		c.violate(28, at(row.Seq), "the phase is complete at %d ns, but its last step was at %d", row.AtNs, ph.lastStep)
	}
	switch {
	case ph.phase == sched.PhaseProfiling:
		if got.SentSessions != ph.counts.SentSessions || ph.sessions > 0 && got.SentSessions > ph.sessions {
			c.violate(17, at(row.Seq), "%d sessions, the log has %d, the limit is %d", got.SentSessions, ph.counts.SentSessions, ph.sessions)
		}
	case !ph.cancelled:
		c.checkPrimers(row)
	}
}

// stopsNow tells whether the duration ends in this step, by the first wake after its instant: it may find
// sending complete already, for another reason.
func (c *Check) stopsNow() bool {
	duration := c.phase.payload.DurationNs
	if duration == nil || c.step.kind != eventlog.KindWake {
		return false
	}
	stop := c.phase.t0 + *duration
	return c.step.now >= stop && (c.lastWake < stop || c.wakeSeq < c.phase.seq)
}

// checkBranches holds I25: the counters of subagents recompute from the log, and balance.
func (c *Check) checkBranches(row *eventlog.Event, report *sched.PhaseComplete) {
	got, want := report.Branches, c.phase.stats
	want.Open = want.Spawned - want.Completed - want.Errored - want.Truncated
	want.StillWaiting = want.Suspended - want.Resumed - want.Suppressed - want.Discarded
	if got != want {
		c.violate(25, at(row.Seq), "counters of subagents %+v, the log has %+v", got, want)
	}
	if c.phase.phase == sched.PhaseProfiling && (got.Spawned != got.Completed+got.Errored+got.Truncated+got.Open || got.Open != 0 ||
		got.Suspended != got.Resumed+got.Suppressed+got.Discarded+got.StillWaiting || got.StillWaiting != 0) {
		c.violate(25, at(row.Seq), "counters of subagents do not balance: %+v", got)
	}
}

// endStep checks what must hold between two inputs.
func (c *Check) endStep() {
	if c.phase == nil || c.over {
		return
	}
	if s := c.step.needs; s != nil && !s.play.aborted && !c.phase.cancelled {
		c.violate(26, at(c.step.seq), "nothing follows the end of a request of stream %d", s.id)
	}
	for _, s := range c.step.retired {
		if s.conv < len(s.play.voidFrom) && s.play.voidFrom[s.conv] > s.next {
			c.violate(22, at(s.retired), "the turns after the overflow of stream %d are not voided", s.id)
		}
	}
	c.step.needs, c.step.retired = nil, nil
	if c.phase.inFlight < 0 {
		c.violate(15, at(c.step.seq), "fewer than no requests are in flight")
	}
	c.checkDrained()
	c.checkLive()
}

// checkDrained holds the other half of I12: a tree that is over has drained.
func (c *Check) checkDrained() {
	if c.phase.phase != sched.PhaseProfiling && !c.phase.pressure {
		return
	}
	for _, l := range c.lanes {
		if p := l.play; p != nil && p.rootDone && p.outstanding == 0 && !p.aborted {
			c.violate(12, at(p.openSeq, c.step.seq), "play %d is over, but has not drained", p.id)
		}
	}
}

// checkLive holds I10: every lane has its tree.
func (c *Check) checkLive() {
	ph := c.phase
	if ph.phase != sched.PhaseProfiling || ph.sending != nil || ph.cancelled {
		return
	}
	if limit := c.config.DurationNs; limit != nil && c.step.now >= ph.t0+*limit {
		return // the stop comes in the next step
	}
	waiting := int64(0)
	for _, l := range c.lanes {
		if p := l.play; p != nil && p.kind == sched.TreeRecycled && p.openSeq > ph.seq && p.requests == 0 {
			waiting++
		}
	}
	if ph.sessions > 0 && ph.counts.SentSessions+waiting >= ph.sessions {
		return // a lane that drains stays empty
	}
	for _, l := range c.lanes {
		if l.play == nil && !l.barred && !l.hasBackoff {
			c.violate(10, at(c.step.seq), "lane %d has no tree", l.id)
		}
	}
}
