package watch

import (
	"slices"

	"agentx/eventlog"
)

// Apply takes the next event.
func (s *State) Apply(e *eventlog.Event) error {
	s.events++
	s.lastNs = max(s.lastNs, e.AtNs)
	switch e.Kind {
	case eventlog.KindRunConfig:
		s.begun = true
		return decode(e, &s.config)
	case eventlog.KindAnchor:
		var anchor eventlog.Anchor
		err := decode(e, &anchor)
		s.wallNs, s.anchors = anchor.WallNs-e.AtNs, s.anchors+1
		return err
	case eventlog.KindNotice:
		return s.notice(e)
	case eventlog.KindClientSample:
		return s.clientSample(e)
	case eventlog.KindServerSample:
		return s.serverSample(e)
	case eventlog.KindRunEnd:
		s.end = &eventlog.RunEnd{}
		return decode(e, s.end)
	case eventlog.KindRunComplete:
		var payload struct {
			Why string `json:"why"`
		}
		err := decode(e, &payload)
		s.why = payload.Why
		return err
	case eventlog.KindExchangeEnd:
		return s.ended(e)
	case eventlog.KindFirstContent:
		if f := s.flying[e.Exchange]; f != nil {
			f.decodes = true
		}
		return nil
	}
	return s.decision(e)
}

// decision takes an event of the replay machine.
func (s *State) decision(e *eventlog.Event) error {
	switch e.Kind {
	case eventlog.KindPhaseStart:
		return s.phaseStart(e)
	case eventlog.KindSendingComplete:
		s.phase.closing = true
	case eventlog.KindPhaseComplete:
		s.phase.over, s.phase.endNs = true, e.AtNs
	case eventlog.KindTreeOpen:
		return s.treeOpen(e)
	case eventlog.KindTreeDrained:
		if l := s.lanes[e.Lane]; l != nil {
			l.idle, l.streams = true, nil
		}
	case eventlog.KindStreamOpen:
		return s.streamOpen(e)
	case eventlog.KindStreamCompleted, eventlog.KindStreamTerminated, eventlog.KindStreamTruncated:
		if l := s.lanes[e.Lane]; l != nil {
			delete(l.streams, e.Stream)
		}
	case eventlog.KindDispatch:
		return s.dispatch(e)
	}
	return nil
}

// decode reads a payload; the error names the event.
func decode[T any](e *eventlog.Event, into *T) error {
	payload, err := eventlog.Decode[T](*e)
	*into = payload
	return err
}

func (s *State) notice(e *eventlog.Event) error {
	var notice eventlog.Notice
	if err := decode(e, &notice); err != nil {
		return err
	}
	if s.notices = append(s.notices, notice); len(s.notices) > keptNotices {
		s.notices = s.notices[1:]
	}
	return nil
}

func (s *State) clientSample(e *eventlog.Event) error {
	var sample eventlog.ClientSample
	if err := decode(e, &sample); err != nil {
		return err
	}
	s.client = &sample
	h := &s.highest
	h.cpu, h.machine = max(h.cpu, sample.CPUShare), max(h.machine, sample.MachineShare)
	h.lateP99Ns, h.readP99Ns = max(h.lateP99Ns, sample.LateP99Ns), max(h.readP99Ns, sample.ReadDelayP99Ns)
	h.queueEvents, h.counting = max(h.queueEvents, sample.QueueEvents), max(h.counting, sample.CountQueue)
	return nil
}

func (s *State) serverSample(e *eventlog.Event) error {
	var sample eventlog.ServerSample
	if err := decode(e, &sample); err != nil {
		return err
	}
	known := s.servers[sample.URL]
	if known == nil {
		known = &server{}
		s.servers[sample.URL] = known
		s.urls = append(s.urls, sample.URL)
	}
	known.fetches++
	known.err = sample.Error
	if sample.Error != "" {
		known.failed++
		return nil
	}
	known.atNs, known.page = e.AtNs, slices.Clone(e.Data)
	return nil
}

func (s *State) phaseStart(e *eventlog.Event) error {
	var payload struct {
		Phase      string `json:"phase"`
		DurationNs int64  `json:"duration_ns"`
		RampNs     int64  `json:"ramp_ns"`
		Target     *int64 `json:"target"`
	}
	if err := decode(e, &payload); err != nil {
		return err
	}
	if s.phase.name != "" {
		s.before = append(s.before, s.phase)
	}
	s.phase = phase{name: payload.Phase, startNs: e.AtNs, durationNs: payload.DurationNs, target: -1, lastAnswerNs: e.AtNs}
	if payload.Target != nil {
		s.phase.target = *payload.Target
	}
	if payload.DurationNs == 0 && payload.RampNs > 0 {
		s.phase.durationNs = payload.RampNs
	}
	return nil
}

func (s *State) treeOpen(e *eventlog.Event) error {
	var payload struct {
		Trace string `json:"trace"`
		Kind  string `json:"kind"`
	}
	if err := decode(e, &payload); err != nil {
		return err
	}
	if payload.Kind == "recycled" {
		s.recycled++
	}
	flying := 0
	if before := s.lanes[e.Lane]; before != nil {
		flying = before.flying
	}
	s.lanes[e.Lane] = &lane{trace: payload.Trace, play: e.Play, streams: map[int64]*stream{}, openNs: e.AtNs, flying: flying}
	return nil
}

func (s *State) streamOpen(e *eventlog.Event) error {
	var payload struct {
		ID    string `json:"id"`
		Depth int    `json:"depth"`
		Turns int64  `json:"turns"`
		Next  int64  `json:"next"`
	}
	if err := decode(e, &payload); err != nil {
		return err
	}
	if l := s.lanes[e.Lane]; l != nil && l.streams != nil {
		l.streams[e.Stream] = &stream{id: payload.ID, depth: payload.Depth, turn: payload.Next - 1, turns: payload.Turns}
	}
	return nil
}

func (s *State) dispatch(e *eventlog.Event) error {
	var payload struct {
		Phase string `json:"phase"`
	}
	if err := decode(e, &payload); err != nil {
		return err
	}
	s.flying[e.Exchange] = &flight{phase: payload.Phase, sentNs: e.AtNs, lane: e.Lane}
	if payload.Phase == s.phase.name {
		s.phase.sent++
	}
	if l := s.lanes[e.Lane]; l != nil {
		l.flying++
		l.sent++
		if known := l.streams[e.Stream]; known != nil {
			known.turn = e.Turn
		}
	}
	return nil
}
