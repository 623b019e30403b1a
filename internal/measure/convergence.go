package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// ConvergenceMode is how it is told that repetitions agree well enough (spec exports 8).
type ConvergenceMode string

// The modes.
const (
	// ConvergedByInterval: the whole width of the t interval, as a share of the mean, is below the threshold.
	ConvergedByInterval ConvergenceMode = "ci_width"
	// ConvergedBySpread: the coefficient of variation is below the threshold.
	ConvergedBySpread ConvergenceMode = "cv"
)

// ConvergenceModes lists the modes.
func ConvergenceModes() []ConvergenceMode {
	return []ConvergenceMode{ConvergedByInterval, ConvergedBySpread}
}

// DefaultThreshold is the share below which a mode calls repetitions converged.
func (m ConvergenceMode) DefaultThreshold() float64 {
	if m == ConvergedBySpread {
		return 0.05
	}
	return 0.10
}

// ConvergenceMinimum is the least number of runs that can be called converged.
const ConvergenceMinimum = 3

// ConvergenceRule says on which number repetitions have to agree, and how well.
type ConvergenceRule struct {
	Tag       string
	Statistic string // avg, p50, p99 …
	Mode      ConvergenceMode
	Threshold float64
}

// Check refuses a rule about a metric or a statistic that no file has.
func (rule *ConvergenceRule) Check() error {
	d, known := Lookup(Definitions(), rule.Tag)
	if !known || d.Own {
		return fmt.Errorf("%q is no metric of the aggregate: docs/metrics.md lists them", rule.Tag)
	}
	shape := ShapeScalar
	switch d.Family {
	case FamilyRecord, FamilyError, FamilyPooled:
		shape = ShapeDistribution
	case FamilyWeighted:
		shape = ShapeWeighted
	case FamilyAdjusted:
		shape = ShapeAdjusted
	case FamilyRatio:
		shape = ShapeRatio
	}
	names := slices.DeleteFunc(StatisticNames(), func(name string) bool {
		_, has := (&Stats{Shape: shape}).Statistic(name)
		return !has
	})
	if !slices.Contains(names, rule.Statistic) {
		return fmt.Errorf("%s has no statistic %q: expected one of %s", rule.Tag, rule.Statistic, strings.Join(names, ", "))
	}
	return nil
}

// Convergence is what a rule says of some runs.
type Convergence struct {
	ConvergenceRule
	Runs    int     // that have the number
	Value   float64 // width or spread as a share of the mean; NaN with fewer than two runs
	Reached bool
}

// Judge holds runs against the rule.
func (rule *ConvergenceRule) Judge(runs []*Analysis, level float64) Convergence {
	var values []float64
	for _, run := range runs {
		if result, ok := run.Compatible.Get(rule.Tag); ok {
			if value, ok := result.Stats.Statistic(rule.Statistic); ok {
				values = append(values, value)
			}
		}
	}
	c := Convergence{ConvergenceRule: *rule, Value: math.NaN()}
	interval, ok := Confidence(values, level)
	if !ok {
		return c
	}
	if c.Runs = interval.N; c.Runs > 1 {
		c.Value = interval.Spread(rule.Mode)
	}
	c.Reached = c.Runs >= ConvergenceMinimum && c.Value < rule.Threshold
	return c
}

// Spread is the width of the interval, or its coefficient of variation, as a share of the mean.
func (i *Interval) Spread(mode ConvergenceMode) float64 {
	switch {
	case mode == ConvergedBySpread:
		return i.CV
	case i.High == i.Low:
		return 0
	default:
		return (i.High - i.Low) / math.Abs(i.Mean)
	}
}

// String is the rule's outcome in words.
func (c *Convergence) String() string {
	what := "the interval of " + c.Tag + " " + c.Statistic + " is"
	if c.Mode == ConvergedBySpread {
		what = "the coefficient of variation of " + c.Tag + " " + c.Statistic + " is"
	}
	if math.IsNaN(c.Value) {
		return fmt.Sprintf("%s not known after %d runs", what, c.Runs)
	}
	return fmt.Sprintf("%s %.1f %% of the mean after %d runs, limit %.1f %%", what, 100*c.Value, c.Runs, 100*c.Threshold)
}
