package simulate

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

// Journal is an Observer that writes the rows of a run: the machine's inputs and decisions and the facts
// of the simulated wire. Rows that belong to the run as a whole (configuration, anchors, plans, names,
// the end) are its caller's.
type Journal struct {
	add     func(eventlog.Event) (eventlog.Seq, error)
	encoder *schedlog.Encoder
	chunks  *eventlog.ChunkBuffer
	// Complete, where it is set, adds to an exchange's result what only the caller knows.
	Complete func(x *Exchange, end *eventlog.ExchangeEnd)
}

type adder func(eventlog.Event) (eventlog.Seq, error)

// Add implements eventlog.Adder.
func (a adder) Add(event eventlog.Event) (eventlog.Seq, error) { return a(event) }

// NewJournal writes rows by add.
func NewJournal(config sched.Config, add func(eventlog.Event) (eventlog.Seq, error)) *Journal {
	none := func() int64 { return 0 }
	return &Journal{add: add, encoder: schedlog.NewEncoder(config), chunks: eventlog.NewChunkBuffer(adder(add), none, 0)}
}

// Step implements Observer.
func (j *Journal) Step(now int64, input sched.Input, events []sched.Event) error {
	return j.encoder.Encode(now, input, events, j.add, nil)
}

// Sent implements Observer: in a simulation a request is written in the instant it is sent.
func (j *Journal) Sent(x *Exchange) error {
	return j.row(eventlog.KindRequestWritten, x.SentNs, x, eventlog.RequestWritten{Bytes: x.PromptTokens * bytesPerPromptToken}, nil)
}

// FirstToken implements Observer.
func (j *Journal) FirstToken(x *Exchange) error {
	return j.row(eventlog.KindFirstContent, x.FirstTokenNs, x, eventlog.FirstContent{Class: eventlog.ChunkText.String()}, nil)
}

// Ended implements Observer.
func (j *Journal) Ended(x *Exchange) error {
	sink := j.chunks.Open(int64(x.ID))
	x.chunks(sink)
	end := x.End()
	if j.Complete != nil {
		j.Complete(x, &end)
	}
	return j.row(eventlog.KindExchangeEnd, x.EndNs, x, end, sink.End())
}

func (j *Journal) row(kind eventlog.Kind, at int64, x *Exchange, payload any, data []byte) error {
	row, err := eventlog.NewPayload(kind, at, payload)
	if err != nil {
		return err
	}
	row.Exchange, row.Data = int64(x.ID), data
	if _, err := j.add(row); err != nil {
		return fmt.Errorf("logging exchange %d: %w", x.ID, err)
	}
	return nil
}
