package run

import (
	"errors"
	"fmt"
	"testing"

	"agentx/sched"
	"agentx/wire"
)

func TestCancellationPicksTheAskedShareOfProfilingBySeed(t *testing.T) {
	picked := func(seed uint64, phase sched.Phase) (list []int) {
		c := newCancellation(&ServerOptions{CancellationRate: 20}, seed)
		for turn := range 5000 {
			facts := promptFacts{stream: &stream{play: &play{id: 3}}, turn: turn}
			x := &exchange{promptFacts: facts, dispatch: &sched.Dispatch{Phase: phase}}
			if c.of(x) != nil {
				list = append(list, turn)
			}
		}
		return list
	}
	first := picked(1, sched.PhaseProfiling)
	if len(first) < 900 || len(first) > 1100 {
		t.Errorf("%d of 5000 are picked, want about 1000", len(first))
	}
	if again := picked(1, sched.PhaseProfiling); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Error("the same seed picks other requests")
	}
	if other := picked(2, sched.PhaseProfiling); fmt.Sprint(other) == fmt.Sprint(first) {
		t.Error("another seed picks the same requests")
	}
	if warmup := picked(1, sched.PhaseWarmup); len(warmup) != 0 {
		t.Errorf("%d warmup requests are picked", len(warmup))
	}
}

func TestCancelledOnPurposeIsAnErrorAndOthersStay(t *testing.T) {
	own := wire.Result{Outcome: wire.OutcomeCancelled, CancelCause: wire.ErrCancelAfter}
	settleCancelled(&own)
	if own.Outcome != wire.OutcomeError || *own.Err.Code != 499 || own.Err.Type != "RequestCancellationError" {
		t.Errorf("%+v", own.Err)
	}
	other := wire.Result{Outcome: wire.OutcomeCancelled, CancelCause: errors.New("the run ended")}
	settleCancelled(&other)
	if other.Outcome != wire.OutcomeCancelled || other.Err != nil {
		t.Errorf("a cancellation of the run became %+v", other)
	}
}
