package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is what several runs of one configuration say about a number: Student's t interval of the
// mean, with the standard deviation of a sample (spec exports 8).
type Interval struct {
	N               int
	Mean, Std       float64
	Min, Max        float64
	CV              float64 // standard deviation / mean; +Inf where the mean is 0 and the deviation is not
	SE              float64 // standard error of the mean
	Low, High       float64
	T               float64 // critical value; NaN with a single run
	ConfidenceLevel float64
}

// Confidence is the interval of values at a level such as 0.95; false without values. Values that are
// not finite are left out.
func Confidence(values []float64, level float64) (Interval, bool) {
	finite := make([]float64, 0, len(values))
	for _, value := range values {
		if !math.IsNaN(value) && !math.IsInf(value, 0) {
			finite = append(finite, value)
		}
	}
	if len(finite) == 0 {
		return Interval{}, false
	}
	n := float64(len(finite))
	i := Interval{N: len(finite), Mean: sum(finite) / n, Min: finite[0], Max: finite[0], T: math.NaN(), ConfidenceLevel: level}
	squares := make([]float64, len(finite))
	for k, value := range finite {
		i.Min, i.Max = min(i.Min, value), max(i.Max, value)
		squares[k] = float64((value - i.Mean) * (value - i.Mean))
	}
	i.Low, i.High = i.Mean, i.Mean
	if len(finite) == 1 {
		return i, true
	}
	i.Std = math.Sqrt(sum(squares) / (n - 1))
	i.SE = i.Std / math.Sqrt(n)
	switch {
	case i.Mean != 0:
		i.CV = i.Std / math.Abs(i.Mean)
	case i.Std > 0:
		i.CV = math.Inf(1)
	}
	i.T = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - (1-level)/2)
	reach := float64(i.T * i.SE)
	i.Low, i.High = i.Mean-reach, i.Mean+reach
	return i, true
}

// Repetitions are the analyses of runs of one configuration.
type Repetitions struct {
	Runs   []*Analysis // those that gave a result
	Labels []string    // of these
	Failed []FailedRun
	Level  float64
	Rule   *ConvergenceRule // of adaptive repetitions; nil: as many as were asked for
}

// FailedRun is a run without a result.
type FailedRun struct {
	Label, Error string
	Cancelled    bool // it was ended before it was over
}

// Verdict combines the verdicts of runs: valid only if all are, with the union of their reasons; the
// overflow rate is over the sums, and a run that was cancelled counts although it gave no result
// (decision 19, spec scenario 4).
func (r *Repetitions) Verdict() Verdict {
	v := Verdict{Valid: true, Complete: true}
	var t Totals
	limit := 1.0
	for _, run := range r.Runs {
		v.Scenario = run.Verdict.Scenario
		v.Valid = v.Valid && run.Verdict.Valid
		v.Cancelled = v.Cancelled || run.Verdict.Cancelled
		v.Complete = v.Complete && run.Verdict.Complete
		for _, reason := range run.Verdict.Reasons {
			v.add(reason)
		}
		sums := total(run.profilingRecords(), &run.Basis, NoWindow())
		t.Valid, t.Errors, t.Skipped, t.Overflows = t.Valid+sums.Valid, t.Errors+sums.Errors, t.Skipped+sums.Skipped, t.Overflows+sums.Overflows
		limit = min(limit, run.OverflowLimit())
	}
	for _, failed := range r.Failed {
		if v.Cancelled = v.Cancelled || failed.Cancelled; failed.Cancelled && v.Scenario != "" {
			v.Valid = false
			v.add(ReasonRunCancelled)
		}
	}
	if v.Scenario != "" && OverflowRate(t.Overflows, t.Valid, t.Errors, t.Skipped) > limit {
		v.Valid = false
		v.add(ReasonOverflowRate)
	}
	return v
}
