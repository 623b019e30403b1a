package measure

import (
	"encoding/hex"
	"fmt"

	"agentx/eventlog"
)

func parseDigest(text string) (eventlog.Digest, error) {
	var digest eventlog.Digest
	if n, err := hex.Decode(digest[:], []byte(text)); err != nil || n != len(digest) {
		return digest, fmt.Errorf("%q is no digest", text)
	}
	return digest, nil
}

// treeRow handles the lives of trees and streams.
func (f *folder) treeRow(event *eventlog.Event) error {
	switch event.Kind {
	case eventlog.KindTreeOpen:
		return f.treeOpen(event)
	case eventlog.KindStreamOpen:
		return f.streamOpen(event)
	case eventlog.KindStreamNames:
		names, err := eventlog.Decode[eventlog.StreamNames](*event)
		if s := f.stream(event.Stream); s != nil {
			s.Session, s.ParentID, s.RootID = names.Session, names.Parent, names.Root
		}
		return err
	case eventlog.KindStreamCompleted, eventlog.KindStreamTerminated, eventlog.KindStreamTruncated:
		return f.streamEnd(event)
	}
	play := f.play(event.Play)
	if play == nil {
		return nil
	}
	row, err := eventlog.Decode[whyRow](*event)
	switch event.Kind {
	case eventlog.KindRootDone:
		play.Why = row.Why
	case eventlog.KindTreeAborted:
		play.Fate, play.Why = "aborted", row.Why
	case eventlog.KindTreeDrained:
		play.Ended = Stamp(event.AtNs)
		if play.Fate == "open" {
			play.Fate = "drained"
		}
	}
	return err
}

func (f *folder) treeOpen(event *eventlog.Event) error {
	row, err := eventlog.Decode[treeOpenRow](*event)
	if err != nil {
		return err
	}
	play := &Play{
		ID: int(event.Play), Lane: int(event.Lane), Trace: row.Trace, Kind: row.Kind, Pass: row.Pass, Marker: row.Marker,
		Opened: Stamp(event.AtNs), Ended: NoStamp, Fate: "open",
	}
	f.run.Plays, err = place(f.run.Plays, event.Play, play)
	return err
}

func (f *folder) streamOpen(event *eventlog.Event) error {
	row, err := eventlog.Decode[streamOpenRow](*event)
	if err != nil {
		return err
	}
	stream := &Stream{
		ID: int(event.Stream), Play: int(event.Play), Conversation: row.ID, Depth: row.Depth, Parent: int(row.Parent),
		Turns: row.Turns, Next: row.Next, Origin: row.Origin, Join: row.Join,
		Opened: Stamp(event.AtNs), Closed: NoStamp, Fate: "open", conversation: row.Conversation,
	}
	if facts := f.conversation(stream); facts != nil {
		stream.Kind = facts.kind
	}
	f.run.Streams, err = place(f.run.Streams, event.Stream, stream)
	return err
}

// maxGap bounds how far ids may jump, so that a damaged row cannot ask for all memory.
const maxGap = 1 << 20

// place puts entry at its number; numbers are dense in a log, but rows of ids may lack.
func place[T any](list []*T, id int64, entry *T) ([]*T, error) {
	if id < 0 || id > int64(len(list)+maxGap) {
		return list, fmt.Errorf("id %d after %d entries", id, len(list))
	}
	for int64(len(list)) <= id {
		list = append(list, nil)
	}
	list[id] = entry
	return list, nil
}

func (f *folder) streamEnd(event *eventlog.Event) error {
	row, err := eventlog.Decode[unsentRow](*event)
	s := f.stream(event.Stream)
	if s == nil || err != nil {
		return err
	}
	s.Closed, s.Unsent = Stamp(event.AtNs), row.Unsent
	switch event.Kind {
	case eventlog.KindStreamCompleted:
		s.Fate = "completed"
	case eventlog.KindStreamTerminated:
		s.Fate = "terminated"
	default:
		s.Fate = "truncated"
		if p := f.run.Phases[f.phase]; p != nil {
			p.Unsent += row.Unsent
		}
	}
	return nil
}

func (f *folder) stream(id int64) *Stream {
	if id < 0 || id >= int64(len(f.run.Streams)) {
		return nil
	}
	return f.run.Streams[id]
}

func (f *folder) play(id int64) *Play {
	if id < 0 || id >= int64(len(f.run.Plays)) {
		return nil
	}
	return f.run.Plays[id]
}

// conversation is the recording of a stream; nil where the log has no plan of its trace.
func (f *folder) conversation(s *Stream) *conversationFacts {
	play := f.play(int64(s.Play))
	if play == nil {
		return nil
	}
	plan := f.plans[play.Trace]
	if plan == nil || s.conversation < 0 || s.conversation >= len(plan.conversations) {
		return nil
	}
	return &plan.conversations[s.conversation]
}

// phaseRow handles the machine's phases.
func (f *folder) phaseRow(event *eventlog.Event) error {
	switch event.Kind {
	case eventlog.KindPhaseStart:
		row, err := eventlog.Decode[phaseStartRow](*event)
		p := f.info(row.Phase)
		p.Start = Stamp(event.AtNs)
		if row.DurationNs != nil {
			p.DurationNs = *row.DurationNs
		}
		f.phase = row.Phase
		return err
	case eventlog.KindSendingComplete:
		row, err := eventlog.Decode[sendingCompleteRow](*event)
		p := f.info(row.Phase)
		p.SendingComplete, p.StoppedBy = Stamp(event.AtNs), row.Why
		return err
	case eventlog.KindPhaseComplete:
		row, err := eventlog.Decode[phaseCompleteRow](*event)
		p := f.info(row.Phase)
		p.Complete, p.Counts, p.Branches, p.Guard, p.Watchdogs = Stamp(event.AtNs), row.Counts, row.Branches, row.Guard, row.Watchdogs
		p.WasCancelled, p.TimedOut, p.GraceOver = row.WasCancelled, row.TimedOut, row.GraceOver
		return err
	default:
		row, err := eventlog.Decode[runCompleteRow](*event)
		f.run.Reason = row.Why
		return err
	}
}

func (f *folder) info(phase Phase) *PhaseInfo {
	if f.run.Phases[phase] == nil {
		f.run.Phases[phase] = &PhaseInfo{Phase: phase, Start: NoStamp, SendingComplete: NoStamp, Complete: NoStamp, LastReturn: NoStamp}
	}
	return f.run.Phases[phase]
}
