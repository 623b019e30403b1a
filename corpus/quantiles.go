package corpus

import "slices"

// Quantiles describe a set of numbers. A quantile q is the smallest number with at least the share q of
// all at or below it (nearest rank), so it is always one of them. All are 0 when Count is.
type Quantiles struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	P10   float64 `json:"p10"`
	P25   float64 `json:"p25"`
	P50   float64 `json:"p50"`
	P75   float64 `json:"p75"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// quantilesOf describes the values, which it sorts.
func quantilesOf(values []float64) Quantiles {
	if len(values) == 0 {
		return Quantiles{}
	}
	slices.Sort(values)
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	at := func(percent int) float64 { return values[(int(percent*len(values))+99)/100-1] }
	return Quantiles{
		Count: len(values), Mean: sum / float64(len(values)), Min: values[0], Max: values[len(values)-1],
		P10: at(10), P25: at(25), P50: at(50), P75: at(75), P90: at(90), P99: at(99),
	}
}
