package invariants

import (
	"agentx/eventlog"
	"agentx/sched"
)

func (c *Check) treeOpen(row *eventlog.Event, open *sched.TreeOpen) {
	l := c.laneOf(row.Lane)
	if l == nil {
		c.violate(10, at(row.Seq), "play %d opens on lane %d, which was not built", row.Play, row.Lane)
		return
	}
	if l.play != nil {
		c.violate(10, at(l.play.openSeq, row.Seq), "lane %d has two trees", l.id)
	}
	if other := c.plays[row.Play]; other != nil {
		c.violate(11, at(other.openSeq, row.Seq), "play %d is opened twice", row.Play)
	}
	p := &play{id: row.Play, lane: l, planID: open.Plan, plan: c.planOf(open.Plan), kind: open.Kind, marker: open.Marker,
		openSeq: row.Seq, openNow: row.AtNs, origin: open.OriginNs, sent: map[turnKey]eventlog.Seq{}, idleFrom: row.AtNs}
	p.rootDone = open.Kind == sched.TreeRootless
	if p.plan != nil {
		p.branches = make([]branch, len(p.plan.Root().Branches))
		for conv := range p.plan.Conversations {
			p.done = append(p.done, 0)
			p.voidFrom = append(p.voidFrom, len(p.plan.Conversations[conv].Turns))
		}
	}
	c.plays[p.id], l.play = p, p
	c.checkMarker(row, open)
	if open.Kind == sched.TreeRecycled {
		c.checkRecycle(row, l, open)
	} else if l.trajectory != nil && p.plan != nil {
		c.beginAt(p, l.trajectory)
	}
	l.drawn, l.hasBackoff = nil, false
}

// beginAt sets a play to where its recording stands at t*.
func (c *Check) beginAt(p *play, t *sched.TrajectoryBuilt) {
	for _, b := range t.Boundaries {
		p.done[b.Conversation] = b.Turns
	}
	for b := range p.branches {
		p.branches[b].started = p.plan.Root().Branches[b].SpawnTurn < p.done[0]
	}
}

// checkMarker holds I14.
func (c *Check) checkMarker(row *eventlog.Event, open *sched.TreeOpen) {
	if want := c.passes[open.Plan]; open.Pass != want {
		c.violate(14, at(row.Seq), "pass %d of plan %d has the number %d", want, open.Plan, open.Pass)
	}
	c.passes[open.Plan]++
	if open.Marker == "" {
		return
	}
	if want := sched.Marker(c.config.BenchmarkID, open.Pass, sched.LaneID(row.Lane), open.Trace); open.Marker != want {
		c.violate(14, at(row.Seq), "the marker of play %d is %s instead of %s", row.Play, open.Marker, want)
	}
	if other, known := c.markers[open.Marker]; known {
		c.violate(14, at(other, row.Seq), "two trees have the marker %s", open.Marker)
	}
	c.markers[open.Marker] = row.Seq
}

// checkRecycle holds I27 of the opening, and that the tree is the one drawn (I24).
func (c *Check) checkRecycle(row *eventlog.Event, l *lane, open *sched.TreeOpen) {
	if l.drawn == nil || l.drawn.plan != open.Plan || l.drawn.purpose == sched.DrawFill {
		c.violate(24, at(row.Seq), "play %d of plan %d was not drawn for lane %d", row.Play, open.Plan, l.id)
		return
	}
	if l.drawn.purpose == sched.DrawHandoff {
		return
	}
	switch {
	case l.hasBackoff && row.AtNs < l.backoff:
		c.violate(27, at(row.Seq), "lane %d goes on %d ns before its back-off is over", l.id, l.backoff-row.AtNs)
	case !l.hasBackoff && (!l.hasDrained || row.AtNs != l.drainedAt):
		c.violate(27, at(row.Seq), "lane %d takes a new tree at %d ns, but drained at %d", l.id, row.AtNs, l.drainedAt)
	}
}

func (c *Check) streamOpen(row *eventlog.Event, open *sched.StreamOpen) {
	p := c.plays[row.Play]
	if p == nil {
		c.violate(11, at(row.Seq), "a stream opens in play %d, which is not open", row.Play)
		return
	}
	s := &stream{id: row.Stream, play: p, conv: open.Conversation, count: open.Turns, start: open.Next, next: open.Next, openSeq: row.Seq, branch: open.Branch}
	if p.plan != nil && open.Conversation < len(p.plan.Conversations) {
		s.turns = p.plan.Conversations[open.Conversation].Turns
	}
	c.streams[s.id] = s
	p.streams = append(p.streams, s)
	if s.root() {
		p.root = s
	} else {
		p.outstanding++
		if open.Branch >= 0 && open.Branch < len(p.branches) {
			p.branches[open.Branch].started = true
			p.branches[open.Branch].open++
		}
	}
	switch open.Origin {
	case sched.OriginSpawnIssue, sched.OriginSpawnReturn:
		c.spawned(row, s, open)
	case sched.OriginRoot:
		if open.Next != 0 {
			c.violate(27, at(row.Seq), "a recycled tree starts at turn %d", open.Next)
		}
		s.expect = &expectation{row.AtNs, 27}
	}
}

