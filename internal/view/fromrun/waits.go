package fromrun

import (
	"slices"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/view/swimlane"
)

// detail is what a picture needs of a log beyond the analysis.
type detail struct {
	shifts   []swimlane.Shift
	opened   map[turnKey]int64       // when a turn's gate was satisfied
	refused  map[turnKey]int64       // when a turn was refused
	backoffs map[int][]swimlane.Wait // by lane
}

type turnKey struct{ stream, turn int64 }

// The keys of the rows that are read here; docs/event-log.md describes them.
type shiftRow struct {
	Scope   string `json:"scope"`
	ShiftNs int64  `json:"shift_ns"`
}

type satisfiedRow struct {
	AtNs int64 `json:"at_ns"`
}

type backoffRow struct {
	UntilNs int64 `json:"until_ns"`
}

func readDetail(source measure.Source) (*detail, error) {
	d := &detail{opened: map[turnKey]int64{}, refused: map[turnKey]int64{}, backoffs: map[int][]swimlane.Wait{}}
	kinds := []eventlog.Kind{eventlog.KindTimersShifted, eventlog.KindGateSatisfied, eventlog.KindTurnRefused, eventlog.KindBackoff}
	for event, err := range source.Events(eventlog.Filter{Kinds: kinds, NoData: true}) {
		if err != nil {
			return nil, err
		}
		if err := d.row(&event); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *detail) row(event *eventlog.Event) error {
	switch event.Kind {
	case eventlog.KindTimersShifted:
		row, err := eventlog.Decode[shiftRow](*event)
		shift := swimlane.Shift{At: event.AtNs, Skipped: row.ShiftNs, Lane: -1}
		if row.Scope == "tree" {
			shift.Lane = int(event.Lane)
		}
		d.shifts = append(d.shifts, shift)
		return err
	case eventlog.KindTurnRefused:
		d.refused[turnKey{event.Stream, event.Turn}] = event.AtNs
		return nil
	case eventlog.KindGateSatisfied:
		row, err := eventlog.Decode[satisfiedRow](*event)
		d.opened[turnKey{event.Stream, event.Turn}] = row.AtNs
		return err
	default:
		row, err := eventlog.Decode[backoffRow](*event)
		lane := int(event.Lane)
		d.backoffs[lane] = append(d.backoffs[lane], swimlane.Wait{Kind: swimlane.Backoff, From: event.AtNs, To: row.UntilNs})
		return err
	}
}

// lateLeast is the lateness of the client from which it is drawn as a wait, in ns. Less stands in the
// facts of the request: a line of a pixel at every request would say nothing.
const lateLeast = int64(20e6)

// waits fills the stretches between the requests of every stream with their causes.
func (b *builder) waits() {
	held := map[int64]*measure.Record{}
	for _, r := range b.run.Records {
		if r.Exchange >= 0 {
			held[r.Exchange] = r
		}
	}
	turns := map[int]int{}
	for _, s := range b.run.Streams {
		if s != nil {
			turns[s.ID] = s.Turns
		}
	}
	for p := range b.out.Plays {
		for s := range b.out.Plays[p].Streams {
			stream := &b.out.Plays[p].Streams[s]
			free := stream.Opened
			last := -1
			for i := range stream.Requests {
				request := &stream.Requests[i]
				last = request.Turn
				if request.Start == swimlane.None {
					continue
				}
				if free != swimlane.None {
					b.waitBefore(stream, request, held[request.Exchange], free)
				}
				free = request.End
			}
			if free != swimlane.None && last >= 0 && last+1 < turns[int(stream.ID)] { // a turn was still to come
				addWait(stream, swimlane.Pause, free, orElse(stream.Closed, b.out.Marks.End))
			}
		}
	}
}

// waitBefore tells what a stream did from free, when it had nothing in flight any more, to the start of
// its next request: the recorded pause, what the request waited for beyond it, and the client's delay.
func (b *builder) waitBefore(stream *swimlane.Stream, request *swimlane.Request, r *measure.Record, free int64) {
	due := max(orElse(request.Due, free), free)
	addWait(stream, swimlane.Pause, free, min(due, request.Start))
	ready := max(stamp(r.Times.Ready), due)
	joined := due
	if slices.Contains(r.Waited, "join") {
		joined = min(max(orElse(b.gate(stream, request), ready), due), ready)
		addWait(stream, swimlane.Join, due, joined)
	}
	addWait(stream, swimlane.Barrier, joined, ready)
	sent := ready + max(r.Times.SlotWaitNs, 0)
	addWait(stream, swimlane.Slot, ready, sent)
	if request.Start-sent >= lateLeast {
		addWait(stream, swimlane.Late, sent, request.Start)
	}
}

func (b *builder) gate(stream *swimlane.Stream, request *swimlane.Request) int64 {
	if at, known := b.detail.opened[turnKey{stream.ID, int64(request.Turn)}]; known {
		return at
	}
	return swimlane.None
}

// wait adds a stretch, if it has a length.
func addWait(s *swimlane.Stream, kind swimlane.WaitKind, from, to int64) {
	if from != swimlane.None && to > from {
		s.Waits = append(s.Waits, swimlane.Wait{Kind: kind, From: from, To: to})
	}
}

// orElse is at, or otherwise where at is not known.
func orElse(at, otherwise int64) int64 {
	if at == swimlane.None {
		return otherwise
	}
	return at
}
