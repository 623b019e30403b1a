package invariants

import (
	"fmt"
	"slices"

	"agentx/eventlog"
	"agentx/sched"
)

func (c *Check) phaseStart(row *eventlog.Event, start *sched.PhaseStart) {
	cancelled := c.phase != nil && c.phase.cancelled
	c.phase = &phase{phase: start.Phase, seq: row.Seq, t0: row.AtNs, payload: *start, lastStep: row.AtNs, idleFrom: row.AtNs, cancelled: cancelled}
	if start.Phase == sched.PhaseWarmup {
		c.expectPrimers()
		return
	}
	c.phase.sessions = c.config.NumSessions
	if c.config.RequestCount == 0 && c.config.NumSessions == 0 && c.config.DurationNs == nil {
		c.phase.sessions = int64(len(c.plans))
	}
	c.expectFirst(row, start)
}

// lead is how long before t* a state's warmed turn was recorded, under the cap (3.4).
func (c *Check) lead(l *lane, state *sched.State) (lead int64, timed bool) {
	plan := c.planOf(l.trajectory.Plan)
	if plan == nil || l.trajectory.TStarMs == nil {
		return 0, false
	}
	turn := &plan.Conversations[state.Conversation].Turns[state.Next-1]
	if !turn.TMs.Present() {
		return 0, false
	}
	lead = max(0, sched.NanosecondsOf(*l.trajectory.TStarMs)-sched.NanosecondsOf(float64(turn.TMs)))
	if limit := c.config.SystemIdleCapNs; limit != nil {
		lead = min(lead, *limit)
	}
	return lead, true
}

// expectPrimers works out the ramp (I20). The streams are opened after this row, so the instants are
// kept by lane and conversation.
func (c *Check) expectPrimers() {
	for _, l := range c.lanes {
		for i := range l.trajectory.States {
			if l.trajectory.States[i].Next > 0 {
				c.phase.primers++
			}
		}
	}
}

// primerDues lists the instants at which the primers must be due, sorted; nil where some plan is missing.
func (c *Check) primerDues() []int64 {
	longest := int64(0)
	type primer struct {
		lead  int64
		timed bool
	}
	var primers []primer
	for _, l := range c.lanes {
		if c.planOf(l.trajectory.Plan) == nil {
			return nil
		}
		for i := range l.trajectory.States {
			if state := &l.trajectory.States[i]; state.Next > 0 {
				lead, timed := c.lead(l, state)
				primers = append(primers, primer{lead, timed})
				longest = max(longest, lead)
			}
		}
	}
	dues := []int64{}
	for _, p := range primers {
		due := c.phase.t0
		if p.timed && !c.config.BurstPhaseStarts {
			due += longest - p.lead
		}
		dues = append(dues, due)
	}
	slices.Sort(dues)
	return dues
}

// checkPrimers holds I20 at the end of an undisturbed warmup.
func (c *Check) checkPrimers(row *eventlog.Event) {
	ph := c.phase
	if ph.sent != ph.primers {
		c.violate(20, at(ph.seq, row.Seq), "%d primers were sent for %d streams with history", ph.sent, ph.primers)
	}
	got := slices.Clone(ph.primerDue)
	slices.Sort(got)
	if want := c.primerDues(); want != nil && !slices.Equal(got, want) {
		c.violate(20, at(ph.seq, row.Seq), "primers are due at %v, the ramp gives %v", got, want)
	}
	if limit := c.config.SystemIdleCapNs; limit != nil && len(got) > 0 && got[len(got)-1]-got[0] > *limit {
		c.violate(20, at(ph.seq, row.Seq), "the ramp lasts %d ns, more than the cap", got[len(got)-1]-got[0])
	}
}

// beginPressure notices that the primers are over and the cache warmup has begun: its first event.
func (c *Check) beginPressure(row *eventlog.Event) {
	ph := c.phase
	if ph == nil || ph.phase != sched.PhaseWarmup || !ph.payload.Pressure || ph.pressure || ph.returned < ph.primers || ph.cancelled {
		return
	}
	switch row.Kind {
	case eventlog.KindGateCreated, eventlog.KindGateBlocked, eventlog.KindTurnDue:
		ph.pressure = true
		c.registerChildren()
	}
}

