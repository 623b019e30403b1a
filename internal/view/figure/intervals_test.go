package figure

import (
	"math"
	"testing"
)

func TestChangesBeyondTheAxisAreCounted(t *testing.T) {
	nan := math.NaN()
	list := []Interval{{Mid: 236.58, Low: nan, High: nan}, {Mid: 20, Low: -5, High: 297}, {Mid: -99, Low: -99.9, High: 200}, {Mid: nan, Low: nan, High: nan}}
	if n := Beyond(list); n != 2 {
		t.Errorf("%d rows are beyond %d %%, expected 2: the first by its change, the second by its interval", n, MostChange)
	}
}
