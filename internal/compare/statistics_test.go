package compare

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"agentx/internal/measure"
)

// near reports whether two numbers agree to 9 digits; NaN agrees with NaN.
func near(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b))
}

// Holm's correction against its definition: the i-th smallest is rejected at a level when it and all
// smaller ones are, each against level / (n − rank).
func TestHolmAgainstItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + random.IntN(8)
		p := make([]float64, n)
		for i := range p {
			p[i] = random.Float64() * random.Float64()
		}
		adjusted := holm(p)
		for _, level := range []float64{0.01, 0.05, 0.2, 0.7} {
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int {
				if p[a] < p[b] {
					return -1
				}
				return 1
			})
			rejected := true
			for rank, i := range order {
				rejected = rejected && p[i] <= level/float64(n-rank)
				if rejected != (adjusted[i] <= level) {
					t.Fatalf("%v at %g: %v, adjusted %v", p, level, rejected, adjusted)
				}
			}
		}
	}
	got := holm([]float64{0.01, math.NaN(), 0.02, 0.9})
	for i, want := range []float64{0.03, math.NaN(), 0.04, 0.9} {
		if !near(got[i], want) {
			t.Errorf("place %d is %g, expected %g", i, got[i], want)
		}
	}
}

// The signed-rank probability against all sign patterns.
func TestSignedRankAgainstAllSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 60 {
		n := 6 + random.IntN(6)
		values := make([]float64, n)
		for i := range values {
			values[i] = random.NormFloat64() + 0.4
		}
		ranks := make([]int, n)
		found := 0
		for i, value := range values {
			for _, other := range values {
				if math.Abs(other) <= math.Abs(value) {
					ranks[i]++
				}
			}
			if value > 0 {
				found += ranks[i]
			}
		}
		middle := float64(n*(n+1)) / 4
		reached := 0
		for signs := range uint(1) << n {
			sum := 0
			for i := range ranks {
				if signs>>i&1 == 1 {
					sum += ranks[i]
				}
			}
			if math.Abs(float64(sum)-middle) >= math.Abs(float64(found)-middle) {
				reached++
			}
		}
		if want, got := float64(reached)/float64(uint(1)<<n), signedRank(append(values, 0, 0)); !near(got, want) {
			t.Fatalf("%v: %g, by all signs %g", values, got, want)
		}
	}
	if !math.IsNaN(signedRank([]float64{1, 2, 3, 4, 5, 0, 0})) {
		t.Error("five values that are not 0 can tell nothing")
	}
}

// With ties, and beyond the exact sizes, the approximation is near to what random signs give.
func TestSignedRankApproximationAgainstRandomSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	values := make([]float64, 70)
	for i := range values {
		values[i] = math.Round(4*random.NormFloat64()+1.3) / 2
	}
	values = slices.DeleteFunc(values, func(v float64) bool { return v == 0 })
	ranks := make([]float64, len(values))
	found, middle := 0.0, 0.0
	for i, value := range values {
		for _, other := range values {
			switch {
			case math.Abs(other) < math.Abs(value):
				ranks[i]++
			case math.Abs(other) == math.Abs(value):
				ranks[i] += 0.5
			}
		}
		ranks[i] += 0.5
		middle += ranks[i] / 2
		if value > 0 {
			found += ranks[i]
		}
	}
	reached, draws := 0, 40_000
	for range draws {
		sum := 0.0
		for _, rank := range ranks {
			if random.IntN(2) == 1 {
				sum += rank
			}
		}
		if math.Abs(sum-middle) >= math.Abs(found-middle) {
			reached++
		}
	}
	if want, got := float64(reached)/float64(draws), signedRank(values); math.Abs(got-want) > 0.005 {
		t.Errorf("%g, by random signs %g", got, want)
	}
}

// Welch's test against published examples' form: equal groups, and numbers worked out by hand.
func TestWelchByHand(t *testing.T) {
	// Means −1 and 3 on the linear scale; variances 4/… chosen so that the figures are round:
	// a = −3, −1, 1: mean −1, variance 4; b = 1, 3, 5: mean 3, variance 4.
	// Standard error √(4/3+4/3) = 1.632993; t = 4/1.632993 = 2.449490 with 4 degrees of freedom.
	// Student's distribution with 4 degrees has the closed form F(t) = ½ + ⅜ s (1 − s²/12 · …), see below.
	e := welch([]float64{-3, -1, 1}, []float64{1, 3, 5})
	tValue := 4 / math.Sqrt(8.0/3)
	x := tValue / math.Sqrt(4+tValue*tValue)
	p := 2 * (1 - (0.5 + 0.75*(x-x*x*x/3))) // the integral of ¾(1−u²) from 0 to x, u = t/√(4+t²)
	if e.Scale != ScaleDifference || !near(e.P, p) || e.A != -1 || e.B != 3 {
		t.Errorf("%+v, expected p %g", e, p)
	}
	if reach := 2.7764451051977934 * math.Sqrt(8.0/3); math.Abs(e.Low-(4-reach)) > 1e-6 || math.Abs(e.High-(4+reach)) > 1e-6 {
		t.Errorf("interval %g … %g, expected 4 ± %g", e.Low, e.High, reach)
	}
	if same := welch([]float64{7, 7}, []float64{7, 7, 7}); same.P != 1 || same.Difference || same.Low != 1 || same.High != 1 {
		t.Errorf("equal runs: %+v", same)
	}
	if still := welch([]float64{7, 7}, []float64{8, 8, 8}); !still.Difference || still.P != 0 || still.A != 7 || still.B != 8 {
		t.Errorf("a figure that does not vary from run to run, and differs: %+v", still)
	}
	if apart := welch([]float64{100, 101, 99}, []float64{200, 202, 198}); !apart.Difference || apart.Scale != ScaleRatio || !(apart.Low < 2 && apart.High > 2) {
		t.Errorf("twice as much: %+v", apart)
	}
}