// registerChildren counts the live children of the trees that a phase takes over.
func (c *Check) registerChildren() {
	for _, l := range c.lanes {
		if l.play != nil && !l.barred {
			c.phase.stats.Spawned += int64(l.play.outstanding)
		}
	}
}

// firstStates lists the states that profiling begins with, by lane.
func (c *Check) firstStates() map[*lane][]sched.State {
	states := map[*lane][]sched.State{}
	if c.handoff != nil {
		for _, entry := range c.handoff.Lanes {
			if l := c.laneOf(int64(entry.Lane)); l != nil {
				states[l] = entry.States
			}
		}
		return states
	}
	for _, l := range c.lanes {
		states[l] = l.trajectory.States
	}
	return states
}

// expectFirst works out when the first requests of profiling must be due (I4), and which lanes the
// session quota bars.
func (c *Check) expectFirst(row *eventlog.Event, start *sched.PhaseStart) {
	states := c.firstStates()
	c.barLanes(states)
	minima := map[*lane]int64{}
	least, found := int64(0), false
	for _, l := range c.lanes {
		minimum, some := c.laneMinimum(l, states[l])
		minima[l] = minimum
		if some && !l.barred && (!found || minimum < least) {
			least, found = minimum, true
		}
	}
	if !c.config.BurstPhaseStarts && least != start.MinimumNs {
		c.violate(4, at(row.Seq), "%d ns are taken off the first offsets; the least is %d", start.MinimumNs, least)
	}
	for i, l := range c.lanes {
		l.opens = row.AtNs + int64(i)*c.config.RampNs/int64(len(c.lanes))
		if l.play == nil || l.barred {
			continue
		}
		l.play.idleFrom = l.opens
		minimum := least
		if c.config.BurstPhaseStarts {
			minimum = minima[l]
		}
		for _, state := range states[l] {
			if s := l.play.streamOf(state.Conversation); s != nil {
				s.waiting = state.Waiting
				s.expect = &expectation{l.opens + max(0, state.OffsetNs-minimum), 4}
			}
		}
	}
	c.registerChildren()
}

func (p *play) streamOf(conv int) *stream {
	for _, s := range p.streams {
		if s.conv == conv && !s.finished {
			return s
		}
	}
	return nil
}

// laneMinimum is the least offset of the states that do not wait; of all, where all wait.
func (c *Check) laneMinimum(l *lane, states []sched.State) (minimum int64, found bool) {
	for i := range states {
		state := &states[i]
		if want, known := c.offset(l, state); known && want != state.OffsetNs {
			c.violate(4, at(l.builtSeq), "a state of lane %d has the offset %d ns; the recording gives %d", l.id, state.OffsetNs, want)
		}
		if !state.Waiting && (!found || state.OffsetNs < minimum) {
			minimum, found = state.OffsetNs, true
		}
	}
	if !found && len(states) > 0 {
		minimum = states[0].OffsetNs
	}
	return minimum, found
}

// offset is the distance of a state's next turn from the start of its play (2.10), or what the handoff
// clock says of it (4.6).
func (c *Check) offset(l *lane, state *sched.State) (offset int64, known bool) {
	p := l.play
	if p == nil || p.plan == nil {
		return 0, false
	}
	turns := p.plan.Conversations[state.Conversation].Turns
	if c.handoff == nil || c.handoff.Clock == sched.HandoffDataset {
		if p.origin != nil && turns[state.Next].TMs.Present() {
			return max(0, sched.NanosecondsOf(float64(turns[state.Next].TMs))-*p.origin), true
		}
		if c.handoff == nil {
			return 0, true
		}
	}
	return gapNs(turns, state.Next), true
}

