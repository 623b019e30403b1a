package sched_test

import (
	"errors"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/schedtest"
)

// TestMarkers holds the check values of rule 6.6.
func TestMarkers(t *testing.T) {
	for _, row := range []struct {
		pass  int
		lane  sched.LaneID
		trace string
		want  string
	}{
		{0, 0, "A", "c6844097e0c5"}, {1, 1, "A", "8f9c883f2c3a"}, {1, 0, "A", "a8bba75c780b"},
		{0, 1, "B", "3820dddc2e0a"}, {2, 2, "A", "ae9825941035"}, {2, 2, "A::sa:x", "ae9825941035"},
	} {
		if got := sched.Marker("bench1", row.pass, row.lane, row.trace); got != row.want {
			t.Errorf("marker of pass %d, lane %d, trace %s is %s, want %s", row.pass, row.lane, row.trace, got, row.want)
		}
	}
}

// TestStartupErrors lists what New refuses (2.3, 2.4) and what its message must name.
func TestStartupErrors(t *testing.T) {
	pair := []*corpus.Plan{spanPlan("A"), spanPlan("B")}
	ns := int64(1)
	for name, row := range map[string]struct {
		change func(c *sched.Config)
		plans  []*corpus.Plan
		want   []string
	}{
		"no concurrency":       {func(c *sched.Config) { c.Concurrency = 0 }, pair, []string{"--concurrency"}},
		"ratios":               {func(c *sched.Config) { c.StartMinRatio = 0.9 }, pair, []string{"start_min_ratio (0.9) must be <= start_max_ratio (0.75)"}},
		"no traces":            {func(*sched.Config) {}, nil, []string{"loader produced 0 traces; trajectories cannot be built"}},
		"nothing usable":       {func(*sched.Config) {}, []*corpus.Plan{{Trace: "A"}, nil}, []string{"pool exhausted", "no_turns"}},
		"no start after t*":    {func(c *sched.Config) { c.StartAtMs = []float64{9e9} }, pair, []string{"pool exhausted", "nothing_alive; lower --trajectory-start-at"}},
		"two bounds of warmup": {func(c *sched.Config) { c.CacheWarmupNs, c.WarmupRequestsPerLane = &ns, 1 }, pair, []string{"--agentic-cache-warmup-duration", "--warmup-requests-per-lane"}},
		"wrap": {func(c *sched.Config) { c.Concurrency, c.DurationNs = 3, &ns }, pair, []string{
			"concurrency 3 exceeds the 2 distinct loaded traces while dataset wrapping is disabled",
			"lower --concurrency to at most 2", "--num-sessions", "--cache-bust", "--allow-dataset-wrap"}},
		"sampler":     {func(c *sched.Config) { c.Sampler = "lifo" }, pair, []string{"lifo"}},
		"join policy": {func(c *sched.Config) { c.JoinPolicy = "soon" }, pair, []string{"soon"}},
		"target":      {func(c *sched.Config) { c.CacheBust = "middle" }, pair, []string{"middle"}},
		"starts":      {func(c *sched.Config) { c.StartAtMs = []float64{1, 2, 3} }, pair, []string{"3 forced starts for 1 lanes"}},
	} {
		config := sched.DefaultConfig()
		row.change(&config)
		_, err := sched.New(config, row.plans)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		for _, want := range row.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", name, err, want)
			}
		}
		if empty := strings.HasPrefix(name, "no"); empty && name != "no concurrency" && !errors.Is(err, sched.ErrNoTraces) {
			t.Errorf("%s: %v is not ErrNoTraces", name, err)
		}
	}
}

