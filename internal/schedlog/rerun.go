package schedlog

import (
	"bytes"
	"fmt"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/sched"
)

// Mismatch is a row that a second run of the machine on the recorded inputs does not give.
type Mismatch struct {
	Seq  eventlog.Seq
	Text string
}

// Rerun runs a fresh machine on the inputs of a log and compares its decisions with the recorded ones.
// Feed it the rows in their order; those of others are ignored. After the first mismatch the machines
// differ for good, so it compares no more.
type Rerun struct {
	plans    []*corpus.Plan
	machine  *sched.Machine
	encoder  *Encoder
	expected []eventlog.Event // rows of the current step that have not come yet
	cause    eventlog.Seq
	stopped  bool
	compared int64
}

// NewRerun takes the plans in data set order, with nil for those that the log does not hold.
func NewRerun(plans []*corpus.Plan) *Rerun { return &Rerun{plans: plans} }

// Compared is the number of decisions that were compared and found equal.
func (r *Rerun) Compared() int64 { return r.compared }

// Row takes the next row. A mismatch is a disagreement of the log with the machine; an error means that
// the row cannot be read.
func (r *Rerun) Row(row eventlog.Event) (*Mismatch, error) {
	switch {
	case r.stopped:
		return nil, nil
	case IsInput(row.Kind):
		if len(r.expected) > 0 {
			return r.differ(row.Seq, "the machine decides %s, which the log lacks", describe(&r.expected[0])), nil
		}
		return r.input(row)
	case IsEvent(row.Kind):
		return r.event(row), nil
	}
	return nil, nil
}

// End reports decisions that the log lacks at its end. A log that was cut off may lack the last ones:
// then interrupted is true.
func (r *Rerun) End(interrupted bool) *Mismatch {
	if r.stopped || interrupted || len(r.expected) == 0 {
		return nil
	}
	return r.differ(r.cause, "the machine decides %s, which the log lacks", describe(&r.expected[0]))
}

func (r *Rerun) differ(seq eventlog.Seq, format string, args ...any) *Mismatch {
	r.stopped = true
	return &Mismatch{Seq: seq, Text: fmt.Sprintf(format, args...)}
}

// input steps the machine and compares the input's own row, which carries the timer of a return.
func (r *Rerun) input(row eventlog.Event) (*Mismatch, error) {
	input, err := Input(row)
	if err != nil {
		return nil, err
	}
	if r.machine == nil {
		config, err := Config(row)
		if err != nil {
			return nil, err
		}
		if r.machine, err = sched.New(config, r.plans); err != nil {
			return r.differ(row.Seq, "no machine can be made of the recorded configuration and plans: %v", err), nil
		}
		r.encoder = NewEncoder(config)
	}
	r.cause = row.Seq
	events := r.machine.Step(row.AtNs, input)
	err = r.encoder.Encode(row.AtNs, input, events, func(made eventlog.Event) (eventlog.Seq, error) {
		r.expected = append(r.expected, made.Clone())
		return row.Seq, nil
	}, nil)
	if err != nil {
		return nil, err
	}
	own := r.expected[0]
	r.expected = r.expected[1:]
	if !bytes.Equal(own.Payload, row.Payload) {
		return r.differ(row.Seq, "%s: the machine says %s", describe(&row), own.Payload), nil
	}
	return nil, nil
}

func (r *Rerun) event(row eventlog.Event) *Mismatch {
	if len(r.expected) == 0 {
		return r.differ(row.Seq, "the log has %s, which the machine does not decide", describe(&row))
	}
	want := r.expected[0]
	r.expected = r.expected[1:]
	if !sameRow(&want, &row) {
		return r.differ(row.Seq, "the log has %s, the machine decides %s", describe(&row), describe(&want))
	}
	r.compared++
	return nil
}

func sameRow(a, b *eventlog.Event) bool {
	return a.Kind == b.Kind && a.AtNs == b.AtNs && a.Lane == b.Lane && a.Play == b.Play && a.Stream == b.Stream &&
		a.Turn == b.Turn && a.Exchange == b.Exchange && a.Cause == b.Cause && bytes.Equal(a.Payload, b.Payload)
}

func describe(row *eventlog.Event) string {
	return fmt.Sprintf("%v at %d ns (lane %d, play %d, stream %d, turn %d, exchange %d, cause %d) %s",
		row.Kind, row.AtNs, row.Lane, row.Play, row.Stream, row.Turn, row.Exchange, row.Cause, row.Payload)
}