// barLanes counts the sessions that the phase begins with, and bars the lanes beyond the quota (7.5).
func (c *Check) barLanes(states map[*lane][]sched.State) {
	for _, l := range c.lanes {
		if l.play == nil || !slices.ContainsFunc(states[l], func(s sched.State) bool { return s.Conversation == 0 }) {
			continue
		}
		if c.phase.sessions > 0 && c.phase.counts.SentSessions >= c.phase.sessions {
			l.barred = true
			continue
		}
		c.phase.counts.SentSessions++
	}
}

// handedOff holds I21 of the handoff: every stream that is alive appears once, at its next turn.
func (c *Check) handedOff(row *eventlog.Event, handoff *sched.Handoff) {
	c.handoff = handoff
	listed := map[string]bool{}
	for _, entry := range handoff.Lanes {
		for _, state := range entry.States {
			key := fmt.Sprint(entry.Play, " ", state.Conversation)
			if listed[key] {
				c.violate(21, at(row.Seq), "conversation %d of play %d is handed over twice", state.Conversation, entry.Play)
			}
			listed[key] = true
			p := c.plays[int64(entry.Play)]
			if p == nil {
				continue
			}
			s := p.streamOf(state.Conversation)
			if s == nil || s.next != state.Next || s.inFlight {
				c.violate(21, at(row.Seq), "conversation %d of play %d is handed over at turn %d, where it is not", state.Conversation, entry.Play, state.Next)
			}
		}
	}
	for _, l := range c.lanes {
		if l.play == nil {
			continue
		}
		for _, s := range l.play.streams {
			if !s.finished && !listed[fmt.Sprint(l.play.id, " ", s.conv)] {
				c.violate(21, at(s.openSeq, row.Seq), "stream %d is alive, but not handed over", s.id)
			}
			s.timer, s.suspended, s.retainedAt = nil, false, 0
		}
	}
}

func (c *Check) sendingComplete(row *eventlog.Event, sending *sched.SendingComplete) {
	ph := c.phase
	ph.sending, ph.sendSeq, ph.sendNow = sending, row.Seq, row.AtNs
	ph.lastStep = max(ph.lastStep, row.AtNs)
	if sending.Sent != ph.counts.Sent {
		c.violate(15, at(row.Seq), "%d requests are said to be sent, %d were", sending.Sent, ph.counts.Sent)
	}
	switch sending.Reason {
	case sched.ReasonQuota:
		c.checkQuota(row, sending)
	case sched.ReasonPrimersSent, sched.ReasonCutoff, sched.ReasonSessions:
	default:
		ph.cancelled = ph.cancelled || cancels(sending.Reason)
		ph.stopped = true
		if ph.phase == sched.PhaseProfiling {
			c.checkIdleAtStop(row)
		}
	}
	for _, l := range c.lanes {
		l.hasBackoff = l.hasBackoff && l.play != nil
	}
}

// cancels reports whether a reason is one that cancels the run.
func cancels(why sched.Reason) bool {
	switch why {
	case sched.ReasonDuration, sched.ReasonRequestCount, sched.ReasonSessions, sched.ReasonGrace, sched.ReasonPrimersSent,
		sched.ReasonCutoff, sched.ReasonQuota, sched.ReasonDone:
		return false
	}
	return true
}

func (c *Check) cancelInFlight(_ *eventlog.Event, cancel *sched.CancelInFlight) {
	c.phase.cancelled = c.phase.cancelled || cancels(cancel.Why)
}

// checkQuota holds I21 of the cache warmup by requests: each lane has sent its number, or is listed.
func (c *Check) checkQuota(row *eventlog.Event, sending *sched.SendingComplete) {
	for _, l := range c.lanes {
		want := c.config.WarmupRequestsPerLane
		for _, short := range sending.Shortfall {
			if int64(short.Lane) == l.id {
				want = short.Sent
			}
		}
		if l.quota != want {
			c.violate(21, at(row.Seq), "lane %d has sent %d warmup requests instead of %d", l.id, l.quota, want)
		}
	}
}
