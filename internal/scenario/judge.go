package scenario

import (
	"fmt"
	"strings"
)

// Input is what a scenario judges.
type Input struct {
	Name     string
	Override bool           // --unsafe-override: violations become warnings
	Settings map[string]any // by flag name
	Explicit []string       // flags that the user gave
	Content  Content        // of the bundle
	Sweep    bool           // several values of a flag make several runs
	Trials   int            // runs of the same configuration
}

// Injection is a setting that the scenario fills in.
type Injection struct {
	Setting   string
	Value     any    // nil with Fresh
	Fresh     bool   // random-seed: to be drawn, and logged
	UnlessSet string // not filled in where this other setting is given
}

// Violation is a rule that is broken.
type Violation struct {
	Rule       string
	Flag       string // as the user would give it
	Got        string
	Required   string
	Message    string
	Unbypassed bool // --unsafe-override does not help
}

// String is the violation in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: got %s, required %s (%s)", v.Flag, v.Got, v.Required, v.Message)
}

// Outcome is the judgement.
type Outcome struct {
	Scenario   string
	Applied    []string // rules that hold or were filled in, in the order of their checks
	Injections []Injection
	Violations []Violation
	Sweep      bool // the run is one of several that differ in a flag
	Override   bool
}

// Valid reports whether the run can still count as a valid submission.
func (o *Outcome) Valid() bool { return len(o.Violations) == 0 && !o.Sweep }

// Reasons says why not, in the words of the exports (spec scenario 4).
func (o *Outcome) Reasons() []string {
	var reasons []string
	if len(o.Violations) > 0 {
		reasons = append(reasons, "unsafe_override")
	}
	if o.Sweep {
		reasons = append(reasons, "scenario_with_sweep")
	}
	return reasons
}

// Judge applies a scenario's locks. It gathers everything; Outcome.Err says whether the run may start.
// The error is that of an unknown scenario.
func Judge(in Input) (*Outcome, error) {
	preset, err := presetOf(in.Name)
	if err != nil {
		return nil, err
	}
	j := &judge{in: in, preset: preset, out: &Outcome{Scenario: in.Name, Sweep: in.Sweep, Override: in.Override}}
	for _, rule := range j.rules() {
		if rule.check() && rule.tag != "" {
			j.out.Applied = append(j.out.Applied, rule.tag)
		}
	}
	return j.out, nil
}

// Err is nil where the run may start: nothing is broken, or all of it may be overridden and is.
func (o *Outcome) Err() error {
	if o.Sweep && !o.Override {
		return fmt.Errorf("scenario %s: several values of one flag make several runs, but the scenario is one run: give one value, or pass --unsafe-override to run them all with submission_valid=false", o.Scenario)
	}
	if len(o.Violations) == 0 {
		return nil
	}
	hint := "pass --unsafe-override to turn these into warnings; the run will then be submission_valid=false"
	for _, v := range o.Violations {
		if v.Unbypassed {
			hint = fmt.Sprintf("not bypassable with --unsafe-override: build a bundle with agentx-prep build --public-dataset %s (or --hf-weka-dataset %s)", ExampleAlias, PinnedRepository)
			return o.refusal(hint)
		}
	}
	if o.Override {
		return nil
	}
	return o.refusal(hint)
}

func (o *Outcome) refusal(hint string) error {
	conflicts := "1 conflict"
	if n := len(o.Violations); n != 1 {
		conflicts = fmt.Sprintf("%d conflicts", n)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "scenario %s: %s", o.Scenario, conflicts)
	for _, v := range o.Violations {
		fmt.Fprintf(&text, "\n  - %s", v)
	}
	fmt.Fprintf(&text, "\n%s", hint)
	return &RefusedError{Outcome: o, text: text.String()}
}

// RefusedError says that a scenario does not let the run start.
type RefusedError struct {
	Outcome *Outcome
	text    string
}

func (e *RefusedError) Error() string { return e.text }

// Warnings are the lines to show where violations are overridden.
func (o *Outcome) Warnings() []string {
	var lines []string
	if !o.Override {
		return nil
	}
	for _, v := range o.Violations {
		lines = append(lines, "override active: "+v.String())
	}
	if o.Sweep {
		lines = append(lines, "override active: several runs under scenario "+o.Scenario+"; none of them is a valid submission")
	}
	return lines
}
