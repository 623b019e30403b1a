package compare

import (
	"cmp"
	"math"
	"slices"
)

// holm corrects probabilities for their number (Holm 1979): the smallest times n, the next times n−1 …,
// never less than the one before, at most 1. NaN stays NaN and does not count.
func holm(probabilities []float64) []float64 {
	order := make([]int, 0, len(probabilities))
	adjusted := slices.Clone(probabilities)
	for i, p := range probabilities {
		if !math.IsNaN(p) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	reached := 0.0
	for rank, i := range order {
		reached = max(reached, min(probabilities[i]*float64(len(order)-rank), 1))
		adjusted[i] = reached
	}
	return adjusted
}