// Weighted percentiles against a list in which every value stands as often as it counts.
func TestPercentilesAgainstRepeatedValues(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	ranks := []float64{1, 50, 90, 99, 100}
	for range 300 {
		units := 1 + random.IntN(5)
		times := make([]uint16, units)
		for i := range times {
			times[i] = uint16(random.IntN(4))
		}
		var samples []sample
		for range 1 + random.IntN(30) {
			samples = append(samples, sample{value: float64(random.IntN(12)), unit: random.IntN(units)})
		}
		sortSamples(samples)
		var list []float64
		for _, s := range samples {
			for range times[s.unit] {
				list = append(list, s.value)
			}
		}
		got := make([]float64, len(ranks))
		percentiles(samples, times, ranks, got)
		for i, rank := range ranks {
			want := math.NaN()
			if n := len(list); n > 0 {
				position := rank / 100 * float64(n-1)
				low := int(position)
				want = list[low] + (position-float64(low))*(list[min(low+1, n-1)]-list[low])
			}
			if !near(got[i], want) {
				t.Fatalf("p%g of %v is %g, expected %g", rank, list, got[i], want)
			}
		}
	}
}

// The exchange of A and B against all exchanges, and random exchanges near to all of them.
func TestExchangeAgainstAllExchanges(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	c := &chance{}
	for range exchanges {
		c.signs = append(c.signs, []uint64{random.Uint64()})
	}
	for _, n := range []int{6, 9, 12, 16} {
		for range 10 {
			pull := make([]float64, n)
			for i := range pull {
				pull[i] = random.NormFloat64() + 0.3
			}
			total := 0.0
			for _, value := range pull {
				total += value
			}
			reached := 0
			for signs := range uint(1) << n {
				sum := total
				for rest := signs; rest != 0; rest &= rest - 1 {
					sum -= 2 * pull[bits.TrailingZeros(rest)]
				}
				if math.Abs(sum) >= math.Abs(total)-1e-12 {
					reached++
				}
			}
			want := float64(reached) / float64(uint(1)<<n)
			tolerance := 1e-12
			if n > exactUnits {
				tolerance = 4*math.Sqrt(want*(1-want)/exchanges) + 1e-3
			}
			if got := c.exchange(spread{pull: pull, together: 1, exchanged: 1}); math.Abs(got-want) > tolerance {
				t.Errorf("%d units: %g, by all exchanges %g", n, got, want)
			}
		}
	}
}

// The variance that trees have in common in time, against sums over all pairs of atoms that share a tree
// or a stretch.
func TestSpreadAgainstPairsOfAtoms(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		u := &units{stretches: 4}
		var atoms []atom
		for range 40 {
			atoms = append(atoms, atom{unit: random.IntN(7), time: random.IntN(4), other: random.IntN(4), turn: -1, weight: 1, off: random.NormFloat64(), pull: random.NormFloat64()})
		}
		trees, all := 0.0, 0.0
		for _, a := range atoms {
			for _, b := range atoms {
				product := a.off * b.off
				if a.unit == b.unit {
					trees += product
				}
				if a.unit == b.unit || a.time == b.time || a.other == b.other {
					all += product
				}
			}
		}
		want := max(all/trees, 1)
		if got := u.spread(atoms).together; !near(got, want) {
			t.Fatalf("%g, by pairs %g", got, want)
		}
	}
}

// apartInTime makes trees with ten requests on each side, in stretches of time that grow slower for
// all trees of A and faster for all of B, whose times are multiplied by a factor.
func apartInTime(random *rand.Rand, trees int, factor float64) (*units, [2][]sample) {
	const stretches = 12
	u := &units{keys: make([]treeKey, trees), stretches: stretches}
	var sorted [2][]sample
	for unit := range trees {
		u.strata[0] = append(u.strata[0], unit)
		for turn := range 10 {
			for side, times := range [2]float64{1, factor} {
				time := random.IntN(stretches)
				slow := [2]int{time, stretches - time}[side]
				value := 20 * times * (1 + 0.5*float64(slow)/stretches + 0.05*random.NormFloat64())
				sorted[side] = append(sorted[side], sample{value: value, unit: unit, time: time, turn: turn})
			}
		}
	}
	for side := range sorted {
		sortSamples(sorted[side])
	}
	return u, sorted
}

