package sched_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"agentx/sched"
	"agentx/sched/schedtest"
)

// TestRandomScenarios draws traces, settings and fates of requests: every run ends, the same scenario
// gives the same decisions, nothing is sent twice, never more than N trees are alive, and the branch
// counters balance.
func TestRandomScenarios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := schedtest.Random(t)
		played, err := script.Play()
		if err != nil {
			t.Fatal(err)
		}
		again, err := script.Play()
		if err != nil {
			t.Fatal(err)
		}
		if log := played.Log(); !slices.Equal(log, again.Log()) {
			t.Fatal("a second run of the same scenario decides otherwise")
		}
		checkRun(t, script, played)
	})
}

type turnKey struct {
	play         sched.PlayID
	conversation int
	turn         int32
	primer       bool
}

func checkRun(t *rapid.T, script *schedtest.Script, played *schedtest.Played) {
	sent := map[turnKey]bool{}
	open := map[sched.PlayID]bool{}
	inFlight := 0
	aborted := false
	for _, entry := range played.Entries {
		if entry.Input != nil {
			aborted = aborted || entry.Input.Kind == sched.KindAbort
			if entry.Input.Kind == sched.KindEnded {
				inFlight--
			}
			continue
		}
		event := entry.Event
		switch p := event.Payload.(type) {
		case *sched.TreeOpen:
			open[event.Play] = true
			if len(open) > script.Config.Concurrency {
				t.Fatalf("%d trees are alive on %d lanes", len(open), script.Config.Concurrency)
			}
		case *sched.TreeDrained:
			delete(open, event.Play)
		case *sched.TreeAborted:
			if p.Why == sched.ReasonSessions {
				delete(open, event.Play)
			}
		case *sched.Dispatch:
			key := turnKey{event.Play, p.Conversation, event.Turn, p.Primer}
			if sent[key] {
				t.Fatalf("sent twice: %+v", key)
			}
			sent[key] = true
			inFlight++
			if !open[event.Play] {
				t.Fatalf("play %d sends after its end", event.Play)
			}
		case *sched.PhaseComplete:
			checkReport(t, p, aborted)
		}
	}
	if inFlight != 0 && !aborted {
		t.Fatalf("%d requests are in flight at the end", inFlight)
	}
}

func checkReport(t *rapid.T, p *sched.PhaseComplete, aborted bool) {
	b := &p.Branches
	if p.Phase == sched.PhaseProfiling && !aborted && (b.Open != 0 || b.StillWaiting != 0) {
		t.Fatalf("children or parents are left over: %+v", *b)
	}
	if b.Open < 0 || b.StillWaiting < 0 {
		t.Fatalf("counters do not balance: %+v", *b)
	}
	if !aborted && p.Counts.Sent != p.Counts.Completed+p.Counts.Cancelled {
		t.Fatalf("sent is not completed + cancelled: %+v", p.Counts)
	}
}
