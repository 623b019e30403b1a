package schedlog

import (
	"fmt"

	"agentx/eventlog"
	"agentx/sched"
)

// IsInput reports whether a row is an input of the machine.
func IsInput(kind eventlog.Kind) bool {
	return kind >= eventlog.KindStart && kind <= eventlog.KindAbort
}

// IsEvent reports whether a row is a decision of the machine.
func IsEvent(kind eventlog.Kind) bool {
	return kind >= eventlog.KindTrajectoryBuilt && kind <= eventlog.KindSlotWait
}

// Input reads the input of a row. Its instant is the row's AtNs.
func Input(row eventlog.Event) (sched.Input, error) {
	switch row.Kind {
	case eventlog.KindStart:
		return sched.Start(), nil
	case eventlog.KindWake:
		return sched.Wake(), nil
	case eventlog.KindFirstToken:
		payload, err := eventlog.Decode[FirstToken](row)
		return sched.FirstToken(sched.ExchangeID(row.Exchange), payload.AtNs), err
	case eventlog.KindEnded:
		payload, err := eventlog.Decode[Ended](row)
		return sched.Ended(sched.ExchangeID(row.Exchange), payload.AtNs, payload.Outcome, payload.Answered), err
	case eventlog.KindStop:
		payload, err := eventlog.Decode[Reason](row)
		return sched.Stop(payload.Why), err
	case eventlog.KindAbort:
		payload, err := eventlog.Decode[Reason](row)
		return sched.Abort(payload.Why), err
	}
	return sched.Input{}, fmt.Errorf("event %d (%v) is no input of the replay machine", row.Seq, row.Kind)
}

// Config reads the machine's configuration from the row that began the run.
func Config(row eventlog.Event) (sched.Config, error) {
	if row.Kind != eventlog.KindStart {
		return sched.Config{}, fmt.Errorf("event %d (%v) does not begin a run", row.Seq, row.Kind)
	}
	payload, err := eventlog.Decode[Start](row)
	return payload.Config, err
}
