package measure

import (
	"math"
	"slices"
)

// Quantiles are the percentiles that every distribution has, in the order of the exports.
var quantiles = [...]float64{1, 5, 10, 25, 50, 75, 90, 95, 99}

// QuantileCount is the number of percentiles of a distribution.
const QuantileCount = len(quantiles)

// Quantiles lists the percentiles of a distribution, ascending.
func Quantiles() []float64 { return slices.Clone(quantiles[:]) }

// Stats are the statistics of one metric. Which of them a metric has is told by Shape.
type Stats struct {
	Shape           Shape
	Count           int64
	Avg, Sum        float64
	Min, Max, Std   float64
	Percentiles     [QuantileCount]float64 // 1, 5, 10, 25, 50, 75, 90, 95, 99
	FailureFraction float64                // error-adjusted ones only: the share counted as infinite
}

// Shape says which statistics are meant.
type Shape int

// The shapes.
const (
	ShapeScalar       Shape = iota // Avg only
	ShapeDistribution              // all of them
	ShapeWeighted                  // time-weighted: Avg, p50, p90, p95, p99, Min, Max, Std
	ShapeAdjusted                  // error-adjusted: as a distribution without Std, values may be +Inf
	ShapeRatio                     // Avg, Count, Sum: a weighted ratio with denominator and numerator
)

// Percentile is the q-th percentile; q is one of Quantiles.
func (s *Stats) Percentile(q float64) float64 {
	at := slices.Index(quantiles[:], q)
	if at < 0 {
		return math.NaN()
	}
	return s.Percentiles[at]
}

// scaled is s with all values divided by unit, for the change to display units after the statistics
// were taken (spec metrics 1).
func (s Stats) scaled(unit float64) Stats {
	if unit == 1 {
		return s
	}
	for _, value := range []*float64{&s.Avg, &s.Sum, &s.Min, &s.Max, &s.Std} {
		*value /= unit
	}
	for i := range s.Percentiles {
		s.Percentiles[i] /= unit
	}
	return s
}

// scalar is the statistics of a single number.
func scalar(value float64) Stats { return Stats{Shape: ShapeScalar, Avg: value, Count: 1} }

// Distribute is the statistics of values, which it sorts in place; false when there are none.
// Standard deviation is that of the population; percentiles are linear between the two nearest ranks
// (spec metrics 1).
func Distribute(values []float64) (Stats, bool) {
	if len(values) == 0 {
		return Stats{}, false
	}
	slices.Sort(values)
	n := float64(len(values))
	stats := Stats{Shape: ShapeDistribution, Count: int64(len(values)), Min: values[0], Max: values[len(values)-1]}
	stats.Sum = sum(values)
	stats.Avg = stats.Sum / n
	squares := 0.0
	for _, value := range values {
		off := value - stats.Avg
		squares += float64(off * off)
	}
	stats.Std = math.Sqrt(squares / n)
	for i, q := range quantiles {
		stats.Percentiles[i] = linearPercentile(values, q)
	}
	return stats, true
}

// sum adds with Neumaier's correction, so that the result does not depend on how many values there are.
func sum(values []float64) float64 {
	var total adding
	for _, value := range values {
		total.add(value)
	}
	return total.sum()
}

// linearPercentile is Hyndman and Fan's type 7 of sorted values.
func linearPercentile(sorted []float64, q float64) float64 {
	position := q / 100 * float64(len(sorted)-1)
	low := int(math.Floor(position))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((position-float64(low))*(sorted[high]-sorted[low]))
}

// nearestPercentile takes the nearest rank, half to even, of sorted values followed by failures times
// +Inf (spec metrics 5).
func nearestPercentile(sorted []float64, failures int, q float64) float64 {
	index := int(math.RoundToEven(q / 100 * float64(len(sorted)+failures-1)))
	if index >= len(sorted) {
		return math.Inf(1)
	}
	return sorted[index]
}

// Adjust is the statistics of values, sorted in place, where failures more requests never answered
// and count as +Inf; false when there are neither values nor failures, or no failure at all: then the
// plain statistics say everything.
func Adjust(values []float64, failures int) (Stats, bool) {
	if failures <= 0 || len(values) == 0 {
		return Stats{}, false
	}
	slices.Sort(values)
	stats := Stats{
		Shape: ShapeAdjusted, Count: int64(len(values) + failures),
		Avg: math.Inf(1), Sum: math.Inf(1), Max: math.Inf(1), Min: values[0],
		FailureFraction: float64(failures) / float64(len(values)+failures),
	}
	for i, q := range quantiles {
		stats.Percentiles[i] = nearestPercentile(values, failures, q)
	}
	return stats, true
}
