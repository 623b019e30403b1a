package compare

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactRanks is the number of values up to which the signed-rank distribution is counted out; above, and
// with ties, it is approximated by the normal one.
const exactRanks = 50

// signedRank is the two-sided probability of Wilcoxon's signed-rank test that the values scatter around
// 0; zeros are left out (Wilcoxon's own rule). NaN with fewer than 6 values that are not 0: no outcome
// would be rare then.
func signedRank(values []float64) float64 {
	rest := make([]float64, 0, len(values))
	for _, value := range values {
		if value != 0 && !math.IsNaN(value) {
			rest = append(rest, value)
		}
	}
	n := len(rest)
	if n < fewestUnits {
		return math.NaN()
	}
	slices.SortFunc(rest, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	positive, ties := 0.0, 0.0
	for from := 0; from < n; {
		to := from + 1
		for to < n && math.Abs(rest[to]) == math.Abs(rest[from]) {
			to++
		}
		rank, tied := float64(from+to+1)/2, float64(to-from)
		ties += float64(tied*tied*tied) - tied
		for _, value := range rest[from:to] {
			if value > 0 {
				positive += rank
			}
		}
		from = to
	}
	if n <= exactRanks && ties == 0 {
		return exactSignedRank(n, int(positive))
	}
	mean := float64(n*(n+1)) / 4
	variance := float64(n*(n+1)*(n+n+1))/24 - ties/48
	off := max(math.Abs(positive-mean)-0.5, 0) // continuity
	return min(2*distuv.UnitNormal.Survival(off/math.Sqrt(variance)), 1)
}

// exactSignedRank counts the sign patterns of ranks 1 … n whose positive ranks add up to something as
// far from the middle as sum, over all 2ⁿ.
func exactSignedRank(n, sum int) float64 {
	most := n * (n + 1) / 2
	ways := make([]float64, most+1)
	ways[0] = 1
	for rank := 1; rank <= n; rank++ {
		for at := most; at >= rank; at-- {
			ways[at] += ways[at-rank]
		}
	}
	low := min(sum, most-sum)
	tail := 0.0
	for at := 0; at <= low; at++ {
		tail += ways[at]
	}
	return min(2*tail/math.Pow(2, float64(n)), 1)
}
