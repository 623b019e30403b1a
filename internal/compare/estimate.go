package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Method says how a difference was judged.
type Method string

// The methods.
const (
	MethodTrees Method = "trees" // interval by bootstrap of trees, test by exchange of trees
	MethodRuns  Method = "runs"  // Welch's t test over repeated runs
	MethodNone  Method = "none"  // only the two values
)

// Scale says what the interval of an estimate is of.
type Scale string

// The scales.
const (
	ScaleRatio      Scale = "ratio"      // B / A
	ScaleDifference Scale = "difference" // B − A, where a ratio has no meaning
)

// Estimate is one number on both sides and what can be said of the difference.
type Estimate struct {
	A, B       float64
	CountA     int // values, trees or runs behind A
	CountB     int
	Method     Method
	Scale      Scale
	Low, High  float64 // of the ratio or the difference; NaN where there is no interval
	P          float64 // probability of such a difference if A and B were the same, by exchange or by the interval, the greater; NaN where not tested
	Adjusted   float64 // P after Holm's correction, for headline rows; NaN for others
	Units      int     // trees, or pairs of trees, or runs, that the interval rests on
	Telling    int     // of these, those that are not the same on both sides
	Together   float64 // variance against that of independent trees: above 1 where trees slow each other
	Reason     string  // why nothing can be said
	Difference bool    // the difference means something
	Negligible bool    // it would, if it were not so small
	Found      bool    // it means something after Holm's correction; headline rows only
}

// fewestUnits are the trees with a difference below which no exchange can be rare enough: 2 of 2⁵ > 5 %.
const fewestUnits = 6

const (
	level = 0.95
	alpha = 0.05
	// least is the share below which a difference is of no interest, however sure it is.
	least = 0.001
	// grain is half of the last digit in which changes are shown: no interval is narrower, whatever the
	// draws say. Times are whole nanoseconds, and a modelled server has no noise at all.
	grain = 0.00005
)

// Delta is B − A.
func (e *Estimate) Delta() float64 { return e.B - e.A }

// Ratio is B / A; NaN where it has no meaning.
func (e *Estimate) Ratio() float64 {
	if e.A == 0 || e.A < 0 != (e.B < 0) {
		return math.NaN()
	}
	return e.B / e.A
}

// contrast is one statistic of both sides: as measured, under draws, and as contributions of single
// requests to B − A if both sides were the same.
type contrast struct {
	value [2]float64
	drawn [2][]float64
	atoms []atom
	// swapped are the values after exchanges, of statistics whose difference is no sum over trees; empty
	// for others.
	swapped [2][]float64
}

// judge makes an estimate of a contrast.
func (c *chance) judge(k *contrast, counts [2]int) Estimate {
	e := Estimate{
		A: k.value[sideA], B: k.value[sideB], CountA: counts[sideA], CountB: counts[sideB], Method: MethodTrees,
		Low: math.NaN(), High: math.NaN(), P: math.NaN(), Adjusted: math.NaN(), Scale: scaleOf(k),
	}
	s := c.units.spread(k.atoms)
	e.Units, e.Telling, e.Together = s.units, len(s.pull), s.together
	if e.Units < fewestUnits {
		e.Reason, e.Method = "fewer than 6 trees", MethodNone
		return e
	}
	var ofInterval float64
	e.Low, e.High, ofInterval = interval(k, e.Scale, s)
	if e.Telling == 0 || e.A == e.B {
		e.P = 1
		return e
	}
	if e.Telling < fewestUnits {
		e.Reason = "fewer than 6 trees differ"
	}
	if len(k.swapped[sideA]) > 0 {
		e.P = k.swaps(e.Scale, s)
	} else {
		e.P = c.exchange(s)
	}
	if !math.IsNaN(ofInterval) {
		e.P = max(e.P, ofInterval)
	}
	e.Difference, e.Negligible = e.verdict(e.P)
	return e
}

// verdict says whether the difference means something at a probability p: p is small, the interval leaves
// out "no difference", and the difference is not negligible.
func (e *Estimate) verdict(p float64) (difference, negligible bool) {
	none := 1.0
	if e.Scale == ScaleDifference {
		none = 0
	}
	sure := p < alpha && (e.Low > none || e.High < none)
	small := e.Scale == ScaleRatio && math.Abs(e.B/e.A-1) < least
	return sure && !small, sure && small
}

// scaleOf is the ratio where both sides and all draws are above 0.
func scaleOf(k *contrast) Scale {
	for side, value := range k.value {
		if !(value > 0) || math.IsInf(value, 0) {
			return ScaleDifference
		}
		for _, drawn := range k.drawn[side] {
			if drawn <= 0 {
				return ScaleDifference
			}
		}
	}
	return ScaleRatio
}

