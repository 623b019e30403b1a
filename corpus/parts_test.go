package corpus

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The planning caps by a tile of one entry per block, as the rule is written (spec reconstruction 5.6).
func TestPlanningCapsAgreeWithATile(t *testing.T) {
	capped := 0
	rapid.Check(t, func(t *rapid.T) {
		turns := make([]shape, rapid.IntRange(1, 12).Draw(t, "turns"))
		for k := range turns {
			s := &turns[k]
			if k > 0 {
				s.shared = rapid.IntRange(0, turns[k-1].covered).Draw(t, "shared")
			}
			s.fresh = rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "fresh")
			s.covered = s.shared + s.fresh
			s.tail = rapid.SampledFrom([]int{0, 0, 7}).Draw(t, "tail")
		}
		want := make([]int, len(turns))
		var tile []int
		for k, s := range turns {
			want[k] = noCap
			kept := min(s.shared, len(tile))
			if s.fresh == 0 && s.tail == 0 && kept >= 1 {
				j := tile[kept-1]
				if bound := kept - 1 - turns[j].shared; j != 0 && bound >= 0 {
					want[j] = min(want[j], bound)
					capped++
				}
			}
			tile = tile[:kept]
			for range s.fresh {
				tile = append(tile, k)
			}
		}
		if got := planningCaps(turns); !slices.Equal(got, want) {
			t.Fatalf("caps are %v, want %v", got, want)
		}
	})
	if capped == 0 {
		t.Error("no cap was ever set: the generator tests nothing")
	}
}

// The components of overlapping spans by looking at every pair, again and again.
func TestOverlapAgreesWithPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spans := make([]span, rapid.IntRange(0, 10).Draw(t, "spans"))
		for i := range spans {
			start := float64(rapid.IntRange(0, 8).Draw(t, "start"))
			spans[i] = span{worker: i, first: i, start: start, end: start + float64(rapid.IntRange(0, 4).Draw(t, "length"))}
		}
		group := make([]int, len(spans))
		for i := range group {
			group[i] = i
		}
		for range spans {
			for i, a := range spans {
				for j, b := range spans {
					if a.start < b.end && b.start < a.end {
						group[i], group[j] = min(group[i], group[j]), min(group[i], group[j])
					}
				}
			}
		}
		var pairs, found [][2]int // which worker is in which component, named by its least member
		for i := range spans {
			pairs = append(pairs, [2]int{i, group[i]})
		}
		for _, component := range overlapping(slices.Clone(spans)) {
			least := len(spans)
			for _, at := range component {
				least = min(least, at.worker)
			}
			for _, at := range component {
				found = append(found, [2]int{at.worker, least})
			}
			if !slices.IsSortedFunc(component, compareSpans) {
				t.Fatalf("component %v is out of order", component)
			}
		}
		slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
		if !slices.Equal(found, pairs) {
			t.Fatalf("components of %v are %v, want %v", spans, found, pairs)
		}
	})
}

func TestTruncate(t *testing.T) {
	prompt := func() []segment {
		return []segment{{role: RoleSystem, count: 2}, {role: RoleUser, start: 2, count: 3}, {role: RoleAssistant, start: 5, count: 1}, {role: RoleUser, start: 6, count: 2, tail: 7}}
	}
	for keep, want := range map[int]struct{ segments, blocks, disturbed int }{
		0: {0, 0, 0}, 1: {1, 1, 0}, 2: {1, 2, 1}, 4: {2, 4, 1}, 5: {2, 5, 2}, 6: {3, 6, 3}, 7: {4, 7, 3}, 8: {4, 8, 3}, 9: {4, 8, -1},
	} {
		left, disturbed := truncate(prompt(), keep)
		blocks := 0
		for _, s := range left {
			blocks += s.count
		}
		if len(left) != want.segments || blocks != want.blocks || disturbed != want.disturbed {
			t.Errorf("cut to %d: %d segments with %d blocks, disturbed %d; want %v", keep, len(left), blocks, disturbed, want)
		}
	}
	if _, disturbed := truncate([]segment{{count: 2}}, 2); disturbed != -1 {
		t.Errorf("nothing to cut, but segment %d is disturbed", disturbed)
	}
	if _, disturbed := truncate(nil, 0); disturbed != -1 {
		t.Errorf("an empty prompt has a disturbed segment %d", disturbed)
	}
}
