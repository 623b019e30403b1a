package sched_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/schedtest"
)

type goldenSnapshots struct {
	Explicit []struct {
		Trace     string `json:"trace"`
		Snapshots []struct {
			Label    string          `json:"label"`
			TStarMs  float64         `json:"t_star_ms"`
			Snapshot *goldenSnapshot `json:"snapshot"`
		} `json:"snapshots"`
	} `json:"explicit"`
	Lanes []struct {
		Range []float64 `json:"range"`
		Seed  uint64    `json:"seed"`
		Rows  [][]any   `json:"rows"`
	} `json:"lanes"`
	SameTrace struct {
		Trace     string    `json:"trace"`
		Seed      uint64    `json:"seed"`
		Fractions []float64 `json:"fractions"`
	} `json:"same_trace_lanes"`
	Timestampless struct {
		Seed uint64  `json:"seed"`
		Rows [][]any `json:"rows"`
	} `json:"timestampless"`
}

type goldenSnapshot struct {
	Streams []struct {
		Stream   string  `json:"stream"`
		Next     int     `json:"next_turn"`
		OffsetMs float64 `json:"first_offset_ms"`
		Waiting  bool    `json:"waiting"`
	} `json:"streams"`
	Completed [][]any `json:"completed_prefixes"`
}

func loadSnapshots(t *testing.T) (dir string, golden goldenSnapshots) {
	dir = sharedDir(t)
	text, err := os.ReadFile(filepath.Join(dir, "golden", "snapshots.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	return dir, golden
}

// trajectories gives what the machine's first step says of the lanes' starts.
func trajectories(config sched.Config, plans []*corpus.Plan) ([]*sched.TrajectoryBuilt, error) {
	machine, err := sched.New(config, plans)
	if err != nil {
		return nil, err
	}
	var built []*sched.TrajectoryBuilt
	for _, event := range machine.Step(0, sched.Start()) {
		if trajectory, ok := event.Payload.(*sched.TrajectoryBuilt); ok {
			built = append(built, trajectory)
		}
	}
	return built, nil
}

// TestGoldenSnapshots looks at real traces at chosen instants: live streams, next turns, offsets,
// waiting roots and resume boundaries are AIPerf's.
func TestGoldenSnapshots(t *testing.T) {
	dir, golden := loadSnapshots(t)
	compared := 0
	for _, trace := range golden.Explicit {
		plan, err := schedtest.LoadGolden(filepath.Join(dir, "golden", trace.Trace+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, snapshot := range trace.Snapshots {
			config := sched.DefaultConfig()
			config.StartAtMs = []float64{snapshot.TStarMs}
			built, err := trajectories(config, []*corpus.Plan{plan})
			if snapshot.Snapshot == nil {
				if !errors.Is(err, sched.ErrNoTraces) {
					t.Errorf("%s %s: nothing is alive there, but: %v", trace.Trace, snapshot.Label, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			compared++
			compareSnapshot(t, trace.Trace+" "+snapshot.Label, plan, built[0], snapshot.Snapshot)
		}
	}
	if compared < 50 {
		t.Errorf("only %d snapshots were compared", compared)
	}
}

func compareSnapshot(t *testing.T, label string, plan *corpus.Plan, got *sched.TrajectoryBuilt, want *goldenSnapshot) {
	var states, wanted []string
	for _, s := range got.States {
		states = append(states, fmt.Sprintf("%s %d %.4f %v", plan.Conversations[s.Conversation].ID, s.Next, float64(s.OffsetNs)/1e6, s.Waiting))
	}
	for _, s := range want.Streams {
		wanted = append(wanted, fmt.Sprintf("%s %d %.4f %v", s.Stream, s.Next, s.OffsetMs, s.Waiting))
	}
	if !slices.Equal(states, wanted) {
		t.Errorf("%s: states %v, want %v", label, states, wanted)
	}
	var boundaries, wantedBoundaries []string
	for _, b := range got.Boundaries {
		boundaries = append(boundaries, fmt.Sprint(plan.Conversations[b.Conversation].ID, b.Turns))
	}
	for _, b := range want.Completed {
		wantedBoundaries = append(wantedBoundaries, fmt.Sprint(b[0], int(b[1].(float64))))
	}
	if !slices.Equal(boundaries, wantedBoundaries) {
		t.Errorf("%s: boundaries %v, want %v", label, boundaries, wantedBoundaries)
	}
}

// spanPlan is a trace of two requests a million ms apart, so that t* in ms is its fraction in 1e-6.
func spanPlan(trace string) *corpus.Plan {
	return &corpus.Plan{Trace: corpus.TraceID(trace), Conversations: []corpus.Conversation{{ID: corpus.ConversationID(trace), Parent: -1, Turns: []corpus.Turn{
		{TMs: 0, APIMs: 0, GapMs: corpus.Absent(), Emitted: 1},
		{TMs: 1e6, APIMs: 0, GapMs: 1e6, Emitted: 1},
	}}}}
}

func ratios(config *sched.Config, low, high float64) {
	config.StartMinRatio, config.StartMaxRatio, config.AllowWrap = low, high, true
}

// TestGoldenStarts compares the fraction of its span at which each lane starts.
func TestGoldenStarts(t *testing.T) {
	_, golden := loadSnapshots(t)
	for _, lanes := range golden.Lanes {
		var plans []*corpus.Plan
		for _, row := range lanes.Rows {
			plans = append(plans, spanPlan(row[1].(string)))
		}
		config := sched.DefaultConfig()
		config.Seed, config.Concurrency = lanes.Seed, len(plans)
		ratios(&config, lanes.Range[0], lanes.Range[1])
		built, err := trajectories(config, plans)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range lanes.Rows {
			if got := math.Round(*built[i].TStarMs) / 1e6; got != row[3].(float64) {
				t.Errorf("lane %d of %s starts at %v, want %v", i, row[1], got, row[3])
			}
		}
	}
	same := golden.SameTrace
	config := sched.DefaultConfig()
	config.Seed, config.Concurrency = same.Seed, len(same.Fractions)
	ratios(&config, 0.25, 0.75)
	built, err := trajectories(config, []*corpus.Plan{spanPlan(same.Trace)})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range same.Fractions {
		if got := math.Round(*built[i].TStarMs) / 1e6; got != want {
			t.Errorf("lane %d starts at %v, want %v", i, got, want)
		}
	}
}

// TestGoldenTurnSplits compares the turns after which traces without timestamps start (2.11).
func TestGoldenTurnSplits(t *testing.T) {
	_, golden := loadSnapshots(t)
	split := golden.Timestampless
	var plans []*corpus.Plan
	for _, row := range split.Rows {
		plan := &corpus.Plan{Trace: corpus.TraceID(row[0].(string)), Conversations: []corpus.Conversation{{ID: "root", Parent: -1}}}
		for range int(row[2].(float64)) {
			plan.Conversations[0].Turns = append(plan.Conversations[0].Turns, corpus.Turn{TMs: corpus.Absent(), APIMs: corpus.Absent(), GapMs: corpus.Absent(), Emitted: 1})
		}
		plans = append(plans, plan)
	}
	config := sched.DefaultConfig()
	config.Seed, config.Concurrency = split.Seed, len(plans)
	ratios(&config, 0.25, 0.75)
	built, err := trajectories(config, plans)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range split.Rows {
		if got := built[i].States[0].Next - 1; got != int(row[1].(float64)) {
			t.Errorf("lane %d of %s starts after turn %d, want %v", i, row[0], got, row[1])
		}
	}
}
