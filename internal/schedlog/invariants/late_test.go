package invariants_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/internal/schedlog/invariants"
	"agentx/sched"
	"agentx/sched/schedtest"
	"agentx/sched/virtual"
)

// lateRun plays a scenario as a live run does: every wake comes late, on a busy machine by half a second, and
// facts reach the machine after their stamps. It gives the rows of the log.
func lateRun(t *rapid.T, script *schedtest.Script) []eventlog.Event {
	machine, err := sched.New(script.Config, script.Plans)
	if err != nil {
		t.Fatal(err)
	}
	lateNs := rapid.Int64Range(1, rapid.SampledFrom([]int64{invariants.ToleranceNs, 500_000_000}).Draw(t, "at most late"))
	world := &virtual.Replies{Tokens: script.Config.PrefillLimit > 0, Answer: func(int64, *sched.Event, *sched.Dispatch) virtual.Reply {
		latency := rapid.Int64Range(0, 5_000_000_000).Draw(t, "latency")
		outcome := rapid.SampledFrom([]sched.Outcome{sched.OutcomeOK, sched.OutcomeOK, sched.OutcomeOK, sched.OutcomeError, sched.OutcomeOverflow}).Draw(t, "outcome")
		return virtual.Reply{LatencyNs: latency, FirstTokenNs: latency / 2, HandleNs: lateNs.Draw(t, "handle"), CancelNs: lateNs.Draw(t, "cancel"), Outcome: outcome}
	}}
	encoder := schedlog.NewEncoder(script.Config)
	var rows []eventlog.Event
	now := int64(0)
	step := func(input sched.Input) {
		events := machine.Step(now, input)
		err := encoder.Encode(now, input, events, func(row eventlog.Event) (eventlog.Seq, error) {
			row = row.Clone()
			row.Seq = eventlog.Seq(len(rows) + 1)
			rows = append(rows, row)
			return row.Seq, nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			switch payload := events[i].Payload.(type) {
			case *sched.Dispatch:
				world.Send(now, &events[i], payload)
			case *sched.Cancel:
				world.Cancel(now, events[i].Exchange)
			}
		}
	}
	armed, late := int64(-1), int64(0)
	for step(sched.Start()); !machine.Done(); {
		wake, hasTimer := machine.NextWake()
		if wake != armed {
			armed, late = wake, lateNs.Draw(t, "late")
		}
		wake = max(wake+late, now)
		switch fact, hasFact := world.Next(); {
		case hasFact && (!hasTimer || fact <= wake):
			now = max(now, fact)
			for _, input := range world.Take(now) {
				step(input)
			}
		case hasTimer:
			now = wake
			step(sched.Wake())
		default:
			t.Fatal("nothing is left to wait for, but the machine is not done")
		}
	}
	return rows
}

// TestLateRunsHold checks logs in which the clock does what real ones do.
func TestLateRunsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := schedtest.Random(t)
		if duration := s.Config.DurationNs; duration != nil {
			*duration = max(*duration, 1) // a run refuses 0
		}
		found := violations(t, s, lateRun(t, s))
		if len(found) == 0 {
			return
		}
		var lines []string
		for _, v := range found {
			lines = append(lines, v.String())
		}
		t.Errorf("%+v\n%s", s.Config, strings.Join(lines, "\n"))
	})
}
