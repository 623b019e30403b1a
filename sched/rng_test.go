package sched

import (
	"fmt"
	"strings"
	"testing"
)

// TestTrajectorySeedsAndDraws holds the figures of spec vector TV20.
func TestTrajectorySeedsAndDraws(t *testing.T) {
	for _, row := range []struct {
		seed  uint64
		trace string
		lane  LaneID
		want  uint64
		unit  float64
	}{
		{0, "A", 0, 9411952815155314256, 0.8844442736971265},
		{42, "trace_a1b2c3", 0, 17005869234177403055, 0.4307333943450735},
		{42, "trace_a1b2c3", 1, 5645404685774137840, 0.6105337231593788},
		{20260707, "trace_a1b2c3", 7, 15557771326157001521, 0.537487369707464},
	} {
		seed := trajectorySeed(row.seed, row.trace, row.lane)
		if seed != row.want {
			t.Errorf("seed of (%d, %s, %d) = %d, want %d", row.seed, row.trace, row.lane, seed, row.want)
		}
		if unit := newPCG(seed).unit(); unit != row.unit {
			t.Errorf("draw of (%d, %s, %d) = %v, want %v", row.seed, row.trace, row.lane, unit, row.unit)
		}
	}
}

// TestStartBetweenBounds holds the t* of TV20 and the one of decision 13a that a fused multiply-add
// would change.
func TestStartBetweenBounds(t *testing.T) {
	for _, row := range []struct {
		lane LaneID
		want float64
	}{{0, 27229.33577380294}, {4, 18229.77703752947}} {
		unit := newPCG(trajectorySeed(42, "trace_a1b2c3", row.lane)).unit()
		if got := between(10000, 50000, unit); got != row.want {
			t.Errorf("lane %d: t* = %v, want %v", row.lane, got, row.want)
		}
	}
}

// TestSamplers holds the sequences of TV20.
func TestSamplers(t *testing.T) {
	for _, row := range []struct {
		kind Sampler
		seed uint64
		want string
	}{
		{SamplerSequential, 42, "0 1 2 3 4 5 0 1 2 3 4 5"},
		{SamplerShuffle, 42, "4 1 0 3 5 2 1 4 5 0 3 2"},
		{SamplerRandom, 42, "0 4 5 2 0 0 0 2 0 2 3 5"},
		{SamplerShuffle, 0, "2 1 3 4 0 5 1 4 3 2 0 5"},
		{SamplerRandom, 0, "1 0 0 5 1 1 1 5 4 1 5 3"},
	} {
		s, err := newSampler(row.kind, 6, row.seed)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 12 {
			trace, _ := s.draw()
			got = append(got, fmt.Sprint(trace))
		}
		if text := strings.Join(got, " "); text != row.want {
			t.Errorf("%s seed %d: %s, want %s", row.kind, row.seed, text, row.want)
		}
	}
	if _, err := newSampler("lifo", 6, 0); err == nil {
		t.Error("an unknown sampler was accepted")
	}
}

// TestChoice holds the turn split of TV20: seed 7, trace A, ten turns, ratios 0 to 1 (candidates 0…8).
func TestChoice(t *testing.T) {
	for lane, want := range []uint32{1, 3, 1} {
		if got := newPCG(trajectorySeed(7, "A", LaneID(lane))).choice(9); got != want {
			t.Errorf("lane %d: k = %d, want %d", lane, got, want)
		}
	}
}
