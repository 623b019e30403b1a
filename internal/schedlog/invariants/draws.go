package invariants

import (
	"agentx/eventlog"
	"agentx/sched"
)

// draw holds I24: the log tells of every draw, in the order of the sampler.
func (c *Check) draw(row *eventlog.Event, plan int, number int64) {
	if number != c.drawn {
		c.violate(24, at(row.Seq), "draw %d has the number %d", c.drawn, number)
	}
	c.drawn++
	if want := c.draws.Next(); plan != want {
		c.violate(24, at(row.Seq), "draw %d gives plan %d; the seed gives %d", number, plan, want)
	}
}

func (c *Check) traceSkipped(row *eventlog.Event, skipped *sched.TraceSkipped) {
	c.draw(row, skipped.Plan, skipped.Draw)
}

func (c *Check) traceDrawn(row *eventlog.Event, d *sched.TraceDrawn) {
	c.draw(row, d.Plan, d.Draw)
	l := c.laneOf(row.Lane)
	if d.Purpose == sched.DrawFill && l == nil {
		l = &lane{id: row.Lane}
		c.lanes = append(c.lanes, l)
	}
	if l == nil {
		c.violate(24, at(row.Seq), "a draw for lane %d, which was not built", row.Lane)
		return
	}
	if l.drawn != nil {
		c.violate(24, at(l.drawn.seq, row.Seq), "a draw of lane %d was not used", l.id)
	}
	l.drawn = &drawn{row.Seq, d.Purpose, d.Plan}
}

// trajectoryBuilt holds I24 of t*: it recomputes from seed, trace, lane and the bounds.
func (c *Check) trajectoryBuilt(row *eventlog.Event, t *sched.TrajectoryBuilt) {
	l := c.laneOf(row.Lane)
	if l == nil || l.drawn == nil || l.drawn.plan != t.Plan {
		c.violate(24, at(row.Seq), "the trajectory of lane %d was not drawn", row.Lane)
		return
	}
	l.trajectory, l.builtSeq = t, row.Seq
	if t.TStarMs == nil || t.Forced {
		return
	}
	if plan := c.planOf(t.Plan); plan != nil {
		low, high := c.bounds(t.Plan)
		if low != t.LowMs || high != t.HighMs {
			c.violate(24, at(row.Seq), "lane %d starts between %v and %v ms; the recording gives %v and %v", l.id, t.LowMs, t.HighMs, low, high)
		}
	}
	if want := sched.StartMs(c.config.Seed, t.Trace, sched.LaneID(row.Lane), t.LowMs, t.HighMs); *t.TStarMs != want {
		c.violate(24, at(row.Seq), "lane %d starts at %v ms; the seed gives %v", l.id, *t.TStarMs, want)
	}
}

// bounds is the window that t* is drawn from (2.7).
func (c *Check) bounds(plan int) (low, high float64) {
	first := true
	for _, conversation := range c.plans[plan].Conversations {
		for _, turn := range conversation.Turns {
			if !turn.TMs.Present() {
				continue
			}
			t := float64(turn.TMs)
			if first {
				low, high, first = t, t, false
			}
			low, high = min(low, t), max(high, t)
		}
	}
	span := high - low
	return low + float64(c.config.StartMinRatio*span), low + float64(c.config.StartMaxRatio*span)
}
