package scenario

import (
	"slices"
	"strings"
	"testing"
)

// alias is the content of a bundle built from the pinned data set.
func alias() Content {
	return Content{Loader: ExampleAlias, Repository: PinnedRepository, Pinned: true}
}

// flags is a command line: names with values; a nil value takes the flag out again.
func input(content Content, flags map[string]any) Input {
	in := Input{Name: MVP, Settings: map[string]any{
		"streaming": true, "cache-bust": "none", "benchmark-duration": -1.0, "system-idle-gap-cap-seconds": -1.0,
		"trajectory-start-min-ratio": 0.25, "trajectory-start-max-ratio": 0.75, "random-seed": -1.0,
	}, Content: content, Trials: 1}
	for name, value := range flags {
		switch name {
		case "unsafe-override":
			in.Override = true
		case "num-profile-runs":
			in.Trials = value.(int)
		case "sweep":
			in.Sweep = true
		default:
			in.Settings[name] = value
			in.Explicit = append(in.Explicit, name)
		}
	}
	return in
}

func injected(o *Outcome, setting string) (any, bool) {
	for _, injection := range o.Injections {
		if injection.Setting == setting {
			return injection.Value, true
		}
	}
	return nil, false
}

func judged(t *testing.T, in Input) *Outcome {
	t.Helper()
	outcome, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

// flagVector is a command line with what it violates: want lists the violations in order as flag=got.
type flagVector struct {
	name    string
	content Content
	flags   map[string]any
	want    []string
}

// flagVectors are the flag vectors of spec scenario 10, as decided.
func flagVectors() []flagVector {
	limit, capped := int64(50), 5.0
	local := Content{Loader: LoaderLocal}
	with := func(change func(*Content)) Content {
		content := alias()
		change(&content)
		return content
	}
	return []flagVector{
		{"1 duration 900", alias(), map[string]any{"benchmark-duration": 900.0}, nil},
		{"2 no duration", alias(), nil, nil},
		{"3 no recording", Content{}, nil, []string{"--input-file (loader)=synthetic"}},
		{"5 duration 60", alias(), map[string]any{"benchmark-duration": 60.0}, []string{"--benchmark-duration=60"}},
		{"7 duration 899.5", alias(), map[string]any{"benchmark-duration": 899.5}, []string{"--benchmark-duration=899.5"}},
		{"9 ignore_eos false", alias(), map[string]any{"extra-inputs": []string{"ignore_eos:false"}}, []string{"--extra-inputs ignore_eos=false"}},
		{"9 ignore_eos 0", alias(), map[string]any{"extra-inputs": []any{"ignore_eos:0"}}, []string{"--extra-inputs ignore_eos=0"}},
		{"9 ignore_eos null", alias(), map[string]any{"extra-inputs": []string{"ignore_eos:null"}}, nil},
		{"9 ignore_eos maybe", alias(), map[string]any{"extra-inputs": []string{"ignore_eos:maybe"}}, []string{"--extra-inputs ignore_eos=maybe"}},
		{"9 ignore_eos in an object", alias(), map[string]any{"extra-inputs": []string{`{"ignore_eos": true, "top_p": 1}`}}, nil},
		{"10 streaming false", alias(), map[string]any{"streaming": false}, []string{"--streaming=false"}},
		{"10 no-streaming", alias(), map[string]any{"no-streaming": true}, []string{"--streaming=false"}},
		{"11 ignore trace delays", alias(), map[string]any{"ignore-trace-delays": true}, []string{"--ignore-trace-delays=true"}},
		{"11 a bundle without delays", with(func(c *Content) { c.IgnoreTraceDelays = true }), nil, []string{"agentx-prep build --ignore-trace-delays=true"}},
		{"12 trace idle cap is allowed", alias(), map[string]any{"trace-idle-gap-cap-seconds": 5.0}, nil},
		{"12 inter turn cap", alias(), map[string]any{"inter-turn-delay-cap-seconds": 5.0}, []string{"--inter-turn-delay-cap-seconds=5"}},
		{"12 inter turn cap 0", alias(), map[string]any{"inter-turn-delay-cap-seconds": 0.0}, []string{"--inter-turn-delay-cap-seconds=0"}},
		{"12 a capped bundle", with(func(c *Content) { c.InterTurnCapSeconds = &capped }), nil, []string{"agentx-prep build --inter-turn-delay-cap-seconds=5"}},
		{"12 system gap 5", alias(), map[string]any{"system-idle-gap-cap-seconds": 5.0}, []string{"--system-idle-gap-cap-seconds=5"}},
		{"12 system gap 10", alias(), map[string]any{"system-idle-gap-cap-seconds": 10.0}, nil},
		{"13 cache bust none", alias(), map[string]any{"cache-bust": "none"}, []string{"--cache-bust=none"}},
		{"13 cache bust system prefix", alias(), map[string]any{"cache-bust": "system-prefix"}, []string{"--cache-bust=system_prefix"}},
		{"13 cache bust first turn prefix", alias(), map[string]any{"cache-bust": "first-turn-prefix"}, nil},
		{"14 request rate", alias(), map[string]any{"request-rate": 5.0}, []string{"--request-rate / --user-centric-rate / --fixed-schedule=poisson"}},
		{"14 fixed schedule", alias(), map[string]any{"fixed-schedule": true}, []string{"--request-rate / --user-centric-rate / --fixed-schedule=fixed_schedule"}},
		{"14 arrival pattern alone", alias(), map[string]any{"arrival-pattern": "constant"}, []string{"--request-rate / --user-centric-rate / --fixed-schedule=constant"}},
		{"14 adaptive scale", alias(), map[string]any{"adaptive-scale": true}, []string{"--adaptive-scale=adaptive_scale"}},
		{"15 max isl", alias(), map[string]any{"synthesis-max-isl": 100.0}, []string{"--synthesis-max-isl=100"}},
		{"15 max osl", alias(), map[string]any{"synthesis-max-osl": 100.0}, nil},
		{"17 an alias that is not accepted", Content{Loader: "semianalysis_cc_traces_weka", Pinned: true}, nil, []string{"agentx-prep build --public-dataset (loader)=semianalysis_cc_traces_weka"}},
		{"18 pinned repository", Content{Loader: LoaderHub, Repository: PinnedRepository, Pinned: true}, nil, nil},
		{"18 another repository", Content{Loader: LoaderHub, Repository: PinnedRepository + "-256k", Pinned: true}, nil, []string{"agentx-prep build --hf-weka-dataset=" + PinnedRepository + "-256k"}},
		{"19 local files", local, nil, []string{"agentx-prep build --custom-dataset-type / --input-file=weka_trace (local, unpinned)"}},
		{"20 local files, truncated", Content{Loader: LoaderLocal, MaxISL: &limit}, nil,
			[]string{"agentx-prep build --synthesis-max-isl=50", "agentx-prep build --custom-dataset-type / --input-file=weka_trace (local, unpinned)"}},
		{"21 six at once", alias(), map[string]any{
			"benchmark-duration": 60.0, "cache-bust": "none", "ignore-trace-delays": true, "extra-inputs": []string{"ignore_eos:false"},
			"system-idle-gap-cap-seconds": 3.0, "request-rate": 2.0},
			[]string{"--request-rate / --user-centric-rate / --fixed-schedule=poisson", "--extra-inputs ignore_eos=false", "--ignore-trace-delays=true",
				"--cache-bust=none", "--benchmark-duration=60", "--system-idle-gap-cap-seconds=3"}},
		{"22 three runs", alias(), map[string]any{"num-profile-runs": 3}, nil},
		{"23 what is not locked", alias(), map[string]any{"use-think-time-only": true, "trajectory-start-min-ratio": 0.25, "trajectory-start-max-ratio": 0.5, "request-count": 50.0}, nil},
		{"a copy by hand", with(func(c *Content) { c.Pinned = false }), nil, []string{"agentx-prep build --mirror=" + ExampleAlias + " (unproved copy)"}},
	}
}

func TestVectors(t *testing.T) {
	for _, c := range flagVectors() {
		t.Run(c.name, func(t *testing.T) {
			outcome := judged(t, input(c.content, c.flags))
			var got []string
			for _, v := range outcome.Violations {
				got = append(got, v.Flag+"="+v.Got)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("violations %q, want %q", got, c.want)
			}
			if (outcome.Err() == nil) != (len(c.want) == 0) || outcome.Valid() != (len(c.want) == 0) {
				t.Errorf("valid %v, error %v", outcome.Valid(), outcome.Err())
			}
		})
	}
}

func TestVector1LocksAndInjections(t *testing.T) {
	outcome := judged(t, input(alias(), map[string]any{"benchmark-duration": 900.0}))
	want := []string{"timing_mode", "streaming", "ignore_eos", "forbid_ignore_trace_delays", "forbid_input_truncation", "require_loader",
		"cache_bust", "default_benchmark_duration", "min_benchmark_duration", "trajectory_start_ratios", "system_idle_gap_cap", "random_seed"}
	if !slices.Equal(outcome.Applied, want) {
		t.Errorf("applied %v, want %v", outcome.Applied, want)
	}
	for setting, value := range map[string]any{
		"streaming": true, "extra-inputs": "ignore_eos:true", "cache-bust": "first_turn_prefix", "system-idle-gap-cap-seconds": 10.0,
		"trajectory-start-min-ratio": 0.0, "trajectory-start-max-ratio": 1.0,
	} {
		if got, ok := injected(outcome, setting); !ok || got != value {
			t.Errorf("%s is filled in with %v, want %v", setting, got, value)
		}
	}
	if _, filled := injected(outcome, "benchmark-duration"); filled {
		t.Error("an explicit duration was replaced")
	}
	if seed := outcome.Injections[len(outcome.Injections)-1]; seed.Setting != "random-seed" || !seed.Fresh {
		t.Errorf("the last injection is %+v, want a fresh seed", seed)
	}
}

func TestVector2DefaultDurationComesWithGraceAndWithoutRequestCap(t *testing.T) {
	outcome := judged(t, input(alias(), nil))
	if got, _ := injected(outcome, "benchmark-duration"); got != 1800.0 {
		t.Errorf("duration %v, want 1800", got)
	}
	if got, _ := injected(outcome, "benchmark-grace-period"); got != 30.0 {
		t.Errorf("grace %v, want 30", got)
	}
	if got, capped := injected(outcome, "request-count"); capped {
		t.Errorf("a request cap of %v was filled in", got)
	}
}

func TestVectors4And6And8OverrideBypassesAllButTheMissingRecording(t *testing.T) {
	none := judged(t, input(Content{}, map[string]any{"unsafe-override": true}))
	if err := none.Err(); err == nil || !strings.Contains(err.Error(), "not bypassable") || !strings.Contains(err.Error(), ExampleAlias) {
		t.Errorf("without a recording: %v", none.Err())
	}
	short := judged(t, input(alias(), map[string]any{"unsafe-override": true, "benchmark-duration": 60.0}))
	if short.Err() != nil || short.Valid() || !slices.Equal(short.Reasons(), []string{"unsafe_override"}) || len(short.Warnings()) != 1 {
		t.Errorf("overridden: error %v, reasons %v, warnings %v", short.Err(), short.Reasons(), short.Warnings())
	}
	clean := judged(t, input(alias(), map[string]any{"unsafe-override": true}))
	if !clean.Valid() || len(clean.Reasons()) != 0 || len(clean.Warnings()) != 0 {
		t.Errorf("nothing to override: %+v", clean)
	}
}

func TestVector16SweepIsRefusedOrStampsEveryRun(t *testing.T) {
	if err := judged(t, input(alias(), map[string]any{"sweep": true})).Err(); err == nil || !strings.Contains(err.Error(), "--unsafe-override") {
		t.Errorf("a sweep may start: %v", err)
	}
	outcome := judged(t, input(alias(), map[string]any{"sweep": true, "unsafe-override": true}))
	if outcome.Err() != nil || !slices.Equal(outcome.Reasons(), []string{"scenario_with_sweep"}) {
		t.Errorf("error %v, reasons %v", outcome.Err(), outcome.Reasons())
	}
	if seed, _ := injected(outcome, "random-seed"); seed != int64(42) {
		t.Errorf("seed %v, want 42", seed)
	}
}

func TestVector22SeveralRunsShareSeed42(t *testing.T) {
	outcome := judged(t, input(alias(), map[string]any{"num-profile-runs": 3}))
	if seed, _ := injected(outcome, "random-seed"); seed != int64(42) {
		t.Errorf("seed %v, want 42", seed)
	}
}

func TestVector24UnknownScenarioListsTheKnownOnes(t *testing.T) {
	_, err := Judge(Input{Name: "nope"})
	if err == nil || !strings.Contains(err.Error(), `"nope"`) || !strings.Contains(err.Error(), AgentX+", "+MVP) {
		t.Errorf("error %v", err)
	}
}

func TestRefusalListsEveryViolationInOneError(t *testing.T) {
	outcome := judged(t, input(alias(), map[string]any{"benchmark-duration": 60.0, "cache-bust": "none"}))
	text := outcome.Err().Error()
	for _, part := range []string{"2 conflicts", "--benchmark-duration: got 60, required >=900", "--cache-bust: got none, required first_turn_prefix", "--unsafe-override"} {
		if !strings.Contains(text, part) {
			t.Errorf("the error lacks %q:\n%s", part, text)
		}
	}
}

func TestAgentXPresetYieldsToExplicitFlags(t *testing.T) {
	in := input(alias(), map[string]any{"failed-request-threshold": 0.2, "agentic-cache-warmup-duration": 60.0})
	in.Name = AgentX
	outcome := judged(t, in)
	for setting, value := range map[string]any{
		"benchmark-duration": 3600.0, "trajectory-start-min-ratio": 0.25, "trajectory-start-max-ratio": 0.75, "random-seed": int64(42),
		"agentic-warmup-grace-period": 1800.0, "trace-idle-gap-cap-seconds": 300.0, "use-server-token-count": true, "slice-duration": 1.0, "stats-interval": 30.0,
	} {
		if got, ok := injected(outcome, setting); !ok || got != value {
			t.Errorf("%s is filled in with %v, want %v", setting, got, value)
		}
	}
	for _, setting := range []string{"failed-request-threshold", "warmup-requests-per-lane"} {
		if got, filled := injected(outcome, setting); filled {
			t.Errorf("%s was replaced by %v", setting, got)
		}
	}
}

// TestJudgingResolvedSettingsChangesNothing: an analysis judges the settings as they were resolved,
// injections included, and must come to the same violations.
func TestJudgingResolvedSettingsChangesNothing(t *testing.T) {
	in := input(alias(), map[string]any{"benchmark-duration": 60.0, "cache-bust": "none"})
	before := judged(t, in)
	for _, injection := range before.Injections {
		if !injection.Fresh {
			in.Settings[injection.Setting] = injection.Value
		}
	}
	in.Settings["random-seed"] = 123.0
	if after := judged(t, in); !slices.Equal(before.Violations, after.Violations) {
		t.Errorf("before %v, after %v", before.Violations, after.Violations)
	}
}
