package run

import (
	"fmt"

	"agentx/internal/scenario"
)

// inject follows a scenario's injections: in the options, and in the settings that the log gets.
func (o *Options) inject(injections []scenario.Injection) error {
	for _, injection := range injections {
		if injection.Fresh {
			continue // the run draws it and logs it
		}
		if err := o.set(injection.Setting, injection.Value); err != nil {
			return fmt.Errorf("scenario %s: filling in %s: %w", o.Scenario, injection.Setting, err)
		}
	}
	return nil
}

// set changes one setting by its flag's name. It knows those that scenarios and series fill in.
func (o *Options) set(name string, value any) error {
	known := false
	switch value := value.(type) {
	case bool:
		known = assign(o.switches(), name, value)
	case float64:
		known = assign(o.numbers(), name, value)
	case int:
		known = assign(o.counts(), name, value)
	case int64:
		known = assign(map[string]*int64{"random-seed": &o.Seed}, name, value)
	case string:
		if known = assign(map[string]*string{"cache-bust": &o.Load.CacheBust}, name, value); !known && name == "extra-inputs" {
			o.Server.ExtraInputs = append(o.Server.ExtraInputs[:len(o.Server.ExtraInputs):len(o.Server.ExtraInputs)], value)
			o.record(name, o.Server.ExtraInputs)
			return nil
		}
	}
	if !known {
		return fmt.Errorf("no setting of that name takes %v", value)
	}
	o.record(name, value)
	return nil
}

func (o *Options) switches() map[string]*bool {
	return map[string]*bool{"streaming": &o.Server.Streaming, "use-server-token-count": &o.Results.UseServerTokens}
}

func (o *Options) numbers() map[string]*float64 {
	return map[string]*float64{
		"benchmark-duration":            &o.Load.Duration,
		"benchmark-grace-period":        &o.Load.Grace,
		"trajectory-start-min-ratio":    &o.Load.StartMinRatio,
		"trajectory-start-max-ratio":    &o.Load.StartMaxRatio,
		"system-idle-gap-cap-seconds":   &o.Load.SystemIdleCap,
		"trace-idle-gap-cap-seconds":    &o.Load.TraceIdleCap,
		"failed-request-threshold":      &o.Load.FailedThreshold,
		"agentic-warmup-grace-period":   &o.Load.WarmupGrace,
		"agentic-cache-warmup-duration": &o.Load.CacheWarmup,
		"slice-duration":                &o.Results.SliceDuration,
		"stats-interval":                &o.StatsInterval,
	}
}

func (o *Options) counts() map[string]*int {
	return map[string]*int{"warmup-requests-per-lane": &o.Load.WarmupPerLane, "concurrency": &o.Load.Concurrency}
}

func assign[T any](places map[string]*T, name string, value T) bool {
	place, known := places[name]
	if known {
		*place = value
	}
	return known
}

// record notes a setting's resolved value for the log. Settings are a copy of their own in each run.
func (o *Options) record(name string, value any) {
	if o.Settings == nil {
		o.Settings = map[string]any{}
	}
	o.Settings[name] = value
}
