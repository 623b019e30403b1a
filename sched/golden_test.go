package sched_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/schedtest"
	"agentx/sched/virtual"
)

// sharedDir skips a test where the reference figures are not there.
func sharedDir(t testing.TB) string {
	t.Helper()
	dir, err := schedtest.SharedDir("..")
	if err != nil {
		t.Skip(err)
	}
	return dir
}

type goldenSchedule struct {
	Golden string       `json:"golden"`
	Cases  []goldenCase `json:"cases"`
}

type goldenCase struct {
	Case     string `json:"case"`
	Settings struct {
		Lanes     int      `json:"lanes"`
		TStarMs   float64  `json:"t_star_ms"`
		SystemCap *float64 `json:"system_idle_gap_cap_seconds"`
		TraceCap  *float64 `json:"trace_idle_gap_cap_seconds"`
		Duration  float64  `json:"duration_seconds"`
		Grace     float64  `json:"grace_seconds"`
	} `json:"settings"`
	Counters struct {
		T0                int64            `json:"t0_ns"`
		SendingComplete   int64            `json:"sending_complete_ns"`
		Complete          int64            `json:"complete_ns"`
		Sent              int64            `json:"sent"`
		Completed         int64            `json:"completed"`
		Cancelled         int64            `json:"cancelled"`
		SentSessions      int64            `json:"sent_sessions"`
		CompletedSessions int64            `json:"completed_sessions"`
		GuardJumps        int64            `json:"guard_jumps"`
		GuardSkipped      int64            `json:"guard_skipped_ns"`
		WatchJumps        int64            `json:"watchdog_jumps"`
		WatchSkipped      int64            `json:"watchdog_skipped_ns"`
		Minimum           int64            `json:"m_ns"`
		Branches          map[string]int64 `json:"branch_stats"`
		Trees             [][]any          `json:"trees"`
	} `json:"counters"`
	Sends [][]any `json:"sends"`
}

// TestGoldenSchedules replays six real traces in twelve settings each and compares every send with an
// independent simulator's, to the nanosecond, and its counters.
func TestGoldenSchedules(t *testing.T) {
	dir := sharedDir(t)
	names, err := filepath.Glob(filepath.Join(dir, "golden", "schedules", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatal("no schedules", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var schedule goldenSchedule
		if err := json.Unmarshal(text, &schedule); err != nil {
			t.Fatal(err)
		}
		plan, err := schedtest.LoadGolden(filepath.Join(dir, "golden", schedule.Golden))
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range schedule.Cases {
			t.Run(string(plan.Trace)+"/"+one.Case, func(t *testing.T) { compareSchedule(t, plan, &one) })
		}
	}
}

func seconds(value *float64) *int64 {
	if value == nil {
		return nil
	}
	ns := int64(*value * 1e9)
	return &ns
}

func (c *goldenCase) config() sched.Config {
	config := sched.DefaultConfig()
	config.Concurrency = c.Settings.Lanes
	config.BenchmarkID = "bench1"
	config.CacheBust = sched.CacheBustFirstTurnPrefix
	config.StartAtMs = []float64{c.Settings.TStarMs}
	config.SystemIdleCapNs = seconds(c.Settings.SystemCap)
	config.TraceIdleCapNs = seconds(c.Settings.TraceCap)
	config.DurationNs = seconds(&c.Settings.Duration)
	config.GraceNs = seconds(&c.Settings.Grace)
	return config
}

// recordedWorld answers every request after its recorded time.
func recordedWorld(plans []*corpus.Plan) *virtual.Replies {
	return &virtual.Replies{Answer: func(_ int64, event *sched.Event, request *sched.Dispatch) virtual.Reply {
		turn := &plans[request.Plan].Conversations[request.Conversation].Turns[event.Turn]
		return virtual.Reply{LatencyNs: int64(turn.APIMs.Or(0) * 1e6), FirstTokenNs: -1, Outcome: sched.OutcomeOK}
	}}
}

func compareSchedule(t *testing.T, plan *corpus.Plan, want *goldenCase) {
	machine, err := sched.New(want.config(), []*corpus.Plan{plan})
	if err != nil {
		t.Fatal(err)
	}
	var sends, trees []string
	var start *sched.PhaseStart
	var report *sched.PhaseComplete
	var t0, sending, complete int64
	err = virtual.Run(machine, recordedWorld([]*corpus.Plan{plan}), func(now int64, _ sched.Input, events []sched.Event) error {
		for _, event := range events {
			switch p := event.Payload.(type) {
			case *sched.Dispatch:
				sends = append(sends, fmt.Sprintf("%012d %s %d %s %d", now, p.Phase, event.Lane, plan.Conversations[p.Conversation].ID, event.Turn))
			case *sched.TreeOpen:
				trees = append(trees, fmt.Sprint([]any{event.Lane, p.Trace, p.Kind, p.Pass, p.Marker}))
			case *sched.PhaseStart:
				start, t0 = p, now
			case *sched.SendingComplete:
				sending = now
			case *sched.PhaseComplete:
				report, complete = p, now
			}
		}
		return nil
	}, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	compareSends(t, sends, want.Sends)
	var wantTrees []string
	for _, tree := range want.Counters.Trees {
		wantTrees = append(wantTrees, fmt.Sprint(tree))
	}
	if !slices.Equal(trees, wantTrees) {
		t.Errorf("trees %v, want %v", trees, wantTrees)
	}
	c := &want.Counters
	got := []int64{t0, sending, complete, report.Counts.Sent, report.Counts.Completed, report.Counts.Cancelled, report.Counts.SentSessions,
		report.Counts.CompletedSessions, report.Guard.Jumps, report.Guard.SkippedNs, report.Watchdogs.Jumps, report.Watchdogs.SkippedNs, start.MinimumNs}
	wanted := []int64{c.T0, c.SendingComplete, c.Complete, c.Sent, c.Completed, c.Cancelled, c.SentSessions,
		c.CompletedSessions, c.GuardJumps, c.GuardSkipped, c.WatchJumps, c.WatchSkipped, c.Minimum}
	if !slices.Equal(got, wanted) {
		t.Errorf("counters %v, want %v", got, wanted)
	}
	compareBranches(t, report, c.Branches)
}

// compareSends sorts by instant and name: the order within one instant is free.
func compareSends(t *testing.T, got []string, want [][]any) {
	wanted := make([]string, len(want))
	for i, send := range want {
		wanted[i] = fmt.Sprintf("%012d %s %d %s %d", int64(send[4].(float64)), send[0], int(send[1].(float64)), send[2], int(send[3].(float64)))
	}
	slices.Sort(got)
	slices.Sort(wanted)
	if len(got) != len(wanted) {
		t.Errorf("%d sends, want %d", len(got), len(wanted))
	}
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Fatalf("send %d: %s, want %s", i, got[i], wanted[i])
		}
	}
}

func compareBranches(t *testing.T, report *sched.PhaseComplete, want map[string]int64) {
	text, err := json.Marshal(report.Branches)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]int64
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s = %d, want %d (all: %s)", strings.TrimSpace(name), got[name], value, text)
		}
	}
}
