package scenario

import (
	"fmt"
	"strings"
)

// judge collects while the rules are checked in their order (spec scenario 2).
type judge struct {
	in     Input
	preset preset
	out    *Outcome
}

// rule is one lock. check records injections and violations; true means that the rule holds. A rule
// without a tag is not listed among those that hold, as the peer lists them.
type rule struct {
	tag   string
	check func() bool
}

func (j *judge) rules() []rule {
	return []rule{
		{"timing_mode", j.timing},
		{"streaming", j.streaming},
		{"ignore_eos", j.ignoreEOS},
		{"forbid_ignore_trace_delays", j.traceDelays},
		{"forbid_input_truncation", j.truncation},
		{"require_loader", j.loader},
		{"cache_bust", j.cacheBust},
		{"default_benchmark_duration", j.defaultDuration},
		{"min_benchmark_duration", j.minimumDuration},
		{"trajectory_start_ratios", j.ratios},
		{"", j.interTurnCap},
		{"system_idle_gap_cap", j.systemGap},
		{"random_seed", j.seed},
		{"preset_defaults", j.defaults},
	}
}

func (j *judge) inject(setting string, value any) {
	j.out.Injections = append(j.out.Injections, Injection{Setting: setting, Value: value})
}

func (j *judge) broken(rule, flag, got, required, message string) bool {
	j.out.Violations = append(j.out.Violations, Violation{Rule: rule, Flag: flag, Got: got, Required: required, Message: message})
	return false
}

// timing looks at whether the flags are there, not at what they would do (spec scenario 11.11).
func (j *judge) timing() bool {
	holds := true
	if mode := j.rateMode(); mode != "" {
		holds = j.broken("timing_mode", "--request-rate / --user-centric-rate / --fixed-schedule", mode, "agentic_replay",
			"recorded sessions set the pace; leave out request-rate, arrival-pattern, user-centric-rate and fixed-schedule flags")
	}
	if j.in.given("adaptive-scale") || j.in.on("adaptive-scale") {
		holds = j.broken("timing_mode", "--adaptive-scale", "adaptive_scale", "agentic_replay", "the number of lanes is fixed")
	}
	return holds
}

func (j *judge) rateMode() string {
	given := func(names ...string) bool {
		for _, name := range names {
			if j.in.given(name) {
				return true
			}
		}
		return false
	}
	switch {
	case given("user-centric-rate"):
		return "user_centric"
	case given("fixed-schedule", "fixed-schedule-auto-offset", "fixed-schedule-start-offset", "fixed-schedule-end-offset"):
		return "fixed_schedule"
	case given("request-rate", "arrival-pattern", "request-rate-mode", "arrival-smoothness", "request-rate-ramp-duration", "request-rate-series"):
		for _, name := range []string{"arrival-pattern", "request-rate-mode"} {
			if word := j.in.word(name); word != "" {
				return word
			}
		}
		return "poisson"
	}
	return ""
}

func (j *judge) streaming() bool {
	_, known := j.in.Settings["streaming"]
	off := j.in.given("no-streaming") && j.in.on("no-streaming") || j.in.given("streaming") && known && !j.in.on("streaming")
	if off {
		return j.broken("streaming", "--streaming", "false", "true", "first-token and inter-token latency need streams")
	}
	j.inject("streaming", true)
	return true
}

func (j *judge) ignoreEOS() bool {
	value, found := j.in.extra("ignore_eos")
	switch {
	case !found || value == nil:
		j.inject("extra-inputs", "ignore_eos:true")
		return true
	case value == true:
		return true
	}
	return j.broken("ignore_eos", "--extra-inputs ignore_eos", show(value), "true", "recorded output lengths must be generated in full")
}

// traceDelays and the rules on content judge the bundle exactly as flags (decision 17).
func (j *judge) traceDelays() bool {
	if j.in.Content.IgnoreTraceDelays {
		return j.broken("forbid_ignore_trace_delays", "agentx-prep build --ignore-trace-delays", "true", "false",
			"recorded pauses are replayed; the bundle was built without them")
	}
	if j.in.on("ignore-trace-delays") {
		return j.broken("forbid_ignore_trace_delays", "--ignore-trace-delays", "true", "false",
			"recorded pauses are replayed; the flag would send turns back to back")
	}
	return true
}

func (j *judge) truncation() bool {
	if limit := j.in.Content.MaxISL; limit != nil {
		return j.broken("forbid_input_truncation", "agentx-prep build --synthesis-max-isl", fmt.Sprint(*limit), "none", "drops long traces")
	}
	if value, set := j.in.number("synthesis-max-isl"); set {
		return j.broken("forbid_input_truncation", "--synthesis-max-isl", show(value), "none", "drops long traces")
	}
	return true
}

