package schedlog

import (
	"bytes"
	"encoding/json"
	"fmt"

	"agentx/eventlog"
	"agentx/sched"
)

// Start is the payload of the row that begins a run: with the plans, all that the machine was given.
type Start struct {
	Config sched.Config `json:"config"`
}

// FirstToken is the payload of a first token's row.
type FirstToken struct {
	AtNs int64 `json:"at_ns"` // the socket's stamp
}

// Ended is the payload of the row of an exchange's end as the machine was told it.
type Ended struct {
	AtNs     int64         `json:"at_ns"` // the socket's stamp; pauses count from it
	Outcome  sched.Outcome `json:"outcome"`
	Answered bool          `json:"answered,omitempty"` // a response byte came
	// Timer is the pause before the stream's next turn that this end has begun.
	Timer *Timer `json:"timer,omitempty"`
}

// Timer is a pause that counts from an exchange's end.
type Timer struct {
	DueNs int64 `json:"due_ns"`
	GapNs int64 `json:"gap_ns"`
}

// Reason is the payload of a stop or an abort.
type Reason struct {
	Why sched.Reason `json:"why"`
}

// Encoder makes rows. It is not safe for concurrent use.
type Encoder struct {
	config sched.Config
	buffer bytes.Buffer
	json   *json.Encoder
	text   []byte
}

// NewEncoder makes an encoder for the machine that was given this configuration.
func NewEncoder(config sched.Config) *Encoder {
	e := &Encoder{config: config}
	e.json = json.NewEncoder(&e.buffer)
	e.json.SetEscapeHTML(false)
	return e
}

// Encode hands the rows of one step to add, the input's first, each event with the number of the
// input's row as its cause. The payload of a row is valid during the call of add. It fails when add
// does. Each event that has its row, or needs none, is handed to logged, if that is not nil: whoever carries
// decisions out need not wait until all of a large step are written.
func (e *Encoder) Encode(now int64, input sched.Input, events []sched.Event, add func(eventlog.Event) (eventlog.Seq, error), logged func(*sched.Event)) error {
	timer := returnTimer(input, events)
	row, err := e.inputRow(now, input, timer)
	if err != nil {
		return err
	}
	cause, err := add(row)
	if err != nil {
		return err
	}
	for i := range events {
		if timer == nil || events[i].Payload != any(timer) { // a pause's row is the input's
			if err := e.addEvent(now, &events[i], cause, add); err != nil {
				return err
			}
		}
		if logged != nil {
			logged(&events[i])
		}
	}
	return nil
}

func (e *Encoder) addEvent(now int64, event *sched.Event, cause eventlog.Seq, add func(eventlog.Event) (eventlog.Seq, error)) error {
	row, err := e.eventRow(now, event)
	if err != nil {
		return err
	}
	row.Cause = cause
	_, err = add(row)
	return err
}

// returnTimer is the pause that an end has begun, if it has.
func returnTimer(input sched.Input, events []sched.Event) *sched.TimerSet {
	if input.Kind != sched.KindEnded {
		return nil
	}
	for i := range events {
		if timer, ok := events[i].Payload.(*sched.TimerSet); ok && timer.Why == sched.TimerGap {
			return timer
		}
	}
	return nil
}

func (e *Encoder) inputRow(now int64, input sched.Input, timer *sched.TimerSet) (eventlog.Event, error) {
	row := eventlog.New(eventlog.Kind(input.Kind), now)
	switch input.Kind {
	case sched.KindStart:
		return e.withPayload(row, &Start{Config: e.config})
	case sched.KindFirstToken:
		row.Exchange = int64(input.Exchange)
		return e.withPayload(row, &FirstToken{AtNs: input.At})
	case sched.KindEnded:
		row.Exchange = int64(input.Exchange)
		payload := &Ended{AtNs: input.At, Outcome: input.Outcome, Answered: input.Answered}
		if timer != nil {
			payload.Timer = &Timer{DueNs: timer.DueNs, GapNs: timer.GapNs}
		}
		return e.withPayload(row, payload)
	case sched.KindStop, sched.KindAbort:
		return e.withPayload(row, &Reason{Why: input.Reason})
	}
	return row, nil
}

func (e *Encoder) eventRow(now int64, event *sched.Event) (eventlog.Event, error) {
	row := eventlog.New(eventlog.Kind(event.Kind), now)
	row.Lane, row.Play, row.Stream = int64(event.Lane), int64(event.Play), int64(event.Stream)
	row.Turn, row.Exchange = int64(event.Turn), int64(event.Exchange)
	if event.Payload == nil {
		return row, nil
	}
	return e.withPayload(row, event.Payload)
}

func (e *Encoder) withPayload(row eventlog.Event, payload any) (eventlog.Event, error) {
	var ok bool
	if e.text, ok = appendByHand(e.text[:0], payload); ok {
		row.Payload = e.text
		return row, nil
	}
	e.buffer.Reset()
	if err := e.json.Encode(payload); err != nil {
		return row, fmt.Errorf("payload of a %v row: %w", row.Kind, err)
	}
	row.Payload = bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n"))
	return row, nil
}
