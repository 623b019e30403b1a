package measure

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWeightsAreThoseOfAMap with values that crowd together, both zeros among them.
func TestWeightsAreThoseOfAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, distinct := range []int{0, 1, 31, 32, 33, 5000} {
		tables, plain := []*weights{{}, {}}, map[float64]int64{}
		for range 4 * distinct {
			value := math.Float64frombits(math.Float64bits(20e6) + uint64(random.IntN(distinct)))
			switch random.IntN(50) {
			case 0:
				value = 0
			case 1:
				value = math.Copysign(0, -1)
			}
			weight := random.Int64N(1000) + 1
			tables[random.IntN(2)].add(value, weight)
			plain[value] += weight
		}
		got := ascending(tables...)
		if len(got) != len(plain) {
			t.Errorf("%d values, want %d", len(got), len(plain))
		}
		for i, value := range slices.Sorted(maps.Keys(plain)) {
			if i < len(got) && (got[i].value != value || got[i].weight != plain[value]) {
				t.Errorf("value %v with weight %d, want %v with %d", got[i].value, got[i].weight, value, plain[value])
			}
		}
	}
}
