package compare

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// Threshold is a limit that B must keep against A, as in time_to_first_token.p99>+5%.
type Threshold struct {
	Text     string
	Tag      string
	Figure   string  // avg, p50 … of the metric
	Above    bool    // reached when the change is above the limit, else below it
	Limit    float64 // a share with Relative, else in the metric's unit
	Relative bool
}

var thresholdForm = regexp.MustCompile(`^\s*([a-z0-9_]+)(?:\.([a-z0-9]+))?\s*([<>])\s*([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(%?)\s*$`)

// ParseThreshold reads a threshold: metric[.statistic], > or <, the change of B against A: relative with
// a percent sign, else in the metric's unit. The statistic is avg unless given.
func ParseThreshold(text string) (Threshold, error) {
	found := thresholdForm.FindStringSubmatch(text)
	if found == nil {
		return Threshold{}, fmt.Errorf("threshold %q: expected metric.statistic>+5%%, as in time_to_first_token.p99>+5%% or request_throughput<-2%%", text)
	}
	t := Threshold{Text: strings.TrimSpace(text), Tag: found[1], Figure: found[2], Above: found[3] == ">", Relative: found[5] == "%"}
	if t.Figure == "" {
		t.Figure = "avg"
	}
	if _, known := measure.Lookup(measure.Definitions(), t.Tag); !known {
		return t, fmt.Errorf("threshold %q: there is no metric %s; docs/metrics.md lists them", text, t.Tag)
	}
	if _, known := statisticOf(&measure.Stats{Shape: measure.ShapeDistribution}, t.Figure); !known {
		return t, fmt.Errorf("threshold %q: there is no statistic %s: expected avg, min, max, std or a percentile such as p99", text, t.Figure)
	}
	limit, err := strconv.ParseFloat(found[4], 64)
	if err != nil {
		return t, fmt.Errorf("threshold %q: %w", text, err)
	}
	t.Limit = limit
	if t.Relative {
		t.Limit /= 100
	}
	return t, nil
}

// Check is what a threshold says of a comparison.
type Check struct {
	Threshold
	A, B    float64
	Change  float64 // as the limit is: a share or a difference; NaN where it cannot be told
	Reached bool
	Sure    bool   // the nearer end of the interval reaches it too
	Reason  string // why it cannot be told
}

// Check holds a comparison against a threshold. A figure that a side does not have counts as reached: a
// check that cannot be made is not passed.
func (c *Comparison) Check(t Threshold) Check {
	check := Check{Threshold: t, A: math.NaN(), B: math.NaN(), Change: math.NaN()}
	var values [2][]float64
	for side := range c.Sides {
		for _, a := range c.Sides[side].Runs {
			if value, ok := figure(a.Own, t.Tag, t.Figure); ok {
				values[side] = append(values[side], value)
			}
		}
	}
	if len(values[sideA]) == 0 || len(values[sideB]) == 0 {
		check.Reached, check.Reason = true, "a side has no "+t.Tag+"."+t.Figure
		return check
	}
	check.A, check.B = mean(values[sideA]), mean(values[sideB])
	check.Change = check.B - check.A
	if t.Relative {
		if check.A == 0 && check.B != 0 {
			check.Reached, check.Reason = true, "A is 0: no relative change"
			return check
		}
		check.Change = 0
		if check.B != check.A {
			check.Change = check.B/check.A - 1
		}
	}
	check.Reached = t.reached(check.Change)
	check.Sure = check.Reached && c.sure(t)
	return check
}

func (t *Threshold) reached(change float64) bool {
	if t.Above {
		return change > t.Limit
	}
	return change < t.Limit
}

// sure reports whether the end of the interval that is nearer to the limit reaches it.
func (c *Comparison) sure(t Threshold) bool {
	for i := range c.Requests {
		row := &c.Requests[i]
		if row.Tag != t.Tag || row.Statistic != t.Figure || math.IsNaN(row.Low) {
			continue
		}
		near := row.Low
		if !t.Above {
			near = row.High
		}
		switch {
		case t.Relative && row.Scale == ScaleRatio:
			return t.reached(near - 1)
		case t.Relative:
			return row.A != 0 && t.reached(near/math.Abs(row.A))
		case row.Scale == ScaleRatio:
			return t.reached(float64(near*row.A) - row.A)
		}
		return t.reached(near)
	}
	return false
}
