package sched_test

import (
	"path/filepath"
	"testing"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/schedtest"
	"agentx/sched/virtual"
)

// TestRecordedLatenciesGiveTheRecording replays real traces as they were recorded, without caps or
// errors: every request of a first play goes out exactly at T0 + ts - t* - m (spec scheduling 5.4).
func TestRecordedLatenciesGiveTheRecording(t *testing.T) {
	dir := sharedDir(t)
	names, err := filepath.Glob(filepath.Join(dir, "golden", "trace_*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no reference traces", err)
	}
	exact := 0
	for _, name := range names {
		plan, err := schedtest.LoadGolden(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			exact += exactSends(t, plan, seed)
		}
	}
	if exact < 2000 {
		t.Errorf("only %d sends were compared", exact)
	}
}

// exactSends counts the profiling sends of the first play, all of which must be exact.
func exactSends(t *testing.T, plan *corpus.Plan, seed uint64) (exact int) {
	config := sched.DefaultConfig()
	config.StartMinRatio, config.StartMaxRatio, config.Seed = 0, 1, seed
	duration := int64(7 * 24 * 3600 * 1_000_000_000)
	config.DurationNs, config.NumSessions = &duration, 1
	machine, err := sched.New(config, []*corpus.Plan{plan})
	if err != nil {
		t.Fatal(err)
	}
	var tStar, minimum, t0 int64
	err = virtual.Run(machine, recordedWorld([]*corpus.Plan{plan}), func(now int64, _ sched.Input, events []sched.Event) error {
		for _, event := range events {
			switch p := event.Payload.(type) {
			case *sched.TrajectoryBuilt:
				tStar = sched.NanosecondsOf(*p.TStarMs)
			case *sched.PhaseStart:
				minimum, t0 = p.MinimumNs, now
			case *sched.Dispatch:
				if p.Phase != sched.PhaseProfiling || event.Play != 0 {
					continue
				}
				recorded := sched.NanosecondsOf(float64(plan.Conversations[p.Conversation].Turns[event.Turn].TMs))
				if want := t0 + recorded - tStar - minimum; now != want {
					t.Errorf("%s seed %d: turn %d of %s goes out at %d instead of %d", plan.Trace, seed, event.Turn, plan.Conversations[p.Conversation].ID, now, want)
				}
				exact++
			}
		}
		return nil
	}, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return exact
}
