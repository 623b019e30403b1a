package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentx/internal/scenario"
)

// judge applies the scenario to the settings and to what the bundle says of its content, before anything
// is sent: it fills in what is open, and refuses or warns of what is broken (spec scenario 2).
func (o *Options) judge(content scenario.Content) error {
	if o.Scenario == "" {
		if o.UnsafeOverride {
			o.note("info", "no_scenario", "--unsafe-override has no effect without --scenario")
		}
		return nil
	}
	outcome, err := scenario.Judge(scenario.Input{
		Name: o.Scenario, Override: o.UnsafeOverride, Settings: o.Settings, Explicit: o.Explicit,
		Content: content, Sweep: len(o.Series.Concurrencies) > 1, Trials: o.trialsOfOneSeed(),
	})
	if err != nil {
		return err
	}
	if err := outcome.Err(); err != nil {
		return err
	}
	if err := o.inject(outcome.Injections); err != nil {
		return err
	}
	o.note("info", "scenario", applied(outcome))
	for _, warning := range outcome.Warnings() {
		o.note("warning", "unsafe_override", warning)
	}
	if len(outcome.Violations) > 0 {
		o.note("warning", "unsafe_override", "the run will be submission_valid=false: "+strings.Join(outcome.Reasons(), ", "))
	}
	return nil
}

// trialsOfOneSeed is how many runs of one configuration share a seed that is filled in.
func (o *Options) trialsOfOneSeed() int {
	if o.Series.FreshSeeds {
		return 1
	}
	return o.Series.Runs
}

// applied tells which locks hold and what was filled in.
func applied(outcome *scenario.Outcome) string {
	text := fmt.Sprintf("scenario %s: locks %s", outcome.Scenario, strings.Join(outcome.Applied, ", "))
	var filled []string
	for _, injection := range outcome.Injections {
		value := fmt.Sprint(injection.Value)
		if injection.Fresh {
			value = "a fresh one"
		}
		filled = append(filled, injection.Setting+"="+value)
	}
	if len(filled) > 0 {
		text += "; filled in " + strings.Join(filled, ", ")
	}
	return text
}

func (o *Options) note(level, code, text string) {
	note := Note{level, code, text}
	if !slices.Contains(o.Notes, note) {
		o.Notes = append(o.Notes, note)
	}
}

// checkResolved refuses what cannot work together once everything is filled in.
func (o *Options) checkResolved() error {
	var problems []error
	if o.Server.PerChunkUsage && !o.Server.Streaming {
		problems = append(problems, errors.New("--per-chunk-usage needs streamed answers: leave out --no-streaming"))
	}
	if o.given("benchmark-grace-period") && o.Load.Duration < 0 {
		problems = append(problems, errors.New("--benchmark-grace-period has no effect without --benchmark-duration: give both or none"))
	}
	return errors.Join(problems...)
}

// given reports whether the user set the flag.
func (o *Options) given(flag string) bool { return slices.Contains(o.Explicit, flag) }