// interval is the estimate ± Student's t times the spread of the draws, for a ratio on its logarithm, and
// the probability that belongs to it: below 5 % exactly where the interval leaves out "no difference".
// The spread grows with what trees have in common in time.
func interval(k *contrast, scale Scale, s spread) (low, high, p float64) {
	of := scale.contrast
	var values []float64
	for i := range k.drawn[sideA] {
		if value := of(k.drawn[sideA][i], k.drawn[sideB][i]); !math.IsNaN(value) && !math.IsInf(value, 0) {
			values = append(values, value)
		}
	}
	middle := of(k.value[sideA], k.value[sideB])
	if len(values) < 2 || math.IsNaN(middle) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	quantile := quantileT(s.degrees, 1-(1-level)/2)
	reach := quantile * deviation(values) * math.Sqrt(s.together)
	if scale == ScaleRatio && middle != 0 {
		reach = max(reach, grain)
	}
	low, high, p = middle-reach, middle+reach, 1
	if middle != 0 {
		p = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.degrees)}.Survival(quantile*math.Abs(middle)/reach)
	}
	if scale == ScaleRatio {
		return math.Exp(low), math.Exp(high), p
	}
	return low, high, p
}

// doubted makes a probability greater where the variance that trees have in common in time had to be
// estimated from few stretches: a normal deviate becomes one of Student's t. Before, it is divided by so
// much.
func (s *spread) doubted(p, divisor float64) float64 {
	if s.together == 1 || p >= 1 || p <= 0 || math.IsNaN(p) {
		return p
	}
	deviate := distuv.UnitNormal.Quantile(1-p/2) / divisor
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.degrees)}.Survival(deviate)
}

// share is the share of exchanges that reached what was found, doubted. Where none but the one that was
// found did (and with all exchanges, its mirror image), the share is a bound that only their number sets,
// and doubting it would let their number decide: it stays, and the interval's probability tells more.
func (s *spread) share(reached, all, own int, divisor float64) float64 {
	p := float64(reached) / float64(all)
	if reached <= own {
		return p
	}
	return s.doubted(p, divisor)
}

// contrast is how far two values are apart.
func (s Scale) contrast(a, b float64) float64 {
	if s == ScaleRatio {
		return math.Log(b / a)
	}
	return b - a
}

// swaps is exchange for statistics that were found anew after each exchange. Exchanges that leave a side
// without values count for the difference, not against it. What trees have in common is taken off the
// deviate that the share stands for, not off the difference: where both sides differ much, a percentile of
// an exchanged side falls into one half of its mixture or the other, and a difference a little smaller than
// the one between the halves is reached by chance half of the time.
func (k *contrast) swaps(scale Scale, s spread) float64 {
	found := math.Abs(scale.contrast(k.value[sideA], k.value[sideB])) * (1 - 1e-9)
	reached, all, own := 0, len(k.swapped[sideA]), 2
	for i := range all {
		if apart := math.Abs(scale.contrast(k.swapped[sideA][i], k.swapped[sideB][i])); !(apart < found) {
			reached++
		}
	}
	if s.units > exactPercentile {
		reached, all, own = reached+1, all+1, 1 // what was found is one of the exchanges
	}
	return s.share(reached, all, own, math.Sqrt(s.exchanged))
}

// deviation is the standard deviation of a sample.
func deviation(values []float64) float64 {
	mean := 0.0
	for _, value := range values {
		mean += value
	}
	mean /= float64(len(values))
	squares := 0.0
	for _, value := range values {
		squares += float64((value - mean) * (value - mean))
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

func quantileT(degrees int, p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(p)
}

// exchange is the share of exchanges of A and B, tree by tree, that give at least the difference that was
// found (Fisher's randomization test), after taking off what trees have in common in time. With few trees
// that differ all exchanges are tried, else random ones.
func (c *chance) exchange(s spread) float64 {
	total := 0.0
	for _, value := range s.pull {
		total += value
	}
	found := math.Abs(total) / math.Sqrt(s.exchanged) * (1 - 1e-9) // sums in another order differ in the last digits
	if n := len(s.pull); n <= exactUnits {
		reached := 0
		for chosen := range 1 << n {
			sum := total
			for i, value := range s.pull {
				if chosen>>i&1 == 1 {
					sum -= value + value
				}
			}
			if math.Abs(sum) >= found {
				reached++
			}
		}
		return s.share(reached, 1<<n, 2, 1)
	}
	// With many trees the distribution is smooth, and fewer exchanges tell as much.
	swaps := c.signs[:min(len(c.signs), max(percentileSwaps, exchanges*manyTrees/len(s.pull)))]
	reached := 1 // what was found is one of the exchanges
	for _, signs := range swaps {
		sum := total
		for i, value := range s.pull {
			if signs[i/64]>>(i%64)&1 == 1 {
				sum -= value + value
			}
		}
		if math.Abs(sum) >= found {
			reached++
		}
	}
	return s.share(reached, len(swaps)+1, 1, 1)
}
