package measure

import (
	"cmp"
	"slices"

	"agentx/eventlog"
)

// turnRow handles turns that became due and what kept them from being sent.
func (f *folder) turnRow(event *eventlog.Event) error {
	key := turnKey{event.Stream, event.Turn}
	switch event.Kind {
	case eventlog.KindTurnDue:
		row, err := eventlog.Decode[turnDueRow](*event)
		f.due[key] = dueTurn{phase: f.phase, due: Stamp(row.DueNs), at: Stamp(event.AtNs), lane: event.Lane}
		return err
	case eventlog.KindTurnDeferred:
		delete(f.due, key)
		return nil
	case eventlog.KindCancel:
		row, err := eventlog.Decode[whyRow](*event)
		f.cancel[event.Exchange] = row.Why
		return err
	case eventlog.KindTurnsVoided:
		row, err := eventlog.Decode[voidedRow](*event)
		if p := f.run.Phases[f.phase]; p != nil {
			p.Voided += max(row.To-row.From, 0)
		}
		return err
	default:
		row, err := eventlog.Decode[whyRow](*event)
		due, known := f.due[key]
		if !known {
			due = dueTurn{phase: f.phase, due: NoStamp, lane: event.Lane}
		}
		delete(f.due, key)
		f.refuse(key, due, row.Why)
		return err
	}
}

// refuse makes the record of a turn that will not be sent.
func (f *folder) refuse(key turnKey, due dueTurn, why string) {
	r := NewRecord()
	r.Phase, r.Outcome, r.Reason = due.phase, OutcomeNeverSent, why
	r.Times.Due = due.due
	f.locate(r, due.lane, key.stream, key.turn)
	f.unsent = append(f.unsent, r)
}

// neverSent makes records of the turns that were due when the log ended.
func (f *folder) neverSent() {
	keys := make([]turnKey, 0, len(f.due))
	for key := range f.due {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b turnKey) int {
		return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.turn, b.turn))
	})
	for _, key := range keys {
		f.refuse(key, f.due[key], "dropped")
	}
}

// locate fills place and plan facts of a record.
func (f *folder) locate(r *Record, lane, streamID, turn int64) {
	r.Place = Place{Lane: int(lane), Play: -1, Stream: int(streamID), Turn: int(turn)}
	s := f.stream(streamID)
	if s == nil {
		return
	}
	p := &r.Place
	p.Play, p.Conversation, p.Kind, p.Depth, p.Turns = s.Play, s.Conversation, s.Kind, s.Depth, s.Turns
	if play := f.play(int64(s.Play)); play != nil {
		p.Trace, p.PlaysBefore, r.Marker = play.Trace, play.Pass, play.Marker
		if lane < 0 {
			p.Lane = play.Lane
		}
	}
	if facts := f.conversation(s); facts != nil && turn >= 0 && turn < int64(len(facts.turns)) {
		reach := r.Plan.ReachTokens
		r.Plan = facts.turns[turn]
		r.Plan.ReachTokens = reach
	}
}

func (f *folder) dispatch(event *eventlog.Event) error {
	row, err := eventlog.Decode[dispatchRow](*event)
	if err != nil {
		return err
	}
	r := NewRecord()
	r.Exchange, r.Number, r.Phase, r.Primer = event.Exchange, row.Credit, row.Phase, row.Primer
	r.Times.Due, r.Times.Ready, r.Times.Issued = Stamp(row.DueNs), Stamp(row.ReadyNs), Stamp(event.AtNs)
	r.Times.SlotWaitNs = row.SlotWaitNs
	r.Waited = row.Waited
	for i := range r.Waited {
		f.once(&r.Waited[i])
	}
	if row.MaxTokens > 0 {
		r.MaxTokens = Count(row.MaxTokens)
	}
	f.locate(r, event.Lane, event.Stream, event.Turn)
	if row.Marker != "" {
		r.Marker = row.Marker
	}
	delete(f.due, turnKey{event.Stream, event.Turn})
	f.open[event.Exchange] = r
	f.run.Records = append(f.run.Records, r)
	return nil
}

func (f *folder) exchangeEnd(event *eventlog.Event) error {
	end, err := f.ends.Read(event)
	if err != nil {
		return err
	}
	r := f.open[event.Exchange]
	if r == nil { // an end without a dispatch: a log of a foreign tool, or damage that verify names
		return nil
	}
	delete(f.open, event.Exchange)
	if err := f.chunks(event); err != nil {
		return err
	}
	if s := f.stream(int64(r.Place.Stream)); s != nil {
		r.Place.Session, r.Place.Parent, r.Place.Root = s.Session, s.ParentID, s.RootID
	}
	fill(r, end)
	r.Outcome, r.Reason = outcomeOf(end, f.cancel[event.Exchange])
	if r.Outcome == OutcomeOK && !r.Times.Last.Known() {
		r.Outcome = OutcomeNoVisibleOutput
	}
	r.Error = errorOf(r, end)
	if trail := f.trails[event.Exchange]; trail != nil {
		r.Trail = trail.close(int64(r.Times.Start))
		delete(f.trails, event.Exchange)
		f.spare = append(f.spare, trail)
	}
	return nil
}

// chunks adds the content chunks of a row to the trails of their exchanges.
func (f *folder) chunks(event *eventlog.Event) error {
	if !f.run.Chunks {
		return nil
	}
	return event.EachChunk(func(exchange int64, chunk eventlog.Chunk) error {
		trail := f.trails[exchange]
		if trail == nil {
			trail = f.builder()
			f.trails[exchange] = trail
		}
		trail.add(&chunk)
		return nil
	})
}

// unfinished makes the record of a request whose end the log does not have.
func (f *folder) unfinished(r *Record) {
	r.Outcome = OutcomeUnfinished
	r.Times.Start, r.Times.End = r.Times.Issued, max(f.run.LastNs, r.Times.Issued)
	if s := f.stream(int64(r.Place.Stream)); s != nil {
		r.Place.Session, r.Place.Parent, r.Place.Root = s.Session, s.ParentID, s.RootID
	}
	if trail := f.trails[r.Exchange]; trail != nil {
		r.Trail = trail.close(int64(r.Times.Start))
		for piece := range r.Trail.All() {
			at := r.Times.Start + Stamp(piece.Offset)
			if !r.Times.First.Known() {
				r.Times.First, r.Streams = at, true
			}
			r.Times.Last = at
		}
	}
}

// phaseOf sets what a record's phase says about it.
func (f *folder) phaseOf(r *Record) {
	p := f.run.Phases[r.Phase]
	if p == nil || r.Exchange < 0 {
		return
	}
	if r.Outcome != OutcomeUnfinished {
		p.LastReturn = max(p.LastReturn, r.Times.End)
	}
	if planned := p.Planned(); planned.Known() && r.Times.Issued < planned && r.Times.End > planned {
		r.InFlight = true
	}
}

// builder is an empty one, used before where there is one.
func (f *folder) builder() *trailBuilder {
	if n := len(f.spare); n > 0 {
		builder := f.spare[n-1]
		f.spare = f.spare[:n-1]
		return builder
	}
	return &trailBuilder{}
}

// once lets records share a text that most of them have: a run has a hundred thousand.
func (f *folder) once(text *string) {
	if known, ok := f.words[*text]; ok {
		*text = known
	} else if len(f.words) < maxWords {
		f.words[*text] = *text
	}
}

// maxWords bounds what once remembers.
const maxWords = 4096
