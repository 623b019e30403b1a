package corpus

import "math"

// longDelayMs is the recorded pause above which a delay is counted as long.
const longDelayMs = 60_000

// turns makes the turns of a stream without their messages, hits and predecessors.
func (b *builder) turns(s *stream) []Turn {
	turns := make([]Turn, len(s.calls))
	for k := range s.calls {
		c := &s.calls[k]
		turn := &turns[k]
		*turn = Turn{
			Row: c.row, InnerRow: c.inner, Type: c.Type, Model: b.models[c.Model],
			In: c.In, Out: c.Out, MaxOut: b.maxOut(s, c.Request),
			TMs: Millis(float64(c.t * 1000)), APIMs: Absent(), GapMs: Absent(), ThinkMs: Absent(),
			Input: c.Input, Stop: c.Stop,
		}
		if c.APITime.Present() {
			turn.APIMs = Millis(float64(c.APITime.floored() * 1000))
		}
		if c.ThinkTime.Present() {
			turn.ThinkMs = Millis(float64(float64(c.ThinkTime) * 1000))
		}
		if k > 0 {
			turn.GapMs = b.gap(&s.calls[k-1], c)
			if turn.Input == InputUnknown {
				turn.Input = inputAfter(s.calls[k-1].Stop)
			}
		}
		if b.options.IgnoreTraceDelays {
			turn.TMs, turn.APIMs, turn.GapMs = Absent(), Absent(), Absent()
		}
		b.countTurn(c, turn)
	}
	return turns
}

// inputAfter is the kind of input that must follow an answer with the given stop reason (spec
// reconstruction 5.9.1).
func inputAfter(stop string) InputKind {
	switch stop {
	case "":
		return InputUnknown
	case "tool_use":
		return InputToolResult
	}
	return InputUser
}

// gap is the pause between the end of one request of a stream and the start of the next, in the
// peer's order of operations (spec reconstruction 4.5, decision 13a).
func (b *builder) gap(before, c *call) Millis {
	gap := max(0, float64((c.t-before.t)*1000)-float64(before.APITime.floored()*1000))
	if b.options.ThinkTimeOnly && c.ThinkTime.Present() {
		gap = max(0, float64(float64(c.ThinkTime)*1000))
	}
	if math.IsInf(gap, 0) {
		return Absent()
	}
	if seconds := b.options.InterTurnDelayCapSeconds; seconds != nil {
		if limit := float64(*seconds * 1000); gap > limit {
			b.facts.DelaysCapped++
			b.facts.DelayUncapped = max(b.facts.DelayUncapped, gap)
			gap = limit
		}
	}
	return Millis(gap)
}

// maxOut is the output limit to send: the recorded output, at least 1. Only root and flat streams obey
// max_osl (spec reconstruction 8).
func (b *builder) maxOut(s *stream, r *Request) int64 {
	out := r.Out
	if b.options.MaxOSL > 0 && !s.nested && out > b.options.MaxOSL {
		b.facts.OutputsCapped++
		out = b.options.MaxOSL
	}
	return max(1, out)
}

func (b *builder) countTurn(c *call, turn *Turn) {
	f := &b.facts
	f.InTokens += c.In
	f.OutTokens += c.Out
	f.MaxOutTokens += turn.MaxOut
	if c.Out == 0 {
		f.ZeroOut++
	}
	if c.APITime < 0 {
		f.NegativeAPI++
	}
	if c.ThinkTime < 0 {
		f.NegativeThink++
	}
	if turn.GapMs.Present() {
		f.Delays++
		f.DelayTotalMs += float64(turn.GapMs)
		f.DelayMaxMs = max(f.DelayMaxMs, float64(turn.GapMs))
		if turn.GapMs > longDelayMs {
			f.DelaysLong++
		}
	}
	full := c.In / int64(b.block)
	ids := int64(len(c.Blocks))
	switch {
	case ids > 0 && ids < full:
		f.RowsTooFewIDs++
	case ids > b.blocksOf(c.In):
		f.RowsSurplusIDs++
	}
}

// modelOrder lists the recorded models in the order that maps them to configured ones: the main one
// first, then the others as they appear (spec reconstruction 7).
func (t *Trace) modelOrder() (order []string, index map[string]int) {
	index = map[string]int{}
	add := func(model string) {
		if _, known := index[model]; !known {
			index[model] = len(order)
			order = append(order, model)
		}
	}
	for i := range t.Rows {
		if t.Rows[i].Subagent == nil {
			add(t.Rows[i].Request.Model)
			break
		}
	}
	for i := range t.Rows {
		if agent := t.Rows[i].Subagent; agent != nil {
			for r := range agent.Requests {
				add(agent.Requests[r].Model)
			}
			continue
		}
		add(t.Rows[i].Request.Model)
	}
	return order, index
}

// peaks are the greatest input and the greatest input with the output that is sent for it, over all
// recorded requests (spec reconstruction 2.3).
func (t *Trace) peaks(options *Options) (in, context int64) {
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Subagent == nil {
			out := row.Request.Out
			if options.MaxOSL > 0 {
				out = min(out, options.MaxOSL)
			}
			in, context = max(in, row.Request.In), max(context, row.Request.In+max(1, out))
			continue
		}
		for r := range row.Subagent.Requests {
			request := &row.Subagent.Requests[r]
			in, context = max(in, request.In), max(context, request.In+max(1, request.Out))
		}
	}
	return in, context
}
