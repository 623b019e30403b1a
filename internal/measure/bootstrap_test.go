package measure

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A draw's statistics equal those of a list in which each tree's values stand as often as it was drawn.
func TestWeighedStatisticsEqualTheRepeatedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trees := rapid.IntRange(1, 6).Draw(t, "trees")
		times := rapid.SliceOfN(rapid.IntRange(0, 3), trees, trees).Draw(t, "times")
		var values []treeValue
		for _, value := range rapid.SliceOfN(rapid.Float64Range(0, 100), 1, 30).Draw(t, "values") {
			values = append(values, treeValue{value, rapid.IntRange(0, trees-1).Draw(t, "tree")})
		}
		slices.SortFunc(values, func(a, b treeValue) int {
			if a.value < b.value {
				return -1
			}
			return 1
		})
		var list []float64
		for _, v := range values {
			list = append(list, slices.Repeat([]float64{v.value}, times[v.tree])...)
		}
		got := weighed(values, times)
		want, ok := Distribute(list)
		if !ok {
			return
		}
		for i, figure := range []float64{want.Avg, want.Percentile(50), want.Percentile(90), want.Percentile(99)} {
			if !close9(got[i], figure) {
				t.Fatalf("%s = %v, want %v of %v", resampledStatistics()[i], got[i], figure, list)
			}
		}
	})
}

// An interval over trees is wider than one over requests when the requests of a tree are alike.
func TestIntervalsCountTreesNotRequests(t *testing.T) {
	var records []*Record
	for tree := range 8 {
		for turn := range 20 {
			s := sample{start: int64(1000*tree + 10*turn), chunks: []int64{int64(100 * (tree + 1)), int64(100*(tree+1) + 50)}, raw: int64(100*(tree+1) + 51), isl: 10, osl: 3, think: -1, max: 3}
			r := s.record()
			r.Place.Play = tree
			records = append(records, r)
		}
	}
	a := &Analysis{Run: &Run{Basis: DefaultBasis()}, Selected: records}
	first, second := a.Bootstrap(), a.Bootstrap()
	if !slices.Equal(first, second) {
		t.Error("two times the same run give different intervals")
	}
	at := slices.IndexFunc(first, func(r Resampled) bool { return r.Tag == "time_to_first_token" && r.Statistic == "avg" })
	ttft := first[at]
	if ttft.Value != 450 || ttft.Trees != 8 || ttft.Low > 380 || ttft.High < 520 || ttft.Low < 100 || ttft.High > 800 {
		t.Errorf("interval %+v: of 8 trees with 100 to 800 ms the mean must be uncertain by some 80 ms each way", ttft)
	}
	a.Selected = records[:60]
	if few := a.Bootstrap(); few != nil {
		t.Errorf("three trees give intervals: %+v", few)
	}
}
