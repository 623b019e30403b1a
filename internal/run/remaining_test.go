package run

import (
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/sched"
)

// A warmup can take hours: its line says how long still, and what it waits for, at every point.
func TestTheProgressLineOfAWarmupSaysWhatItWaitsFor(t *testing.T) {
	second := int64(time.Second)
	d, grace := 40*second, 20*second
	send := func(id sched.ExchangeID, phase sched.Phase, primer bool) *sched.Event {
		return &sched.Event{Lane: 1, Turn: 7, Exchange: id, Payload: &sched.Dispatch{Phase: phase, Primer: primer}}
	}
	start := func(target int64, ramp int64) *sched.Event {
		p := &sched.PhaseStart{Phase: sched.PhaseWarmup, Lanes: 2, RampNs: ramp}
		if target > 0 {
			p.Target = &target
		}
		return &sched.Event{Payload: p}
	}
	warm, closed := sched.PhaseWarmup, &sched.Event{Payload: &sched.SendingComplete{Phase: sched.PhaseWarmup}}
	type told struct {
		at    int64
		event *sched.Event // nil: the end of exchange 0
	}
	for name, c := range map[string]struct {
		config sched.Config
		told   []told
		now    int64
		want   string
	}{
		"ramp": {now: 10, told: []told{{0, start(2, 90*second)}, {0, send(0, warm, true)}},
			want: "left=1m20s, ramp of first requests"},
		"a primer behind the ramp": {now: 95, told: []told{{0, start(2, 90*second)}, {0, send(0, warm, true)}},
			want: "1 still to send"},
		"an answer that does not come": {now: 200, told: []told{{0, start(2, 90*second)}, {5, send(0, warm, true)}, {90, send(1, warm, true)}, {90, closed}},
			want: "waiting for 2 answers, the oldest for 3m15s (lane 1, turn 7), without limit (--agentic-warmup-grace-period sets one)"},
		"the same with a grace": {config: sched.Config{WarmupGraceNs: &grace}, now: 100, told: []told{{0, start(1, 0)}, {5, send(0, warm, true)}, {90, closed}},
			want: "waiting for 1 answer, the oldest for 1m35s (lane 1, turn 7), at most 10s more"},
		"ramp before a cache warmup": {config: sched.Config{CacheWarmupNs: &d}, now: 10, told: []told{{0, start(0, 30*second)}, {0, send(0, warm, true)}},
			want: "left=1m0s, ramp of first requests, then cache warmup"},
		"first requests before a cache warmup": {config: sched.Config{CacheWarmupNs: &d}, now: 33, told: []told{{0, start(0, 30*second)}, {30, send(0, warm, true)}},
			want: "waiting for 1 answer, the oldest for 3s (lane 1, turn 7)"},
		"cache warmup by duration": {config: sched.Config{CacheWarmupNs: &d}, now: 40, told: []told{{0, start(0, 30*second)}, {30, send(0, warm, true)}, {35, nil}, {35, send(1, warm, false)}},
			want: "left=35s, cache warmup"},
		"cache warmup by requests": {config: sched.Config{WarmupRequestsPerLane: 4}, now: 40, told: []told{{0, start(0, 0)}, {30, send(0, warm, false)}, {32, send(1, warm, false)}},
			want: "left about 30s, cache warmup 2/8 requests"},
	} {
		s := &status{config: &c.config}
		for _, told := range c.told {
			if told.event == nil {
				s.result(warm, 0, &eventlog.ExchangeEnd{Outcome: eventlog.OutcomeOK})
				continue
			}
			s.observe(told.at*second, told.event)
		}
		if got := s.left(c.now * second); got != c.want {
			t.Errorf("%s: the line ends with %q, want %q", name, got, c.want)
		}
	}
}

// The line of the measured phase counts down its duration, then its grace.
func TestTheProgressLineCountsTheGraceDown(t *testing.T) {
	d, grace := int64(60*time.Second), int64(30*time.Second)
	s := &status{config: &sched.Config{DurationNs: &d, GraceNs: &grace}}
	s.observe(0, &sched.Event{Payload: &sched.PhaseStart{Phase: sched.PhaseProfiling, DurationNs: &d}})
	s.observe(50, &sched.Event{Exchange: 3, Lane: 2, Turn: 4, Payload: &sched.Dispatch{Phase: sched.PhaseProfiling}})
	if got := s.left(20 * int64(time.Second)); got != "left=40s" {
		t.Errorf("in the duration: %q", got)
	}
	s.observe(d, &sched.Event{Payload: &sched.SendingComplete{Phase: sched.PhaseProfiling}})
	if got, want := s.left(70*int64(time.Second)), "waiting for 1 answer, the oldest for 1m10s (lane 2, turn 4), at most 20s more"; got != want {
		t.Errorf("in the grace: %q, want %q", got, want)
	}
}

func TestARunWithoutAStopSaysWhenItEnds(t *testing.T) {
	head := "no --benchmark-duration, --request-count or --num-sessions: the run ends when "
	for _, c := range []struct {
		traces        int
		sampler, want string
	}{
		{8, "shuffle", "each of the 8 traces has been played once"},
		{1, "sequential", "the one trace has been played once"},
		{8, "random", "8 sessions have been played, as many as there are traces; --dataset-sampling-strategy random may draw one twice and leave others out"},
	} {
		if got := everyTraceOnce(c.traces, c.sampler); got != head+c.want {
			t.Errorf("%d traces, %s: %q", c.traces, c.sampler, got)
		}
	}
}

// Lanes beyond the number of sessions send nothing in profiling (7.5): the concurrency that was asked for
// is not reached, and that is said at the start.
func TestLanesWithoutASessionAreTold(t *testing.T) {
	for name, c := range map[string]struct {
		load LoadOptions
		want string
	}{
		"sessions": {LoadOptions{Concurrency: 20, NumSessions: 8, Duration: unset, RequestCount: unset}, "--concurrency 20, but the run ends after 8 sessions: 12 lanes will send nothing after the warmup; lower --concurrency, or let the run end by --benchmark-duration"},
		"no stop":  {LoadOptions{Concurrency: 9, NumSessions: unset, Duration: unset, RequestCount: unset}, "--concurrency 9, but the run ends after 8 sessions: 1 lane will send nothing after the warmup; lower --concurrency, or let the run end by --benchmark-duration"},
		"enough":   {LoadOptions{Concurrency: 8, NumSessions: unset, Duration: unset, RequestCount: unset}, ""},
		"a time":   {LoadOptions{Concurrency: 20, NumSessions: unset, Duration: 60, RequestCount: unset}, ""},
	} {
		o := &Options{Load: c.load}
		o.noteSilentLanes(8)
		got := ""
		for _, note := range o.Notes {
			got += note.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