// TestWrapAllowed holds the cases in which more lanes than traces are allowed (2.3).
func TestWrapAllowed(t *testing.T) {
	ns := int64(1)
	for name, change := range map[string]func(c *sched.Config){
		"flag":                 func(c *sched.Config) { c.AllowWrap = true },
		"cache bust":           func(c *sched.Config) { c.CacheBust = sched.CacheBustSystemPrefix },
		"few sessions":         func(c *sched.Config) { c.NumSessions = 2 },
		"no stop: one pass":    func(c *sched.Config) { c.DurationNs = nil },
		"as many as there are": func(c *sched.Config) { c.Concurrency = 2 },
	} {
		config := sched.DefaultConfig()
		config.Concurrency, config.DurationNs = 3, &ns
		change(&config)
		if _, err := sched.New(config, []*corpus.Plan{spanPlan("A"), spanPlan("B")}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusedPlans holds what has no rule: nesting, references that lead nowhere, circles.
func TestRefusedPlans(t *testing.T) {
	fresh := func() *corpus.Plan {
		script, err := schedtest.Parse("plan", "trace A\nA: 0(1,spawn b) 5(1,join b)\nA::sa:x: 1 2\nbranch b 1 x\n")
		if err != nil {
			t.Fatal(err)
		}
		return script.Plans[0]
	}
	for name, change := range map[string]func(p *corpus.Plan){
		"depth":        func(p *corpus.Plan) { p.Conversations[1].Depth = 2 },
		"orphan":       func(p *corpus.Plan) { p.Conversations[0].Branches[0].Children = nil },
		"child":        func(p *corpus.Plan) { p.Conversations[0].Branches[0].Children = []int{7} },
		"join first":   func(p *corpus.Plan) { p.Conversations[0].Branches[0].JoinTurn = 0 },
		"spawn list":   func(p *corpus.Plan) { p.Conversations[0].Turns[0].Spawns = nil },
		"two branches": func(p *corpus.Plan) { p.Conversations[0].Branches[0].Children = []int{1, 1} },
		"predecessor":  func(p *corpus.Plan) { p.Conversations[1].Turns[0].Preds = []corpus.TurnRef{{Turn: 9}} },
		"circle":       func(p *corpus.Plan) { p.Conversations[1].Turns[0].Preds = []corpus.TurnRef{{Turn: 1}} },
	} {
		plan := fresh()
		change(plan)
		if _, err := sched.New(sched.DefaultConfig(), []*corpus.Plan{plan}); err == nil || !strings.Contains(err.Error(), "trace A") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sched.New(sched.DefaultConfig(), []*corpus.Plan{fresh()}); err != nil {
		t.Errorf("the plan before the changes: %v", err)
	}
}

// TestUnusableDraws skips traces that cannot be played, and counts the draws (2.5).
func TestUnusableDraws(t *testing.T) {
	config := sched.DefaultConfig()
	config.Concurrency, config.AllowWrap, config.NumSessions = 3, true, 2
	machine, err := sched.New(config, []*corpus.Plan{{Trace: "empty"}, spanPlan("B")})
	if err != nil {
		t.Fatal(err)
	}
	var skipped, drawn []int64
	for _, event := range machine.Step(0, sched.Start()) {
		switch p := event.Payload.(type) {
		case *sched.TraceSkipped:
			skipped = append(skipped, p.Draw)
			if p.Why != "no_turns" {
				t.Errorf("skipped because of %s", p.Why)
			}
		case *sched.TraceDrawn:
			drawn = append(drawn, p.Draw)
		}
	}
	if machine.Lanes() != 3 || len(drawn) != 3 || len(skipped) != 3 || skipped[2] != 4 || drawn[2] != 5 {
		t.Errorf("%d lanes, drawn %v, skipped %v", machine.Lanes(), drawn, skipped)
	}
}

// TestInputsOutOfPlace does no harm: inputs before the start, ends of unknown exchanges, a second
// start, anything after the end.
func TestInputsOutOfPlace(t *testing.T) {
	machine, err := sched.New(sched.DefaultConfig(), []*corpus.Plan{spanPlan("A")})
	if err != nil {
		t.Fatal(err)
	}
	if got := machine.Step(0, sched.Wake()); len(got) != 0 {
		t.Errorf("a wake before the start gives %d events", len(got))
	}
	if got := machine.Step(0, sched.Start()); len(got) == 0 {
		t.Error("the start gives nothing")
	}
	for _, input := range []sched.Input{sched.Start(), sched.Ended(99, 0, sched.OutcomeOK, true), sched.FirstToken(99, 0)} {
		if got := machine.Step(0, input); len(got) != 0 {
			t.Errorf("%+v gives %d events", input, len(got))
		}
	}
	machine.Step(1, sched.Abort(sched.ReasonUser))
	if !machine.Done() {
		t.Error("not done after an abort")
	}
	if got := machine.Step(2, sched.Stop(sched.ReasonUser)); len(got) != 0 {
		t.Errorf("an input after the end gives %d events", len(got))
	}
	if _, ok := machine.NextWake(); ok {
		t.Error("a timer is left after the end")
	}
}

// TestDueBy: who asks how many timers come at one instant can have their step ready ahead of it. Here two trees
// begin a pause of 1,000 s at one instant, which their watchdogs end after 2 s.
func TestDueBy(t *testing.T) {
	limit := int64(2e9)
	config := sched.DefaultConfig()
	config.Concurrency, config.NumSessions, config.AllowWrap, config.BurstPhaseStarts, config.TraceIdleCapNs = 2, 2, true, true, &limit
	ratios(&config, 0.1, 0.1)
	plan := spanPlan("A")
	turns := &plan.Conversations[0].Turns
	*turns = append(*turns, corpus.Turn{TMs: 2e6, GapMs: 1e6, Emitted: 1})
	machine, err := sched.New(config, []*corpus.Plan{plan})
	if err != nil {
		t.Fatal(err)
	}
	inputs := []sched.Input{sched.Start()}
	for len(inputs) > 0 { // each request ends at once
		input := inputs[0]
		inputs = inputs[1:]
		for _, event := range machine.Step(0, input) {
			if event.Kind == sched.KindDispatch {
				inputs = append(inputs, sched.Ended(event.Exchange, 0, sched.OutcomeOK, true))
			}
		}
	}
	at, _ := machine.NextWake()
	if before, by := machine.DueBy(at-1), machine.DueBy(at); at != limit || before != 0 || by != 2 {
		t.Errorf("next at %d ns, %d timers before, %d by then; want two watchdogs at %d ns", at, before, by, limit)
	}
	if all := machine.DueBy(1000e9); all != 4 {
		t.Errorf("%d timers by the end of the pauses, want the turns and their watchdogs", all)
	}
}