// spawned holds I5: a child counts from the instant its parent's turn went out or came back.
func (c *Check) spawned(row *eventlog.Event, s *stream, open *sched.StreamOpen) {
	c.phase.stats.Spawned++
	if open.OffsetNs > 0 {
		c.phase.stats.Delayed++
	}
	s.expect = &expectation{open.SpawnNs + open.OffsetNs, 5}
	p := s.play
	if p.plan == nil || p.root == nil || open.Branch < 0 || open.Branch >= len(p.branches) {
		return
	}
	branch := &p.plan.Root().Branches[open.Branch]
	instant, known := int64(0), false
	if open.Origin == sched.OriginSpawnIssue {
		turn, sent := c.step.sentTurn[p.id]
		instant, known = row.AtNs, sent && turn == branch.SpawnTurn
	} else if end := p.root.lastEnd; end != nil {
		instant, known = end.at, end.seq == c.step.seq && p.root.next == branch.SpawnTurn+1
	}
	if !known || instant != open.SpawnNs {
		c.violate(5, at(row.Seq), "stream %d is spawned at %d ns, but its parent's turn went out or came back at %d (found: %v)", s.id, open.SpawnNs, instant, known)
	}
	if want := c.spawnOffset(p, open); want != open.OffsetNs {
		c.violate(5, at(row.Seq), "stream %d starts %d ns after its spawn instead of %d", s.id, open.OffsetNs, want)
	}
}

// spawnOffset is the recorded delay of a child's first turn after its spawn.
func (c *Check) spawnOffset(p *play, open *sched.StreamOpen) int64 {
	branch := &p.plan.Root().Branches[open.Branch]
	first := &p.plan.Conversations[open.Conversation].Turns[0]
	parent := &p.plan.Root().Turns[branch.SpawnTurn]
	if c.phase.phase == sched.PhaseWarmup || !first.TMs.Present() {
		return 0
	}
	from := int64(0)
	switch {
	case open.Origin == sched.OriginSpawnIssue:
		from = sched.NanosecondsOf(float64(parent.TMs))
	case c.config.SpawnPolicy == sched.SpawnImmediate:
		if !branch.StartMs.Present() {
			return open.OffsetNs
		}
		from = sched.NanosecondsOf(float64(branch.StartMs))
	default:
		from = sched.NanosecondsOf(float64(parent.TMs)) + sched.NanosecondsOf(max(0, parent.APIMs.Or(0)))
	}
	return max(0, sched.NanosecondsOf(float64(first.TMs))-from)
}

// finish ends a stream, however it ended.
func (c *Check) finish(s *stream) {
	if s.finished {
		return
	}
	s.finished, s.timer, s.expect, s.retainedAt = true, nil, nil, 0
	p := s.play
	if s.root() {
		return
	}
	p.outstanding--
	if s.branch >= 0 && s.branch < len(p.branches) {
		p.branches[s.branch].open--
	}
	if p.outstanding < 0 {
		c.violate(12, at(p.openSeq), "play %d has fewer than no children", p.id)
	}
}

func (c *Check) streamCompleted(_ *eventlog.Event, s *stream, outcome sched.Outcome) {
	if !s.root() {
		if outcome == sched.OutcomeError || outcome == sched.OutcomeOverflow {
			c.phase.stats.Errored++
		} else {
			c.phase.stats.Completed++
		}
	}
	c.finish(s)
}

func (c *Check) terminated(row *eventlog.Event, s *stream) {
	s.retired = row.Seq
	c.step.retired = append(c.step.retired, s)
	if !s.root() {
		c.phase.stats.Truncated++
	}
	c.finish(s)
}

func (c *Check) truncated(row *eventlog.Event, s *stream) {
	switch {
	case !s.root():
		c.phase.stats.Truncated++
	case s.suspended && s.play.aborted:
		s.suspended = false
		c.phase.stats.Discarded++
	case s.suspended:
		s.suspended = false
		c.phase.stats.Suppressed++
	}
	if !s.play.aborted {
		c.phase.lastStep = row.AtNs
	}
	c.finish(s)
}

func (c *Check) turnsVoided(row *eventlog.Event, voided *sched.TurnsVoided) {
	p := c.plays[row.Play]
	if p == nil || voided.Conversation >= len(p.voidFrom) {
		return
	}
	p.voidFrom[voided.Conversation] = min(p.voidFrom[voided.Conversation], voided.From)
	c.followVoids(p)
	if row.Stream != eventlog.None || p.plan == nil {
		return
	}
	c.phase.stats.NeverSpawned++
	for b := range p.branches {
		for _, child := range p.plan.Root().Branches[b].Children {
			if child == voided.Conversation {
				p.branches[b].void = true
			}
		}
	}
}

func (c *Check) treeAborted(row *eventlog.Event, aborted *sched.TreeAborted) {
	p := c.plays[row.Play]
	if p == nil {
		return
	}
	if aborted.Why == sched.ReasonSessions {
		p.lane.barred, p.lane.play, p.drained = true, nil, row.Seq
		return
	}
	p.aborted = true
	c.phase.stats.FailedByFast++
	if by := c.streams[int64(aborted.Stream)]; by != nil {
		c.phase.stats.Errored++
		if c.step.needs == by {
			c.step.needs = nil
		}
		c.finish(by)
	}
}

// treeDrained holds I11 and I12.
func (c *Check) treeDrained(row *eventlog.Event, p *play) {
	if p.drained != 0 {
		c.violate(11, at(p.drained, row.Seq), "play %d drains twice", p.id)
	}
	if !p.aborted && (!p.rootDone || p.outstanding > 0) || p.inFlight > 0 {
		c.violate(12, at(p.openSeq, row.Seq), "play %d drains with root done: %v, %d children alive, %d requests in flight", p.id, p.rootDone, p.outstanding, p.inFlight)
	}
	p.drained = row.Seq
	l := p.lane
	l.play, l.drainedAt, l.hasDrained, l.hasBackoff = nil, row.AtNs, true, false
}

func (c *Check) backoff(row *eventlog.Event, b *sched.Backoff) {
	if l := c.laneOf(row.Lane); l != nil {
		l.hasBackoff, l.backoff = true, b.UntilNs
	}
}