func (j *judge) loader() bool {
	content := j.in.Content
	accepted := aliases()
	switch loader := content.Loader; {
	case loader == "" || loader == LoaderSynthetic:
		j.out.Violations = append(j.out.Violations, Violation{
			Rule: "require_loader", Flag: "--input-file (loader)", Got: LoaderSynthetic,
			Required: "any of [" + strings.Join(Loaders(), ", ") + "]",
			Message:  "no recording was given, and synthetic prompts are the default then; --unsafe-override cannot bypass this", Unbypassed: true,
		})
		return false
	case loader == LoaderLocal:
		return j.broken("require_loader", "agentx-prep build --custom-dataset-type / --input-file", "weka_trace (local, unpinned)",
			ExampleAlias+" or "+PinnedRepository, "the corpus cannot be identified; use an alias or the pinned repository, or --unsafe-override for smoke tests")
	case loader == LoaderHub && content.Repository != PinnedRepository:
		return j.broken("require_loader", "agentx-prep build --hf-weka-dataset", content.Repository, PinnedRepository, "only this repository is allowed")
	case loader != LoaderHub && accepted[loader] == "":
		return j.broken("require_loader", "agentx-prep build --public-dataset (loader)", loader,
			"any of ["+strings.Join(Loaders(), ", ")+"]", "the scenario needs one of these recordings")
	case !content.Pinned:
		return j.broken("require_loader", "agentx-prep build --mirror", loader+" (unproved copy)", "the files of "+loader+" as the hub states them",
			"a copy counts only with fetch's record and matching digests")
	}
	return true
}

func (j *judge) cacheBust() bool {
	if target := j.in.word("cache-bust"); j.in.given("cache-bust") && target != CacheBustTarget {
		return j.broken("cache_bust", "--cache-bust", target, CacheBustTarget, "plays of one trace must not share a prefix")
	}
	j.inject("cache-bust", CacheBustTarget)
	return true
}

func (j *judge) defaultDuration() bool {
	if _, set := j.in.number("benchmark-duration"); !set {
		j.inject("benchmark-duration", j.preset.duration)
		if !j.in.given("benchmark-grace-period") {
			j.inject("benchmark-grace-period", 30.0)
		}
	}
	return true
}

func (j *judge) minimumDuration() bool {
	if seconds, set := j.in.number("benchmark-duration"); set && seconds < MinimumSeconds {
		return j.broken("min_benchmark_duration", "--benchmark-duration", show(seconds), ">=900", "steady state and KV offloading need 900 s at least")
	}
	return true
}

func (j *judge) ratios() bool {
	if !j.in.given("trajectory-start-min-ratio") {
		j.inject("trajectory-start-min-ratio", j.preset.minRatio)
	}
	if !j.in.given("trajectory-start-max-ratio") {
		j.inject("trajectory-start-max-ratio", j.preset.maxRatio)
	}
	return true
}

func (j *judge) interTurnCap() bool {
	if limit := j.in.Content.InterTurnCapSeconds; limit != nil {
		return j.broken("inter_turn_delay_cap", "agentx-prep build --inter-turn-delay-cap-seconds", show(*limit), "none", "recorded pauses are kept")
	}
	if limit, set := j.in.number("inter-turn-delay-cap-seconds"); set {
		return j.broken("inter_turn_delay_cap", "--inter-turn-delay-cap-seconds", show(limit), "none", "recorded pauses are kept")
	}
	return true
}

func (j *judge) systemGap() bool {
	gap, set := j.in.number("system-idle-gap-cap-seconds")
	if !set {
		j.inject("system-idle-gap-cap-seconds", SystemIdleGapCap)
		return true
	}
	if gap != SystemIdleGapCap {
		return j.broken("system_idle_gap_cap", "--system-idle-gap-cap-seconds", show(gap), "10", "only time in which the whole system is idle is limited, to 10 s")
	}
	return true
}

// seed leaves 42 to several runs of one configuration, as the peer does, and draws a fresh one else.
func (j *judge) seed() bool {
	if _, set := j.in.number("random-seed"); set && j.in.given("random-seed") {
		return true
	}
	switch {
	case j.preset.seed != nil:
		j.inject("random-seed", *j.preset.seed)
	case j.in.Trials > 1 || j.in.Sweep:
		j.inject("random-seed", int64(42))
	default:
		j.out.Injections = append(j.out.Injections, Injection{Setting: "random-seed", Fresh: true})
	}
	return true
}

// defaults are those of the preset that yield to explicit flags; false where it has none.
func (j *judge) defaults() bool {
	for _, injection := range j.preset.more {
		if j.in.given(injection.Setting) || injection.UnlessSet != "" && j.in.given(injection.UnlessSet) {
			continue
		}
		j.inject(injection.Setting, injection.Value)
	}
	return len(j.preset.more) > 0
}
