package measure_test

import (
	"context"
	"testing"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/simulate"
	"agentx/sched"
)

// simulated is the log of a run of the real machine on two small traces, with an error, an overflow and
// an endless answer here and there.
func simulated(t *testing.T, seed uint64, stopAt int64) *logtest.Log {
	t.Helper()
	log := logtest.New()
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), logtest.Config("inferencex-agentx-mvp", nil))
	log.Row(eventlog.KindAnchor, 0, logtest.Nowhere(), eventlog.Anchor{WallNs: logtest.WallNs, Why: "start"})
	plans := []*corpus.Plan{logtest.Alpha(), logtest.Beta()}
	for i, plan := range plans {
		log.Trace(0, i, plan)
	}
	latencies, err := simulate.ReadLatencies([]byte(`{"default": 0.7, "turns": {"beta": [null, null, [0.2, "error"]], "alpha::sa:a1": [[0.4, "ok"], [0.1, "overflow"]]},
		"requests": {"profiling/0/1/beta/2": [100, "ok"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	machine := sched.DefaultConfig()
	duration, grace := int64(12e9), int64(2e9)
	machine.Concurrency, machine.Seed, machine.DurationNs, machine.GraceNs = 2, seed, &duration, &grace
	machine.BenchmarkID, machine.CacheBust = "0123456789abcdef0123456789abcdef", sched.CacheBustFirstTurnPrefix
	options := simulate.Options{Machine: machine, Plans: plans, Server: simulate.NewLatencies(latencies), Observer: simulate.NewJournal(machine, log.Add)}
	if stopAt > 0 {
		options.Stop = func(now int64) sched.Reason {
			if now >= stopAt {
				return sched.ReasonUser
			}
			return ""
		}
	}
	if err := simulate.Run(context.Background(), options); err != nil {
		t.Fatal(err)
	}
	log.Row(eventlog.KindRunEnd, 30e9, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
	return log
}

// The figures of an analysis agree with the machine's own counters.
func TestRecordsAgreeWithTheMachinesCounters(t *testing.T) {
	seen := measure.PhaseCounts{}
	for seed := range uint64(30) {
		a := analyzed(t, simulated(t, seed, 0), measure.Options{})
		for _, phase := range []measure.Phase{measure.PhaseWarmup, measure.PhaseProfiling} {
			sent, cancelled, failed, overflows := 0, 0, 0, 0
			for _, r := range a.Records {
				if r.Phase != phase || r.Exchange < 0 {
					continue
				}
				sent++
				switch {
				case r.Outcome.IsCancelled():
					cancelled++
				case r.Outcome == measure.OutcomeOverflow:
					overflows++
				case r.Outcome.IsError():
					failed++
				}
			}
			c := measure.PhaseCounts{}
			if p := a.Phase(phase); p != nil {
				c = p.Counts
			}
			seen.Cancelled, seen.Errors, seen.Overflows = seen.Cancelled+c.Cancelled, seen.Errors+c.Errors, seen.Overflows+c.Overflows
			if int64(sent) != c.Sent || int64(cancelled) != c.Cancelled || int64(overflows) != c.Overflows || int64(failed+overflows) != c.Errors {
				t.Errorf("seed %d, %s: %d sent, %d cancelled, %d failed, %d overflows; the machine says %+v", seed, phase, sent, cancelled, failed, overflows, c)
			}
		}
		checkRecords(t, seed, a)
		if a.Verdict.Cancelled || !a.Verdict.Complete {
			t.Errorf("seed %d: %s", seed, a.Verdict.Line())
		}
	}
	if seen.Cancelled == 0 || seen.Overflows == 0 || seen.Errors == seen.Overflows {
		t.Errorf("the runs show too little: %+v", seen)
	}
}

func checkRecords(t *testing.T, seed uint64, a *measure.Analysis) {
	t.Helper()
	trees := 0
	for i := range a.Sessions {
		trees += a.Sessions[i].Requests
	}
	if trees != a.Population.Sent {
		t.Errorf("seed %d: trees have %d requests, the phase sent %d", seed, trees, a.Population.Sent)
	}
	for _, r := range a.Records {
		if r.Exchange < 0 {
			continue
		}
		if r.Place.Trace == "" || r.Place.Conversation == "" || !r.Plan.In.Known() || r.Times.Issued < r.Times.Due {
			t.Errorf("seed %d: record %d: %+v due %d issued %d", seed, r.Exchange, r.Place, r.Times.Due, r.Times.Issued)
		}
		if (r.Place.Depth == 1) != (r.Place.Conversation == "alpha::sa:a1") {
			t.Errorf("seed %d: conversation %s has depth %d", seed, r.Place.Conversation, r.Place.Depth)
		}
		if r.Primer != (r.Phase == measure.PhaseWarmup) {
			t.Errorf("seed %d: record %d of %s: primer %v", seed, r.Exchange, r.Phase, r.Primer)
		}
	}
}

// A run that the user stops is cancelled, with the reason and the counts.
func TestStoppedRunIsCancelled(t *testing.T) {
	a := analyzed(t, simulated(t, 1, 6e9), measure.Options{})
	v := a.Verdict
	if !v.Cancelled || v.CancelReason != "user" || v.Complete {
		t.Errorf("cancelled %v by %q, %s", v.Cancelled, v.CancelReason, v.Line())
	}
	found := false
	for _, reason := range v.Reasons {
		found = found || reason == measure.ReasonRunCancelled
	}
	if !found || a.Population.Outcomes[measure.OutcomeCancelledUser] == 0 {
		t.Errorf("reasons %v, outcomes %v", v.Reasons, a.Population.Outcomes)
	}
}