// A percentile that differs by far more than its interval is wide has a probability to match, though trees
// slow each other: no exchange gives as much.
func TestAGreatDifferenceOfPercentilesIsClaimed(t *testing.T) {
	u, sorted := apartInTime(rand.New(rand.NewPCG(9, 9)), 24, 0.15)
	c := roll(u, [2]Side{})
	contrasts := percentileContrasts(sorted, []float64{50, 90}, u, c)
	for i := range contrasts {
		e := c.judge(&contrasts[i], [2]int{len(sorted[sideA]), len(sorted[sideB])})
		if e.Together < 1.2 {
			t.Fatalf("trees have nothing in common in time (%g): the case is none", e.Together)
		}
		if !near(e.P, 1.0/(percentileSwaps+1)) || !e.Difference || !(e.High < 0.2 && e.Low < 0.15 && 0.1 < e.Low) {
			t.Errorf("place %d: %g against %g, %g … %g, p %g", i, e.A, e.B, e.Low, e.High, e.P)
		}
	}
}

// A small probability and an interval around "no difference" do not go together, whatever the difference.
func TestProbabilityAndIntervalAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 10))
	claimed := 0
	for range 20 {
		u, sorted := apartInTime(random, 6+random.IntN(20), 1+0.1*random.NormFloat64())
		c := roll(u, [2]Side{})
		contrasts := percentileContrasts(sorted, []float64{50, 99}, u, c)
		for i := range contrasts {
			e := c.judge(&contrasts[i], [2]int{len(sorted[sideA]), len(sorted[sideB])})
			if e.P < alpha && e.Low <= 1 && e.High >= 1 {
				t.Errorf("p %g with %g … %g", e.P, e.Low, e.High)
			}
			if e.Difference {
				claimed++
			}
		}
	}
	if claimed < 5 || claimed > 35 {
		t.Errorf("%d of 40 are claimed: the cases do not tell", claimed)
	}
}

// The spread of bootstrap draws of a mean is near to the textbook's standard error of a ratio of sums.
func TestBootstrapSpreadAgainstTheFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	u := &units{keys: make([]treeKey, 60)}
	for i := range u.keys {
		u.strata[0] = append(u.strata[0], i)
	}
	values := [2]*parts{newParts(u), newParts(u)}
	for unit := range u.keys {
		for range 5 + random.IntN(10) {
			at := 10 + random.NormFloat64() + float64(unit%7)
			values[sideA].add(part{unit: unit, above: at, under: 1})
			values[sideB].add(part{unit: unit, above: at * 1.1 * (1 + 0.05*random.NormFloat64()), under: 1})
		}
	}
	c := roll(u, [2]Side{})
	k := ratioContrast(values, [2]float64{1, 1}, c.times)
	variance := 0.0
	for unit := range u.keys {
		var relative [2]float64
		for side, v := range values {
			_, under := v.totals()
			relative[side] = (v.above[unit] - k.value[side]*v.under[unit]) / under / k.value[side]
		}
		variance += (relative[sideB] - relative[sideA]) * (relative[sideB] - relative[sideA])
	}
	var drawn []float64
	for i := range k.drawn[sideA] {
		drawn = append(drawn, math.Log(k.drawn[sideB][i]/k.drawn[sideA][i]))
	}
	if got, want := deviation(drawn), math.Sqrt(variance); math.Abs(got/want-1) > 0.08 {
		t.Errorf("spread of the draws %g, by the formula %g", got, want)
	}
}

// A threshold is read as written, and what is no threshold is refused by name.
func TestThresholds(t *testing.T) {
	for text, want := range map[string]Threshold{
		"time_to_first_token.p99>+5%":  {Tag: "time_to_first_token", Figure: "p99", Above: true, Limit: 0.05, Relative: true},
		" request_throughput < -2 % ":  {Tag: "request_throughput", Figure: "avg", Limit: -0.02, Relative: true},
		"request_error_rate>0.5":       {Tag: "request_error_rate", Figure: "avg", Above: true, Limit: 0.5},
		"inter_token_latency.max>1e1%": {Tag: "inter_token_latency", Figure: "max", Above: true, Limit: 0.1, Relative: true},
	} {
		got, err := ParseThreshold(text)
		got.Text = ""
		if err != nil || got != want {
			t.Errorf("%q is %+v (%v), expected %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "ttft>5%", "time_to_first_token.p98>5%", "time_to_first_token=5%", "time_to_first_token>5x", "time_to_first_token>"} {
		if _, err := ParseThreshold(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// Statistics are found by the keys that files have.
func TestStatisticKeys(t *testing.T) {
	stats, _ := measure.Distribute([]float64{1, 2, 3, 4, 5})
	for key, want := range map[string]float64{"avg": 3, "p50": 3, "p90": 4.6, "min": 1, "max": 5, "std": math.Sqrt2} {
		if got, ok := statisticOf(&stats, key); !ok || !near(got, want) {
			t.Errorf("%s is %g, expected %g", key, got, want)
		}
	}
	if _, ok := statisticOf(&measure.Stats{Shape: measure.ShapeScalar}, "p50"); ok {
		t.Error("a single number has no percentile")
	}
}
