package sched

import (
	"agentx/corpus"
)

// Machine is one run of the replay. It is not safe for concurrent use.
type Machine struct {
	config  Config
	plans   []*recording // nil where New was given no plan
	sampler *sampler
	lanes   []*lane
	fill    []Event // what building the trajectories decided; told by Start

	started bool
	done    bool
	now     int64
	events  []Event

	phase  phaseState
	cancel Reason // why the run was cancelled, empty when it was not

	passes    []int // per plan: trees opened
	plays     PlayID
	streams   StreamID
	exchanges ExchangeID
	urls      int

	timers   timerHeap
	sequence int64
	flights  map[ExchangeID]*flight
	slots    int       // prefill slots in use
	queue    []*stream // turns that wait for one
}

// New checks the settings against the plans and builds the initial trajectories. The plans are in
// data set order. An entry may be nil where it is known that the sampler never draws it (a log keeps
// only the plans that were used); if it is drawn after all, it is skipped.
func New(config Config, plans []*corpus.Plan) (*Machine, error) {
	m := &Machine{config: config, flights: map[ExchangeID]*flight{}, passes: make([]int, len(plans))}
	if err := m.checkConfig(len(plans)); err != nil {
		return nil, err
	}
	var err error
	if m.sampler, err = newSampler(config.Sampler, len(plans), config.Seed); err != nil {
		return nil, err
	}
	m.plans = make([]*recording, len(plans))
	for i, plan := range plans {
		if plan == nil {
			continue
		}
		if m.plans[i], err = newRecording(i, plan, config.SpawnPolicy); err != nil {
			return nil, err
		}
	}
	if err := m.fillLanes(); err != nil {
		return nil, err
	}
	return m, nil
}

// Lanes is the number of lanes that have a trajectory. It is less than the concurrency asked for when
// too many draws could not be used.
func (m *Machine) Lanes() int { return len(m.lanes) }

// Done reports whether the run is complete: no input has an effect any more.
func (m *Machine) Done() bool { return m.done }

// Step applies one input at the instant now (ns since run start; an earlier one than before counts as
// the latest) and returns what was decided. The slice is valid until the next call.
func (m *Machine) Step(now int64, input Input) []Event {
	m.events = m.events[:0]
	m.now = max(m.now, now)
	if m.done || !m.started && (input.Kind == KindWake || input.Kind == KindEnded || input.Kind == KindFirstToken) {
		return m.events
	}
	switch input.Kind {
	case KindStart:
		if !m.started {
			m.started = true
			m.start()
		}
	case KindWake:
		m.wake()
	case KindFirstToken:
		m.firstToken(input.Exchange)
	case KindEnded:
		if flight, known := m.flights[input.Exchange]; known {
			m.ended(flight, min(input.At, m.now), input)
		}
	case KindStop:
		m.started = true
		m.cancelRun(input.Reason)
	case KindAbort:
		m.started = true
		m.abort(input.Reason)
	}
	m.settle()
	return m.events
}

// settle ends phases that have nothing left to wait for, then looks for idle time to skip.
func (m *Machine) settle() {
	for !m.done && m.phaseIsOver() {
		m.endPhase()
	}
	if !m.done {
		m.evaluateGuard()
	}
}

// emit appends an event of a tree; a nil tree leaves all ids out.
func (m *Machine) emit(kind Kind, t *tree, payload any) *Event {
	event := Event{Kind: kind, Phase: m.phase.phase, Lane: None, Play: None, Stream: None, Turn: None, Exchange: None, Payload: payload}
	if t != nil {
		event.Lane, event.Play = t.lane.id, t.id
	}
	m.events = append(m.events, event)
	return &m.events[len(m.events)-1]
}

// emitTurn appends an event of a stream's next turn.
func (m *Machine) emitTurn(kind Kind, s *stream, payload any) *Event {
	event := m.emit(kind, s.tree, payload)
	event.Stream, event.Turn = s.id, int32(s.next)
	return event
}

// emitStream appends an event of a stream as a whole.
func (m *Machine) emitStream(kind Kind, s *stream, payload any) {
	m.emit(kind, s.tree, payload).Stream = s.id
}

// emitLane appends an event of a lane without a tree.
func (m *Machine) emitLane(kind Kind, l *lane, payload any) {
	m.emit(kind, nil, payload).Lane = l.id
}
