package report

import (
	"math"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

func runInfo(a *measure.Analysis) object {
	var o object
	o.text("benchmark_id", a.Config.BenchmarkID).set("run_id", a.Config.RunID).set("random_seed", a.Config.Seed).set("trial", a.Config.Trial)
	o.set("trials", max(a.Config.Trials, 1))
	if lanes, known := a.Settings.Float("concurrency"); known && a.Settings.Bool("sweep") {
		var values object
		values.set("concurrency", lanes)
		o.set("variation_label", "concurrency="+strconv.FormatFloat(lanes, 'f', -1, 64)).set("variation_values", values)
	} else {
		o.set("variation_label", "base")
	}
	o.set("cli_command", strings.Join(a.Config.Args, " "))
	if len(a.Config.Env) > 0 {
		o.set("environment", a.Config.Env)
	}
	return o
}

// inputConfig is the resolved configuration: what the scenario filled in is in it. Endpoint, phases and slos are
// what readers of the peer's files look for, settings are all flags under our names.
func inputConfig(a *measure.Analysis) object {
	var o, endpoint object
	endpoint.set("type", "chat").set("urls", a.Config.URLs).set("streaming", a.Settings.Bool("streaming"))
	o.set("models", a.Config.Models).set("urls", a.Config.URLs).set("endpoint", endpoint).set("phases", phasesOf(a))
	if slos := slosOf(a); len(slos) > 0 {
		o.set("slos", slos)
	}
	o.set("settings", map[string]any(a.Settings))
	if a.Config.Explicit != nil {
		o.set("explicit", a.Config.Explicit)
	}
	var bundle object
	bundle.set("key", a.Config.Bundle.Key).set("content_digest", a.Config.Bundle.ContentDigest)
	o.set("bundle", bundle).text("scenario", a.Config.Scenario).set("unsafe_override", a.Settings.Bool("unsafe-override"))
	if len(a.Config.Labels) > 0 {
		o.set("labels", a.Config.Labels)
	}
	return o
}

// phasesOf is the profiling phase as the peer's configuration has it; what was not set is left out.
func phasesOf(a *measure.Analysis) []object {
	var o object
	o.set("name", "profiling").set("kind", "profiling").set("type", "concurrency").set("timing_mode", "agentic_replay")
	for _, setting := range [...]struct{ key, flag string }{
		{"concurrency", "concurrency"}, {"duration", "benchmark-duration"}, {"grace_period", "benchmark-grace-period"},
		{"requests", "request-count"}, {"sessions", "num-sessions"},
		{"trajectory_start_min_ratio", "trajectory-start-min-ratio"}, {"trajectory_start_max_ratio", "trajectory-start-max-ratio"},
		{"system_idle_gap_cap_seconds", "system-idle-gap-cap-seconds"},
	} {
		if value, known := a.Settings.Float(setting.flag); known && value >= 0 && !math.IsInf(value, 0) {
			o.set(setting.key, value)
		}
	}
	return []object{*o.set("burst_phase_starts", a.Settings.Bool("burst-phase-starts"))}
}

// slosOf are the limits of --goodput by metric, in display units.
func slosOf(a *measure.Analysis) object {
	var o object
	for _, objective := range a.Basis.Objectives {
		o.set(objective.Tag, objective.Limit)
	}
	return o
}
