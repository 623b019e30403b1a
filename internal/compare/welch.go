package compare

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// welch compares a figure of repeated runs: Welch's t test and interval, with the degrees of freedom of
// Welch and Satterthwaite; on logarithms where all values are above 0, so that the interval is one of
// the ratio (of geometric means).
func welch(a, b []float64) Estimate {
	e := Estimate{
		A: stat.Mean(a, nil), B: stat.Mean(b, nil), CountA: len(a), CountB: len(b), Method: MethodRuns, Scale: ScaleDifference,
		Low: math.NaN(), High: math.NaN(), P: math.NaN(), Adjusted: math.NaN(), Units: len(a) + len(b),
	}
	x, y := a, b
	if !finite(a) || !finite(b) {
		e.Method, e.Reason = MethodNone, "infinite in a run"
		return e
	}
	if allPositive(a) && allPositive(b) {
		e.Scale, x, y = ScaleRatio, logs(a), logs(b)
	}
	meanX, varX := stat.MeanVariance(x, nil)
	meanY, varY := stat.MeanVariance(y, nil)
	shareX, shareY := varX/float64(len(x)), varY/float64(len(y))
	difference := meanY - meanX
	if shareX+shareY == 0 { // runs of their own that agree to the last digit: the figure does not vary
		e.Low, e.High, e.P = difference, difference, 1
		if difference != 0 {
			e.P = 0
		}
	} else {
		degrees := (shareX + shareY) * (shareX + shareY) /
			(shareX*shareX/float64(len(x)-1) + shareY*shareY/float64(len(y)-1))
		student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}
		error := math.Sqrt(shareX + shareY)
		reach := student.Quantile(1-(1-level)/2) * error
		e.Low, e.High = difference-reach, difference+reach
		e.P = 2 * student.Survival(math.Abs(difference)/error)
	}
	if e.Scale == ScaleRatio {
		e.Low, e.High = math.Exp(e.Low), math.Exp(e.High)
	}
	e.Difference, e.Negligible = e.verdict(e.P)
	return e
}

func finite(values []float64) bool {
	for _, value := range values {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return false
		}
	}
	return true
}

func allPositive(values []float64) bool {
	for _, value := range values {
		if value <= 0 {
			return false
		}
	}
	return true
}

func logs(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, value := range values {
		list[i] = math.Log(value)
	}
	return list
}
