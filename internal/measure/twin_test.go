package measure

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A slow, obvious second implementation of the curves and of the pooled gaps: every curve is a list of
// deltas, sorted, summed, clipped, sorted by value.

type delta struct {
	at    int64
	value float64
}

// slowCurve is the value of a list of deltas over [from, to): durations by value.
func slowCurve(deltas []delta, from, to int64) []piece {
	slices.SortStableFunc(deltas, func(a, b delta) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value)) })
	greatest := 0.0
	running := 0.0
	for _, d := range deltas {
		running += d.value
		greatest = max(greatest, math.Abs(running))
	}
	var pieces []piece
	running = 0
	now := from
	emit := func(until int64) {
		until = min(until, to)
		if until > now {
			value := running
			if math.Abs(value) < 1e-9*greatest {
				value = 0
			}
			pieces = append(pieces, piece{value, until - now})
			now = until
		}
	}
	for _, d := range deltas {
		emit(d.at)
		running += d.value
	}
	emit(to)
	return pieces
}

func slowDeltas(records []*Record, curve int) []delta {
	var list []delta
	step := func(from, to int64, value float64) {
		if to > from {
			list = append(list, delta{from, value}, delta{to, -value})
		}
	}
	for _, r := range records {
		s, e := int64(r.Times.Start), int64(r.AxisEnd())
		if curve == curveConcurrency {
			step(s, e, 1)
		}
		if !r.Valid() {
			continue
		}
		g := int64(r.Times.First)
		in, out := float64(r.Tokens.Input), float64(r.OSL())
		var offsets []int64
		for p := range r.Trail.All() {
			offsets = append(offsets, s+p.Offset)
		}
		switch curve {
		case curveDecodeConcurrency:
			step(g, e, 1)
		case curvePrefillConcurrency:
			step(s, g, 1)
		case curvePrefill:
			step(s, g, in/(float64(g-s)/1e9))
		case curveTotal:
			step(s, g, in/(float64(g-s)/1e9))
			step(g, e, (out-1)/(float64(e-g)/1e9))
		case curveDecode:
			nonZero := 0
			for i := 1; i < len(offsets); i++ {
				if offsets[i] > offsets[i-1] {
					nonZero++
				}
			}
			for i := 1; i < len(offsets); i++ {
				if gap := offsets[i] - offsets[i-1]; gap > 0 {
					step(offsets[i-1], offsets[i], (out-1)/float64(nonZero)/(float64(gap)/1e9))
				}
			}
		case curveTokens:
			step(s, e, in)
			if len(offsets) > 1 {
				step(g, e, 1)
				for _, at := range offsets[1:] {
					step(at, e, (out-1)/float64(len(offsets)-1))
				}
			}
		}
	}
	return list
}

func slowStats(pieces []piece) Stats {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.value, b.value) })
	total, area := 0.0, 0.0
	for _, p := range pieces {
		total += float64(p.weight)
		area += p.value * float64(p.weight)
	}
	stats := Stats{Avg: area / total, Min: pieces[0].value, Max: pieces[len(pieces)-1].value}
	for _, p := range pieces {
		stats.Std += float64(p.weight) * (p.value - stats.Avg) * (p.value - stats.Avg)
	}
	stats.Std = math.Sqrt(stats.Std / total)
	return stats
}

func randomRecord(t *rapid.T) *Record {
	s := sample{
		start: rapid.Int64Range(0, 2000).Draw(t, "start"), isl: rapid.Int64Range(1, 1000).Draw(t, "isl"),
		think: -1, max: 10, osl: rapid.Int64Range(1, 40).Draw(t, "osl"),
	}
	if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
		s.outcome, s.raw = OutcomeHTTPError, rapid.Int64Range(0, 50).Draw(t, "raw")
		return s.record()
	}
	at := rapid.Int64Range(1, 300).Draw(t, "first")
	for range rapid.IntRange(1, 8).Draw(t, "chunks") {
		s.chunks = append(s.chunks, at)
		at += rapid.SampledFrom([]int64{0, 1, 7, 20, 33}).Draw(t, "gap")
	}
	s.raw = s.chunks[len(s.chunks)-1] + rapid.Int64Range(1, 10).Draw(t, "tail")
	return s.record()
}

func close9(a, b float64) bool {
	return math.Abs(a-b) <= 1e-9*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

func TestCurvesEqualTheSlowTwin(t *testing.T) {
	curveOf := map[string]int{
		"effective_concurrency": curveConcurrency, "effective_decode_concurrency": curveDecodeConcurrency, "effective_prefill_concurrency": curvePrefillConcurrency,
		"effective_prefill_throughput": curvePrefill, "effective_decode_throughput": curveDecode, "effective_total_throughput": curveTotal, "tokens_in_flight": curveTokens,
	}
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(randomRecord), 1, 12).Draw(t, "records")
		from := rapid.Int64Range(-100, 1000).Draw(t, "from") * ms
		to := from + rapid.Int64Range(1, 3000).Draw(t, "length")*ms
		set := Aggregate(records, howS1(Window{Stamp(from), Stamp(to)}))
		for tag, curve := range curveOf {
			result, ok := set.Get(tag)
			if !ok {
				t.Fatalf("%s is missing", tag)
			}
			pieces := slowCurve(slowDeltas(records, curve), from, to)
			want := slowStats(pieces)
			got := result.Stats
			if !close9(got.Avg, want.Avg) || !close9(got.Min, want.Min) || !close9(got.Max, want.Max) || math.Abs(got.Std-want.Std) > 1e-6*math.Max(1, want.Max) {
				t.Fatalf("%s: avg %v min %v max %v std %v, want %+v", tag, got.Avg, got.Min, got.Max, got.Std, want)
			}
			checkWeightedPercentiles(t, tag, got, pieces, to-from)
		}
	})
}

// checkWeightedPercentiles: at least q percent of the time lies at or below the percentile, and less
// than q percent below it.
func checkWeightedPercentiles(t *rapid.T, tag string, got Stats, pieces []piece, total int64) {
	for _, q := range weightedQuantiles {
		p := got.Percentile(q)
		below, upTo := int64(0), int64(0)
		for _, piece := range pieces {
			if piece.value < p && !close9(piece.value, p) {
				below += piece.weight
			}
			if piece.value <= p || close9(piece.value, p) {
				upTo += piece.weight
			}
		}
		if float64(upTo) < q/100*float64(total)-0.5 || float64(below) >= q/100*float64(total)+0.5 {
			t.Fatalf("%s: p%v = %v: %d of %d ns at or below, %d below", tag, q, p, upTo, total, below)
		}
	}
}

func TestStreamedDistributionEqualsTheSortedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1e9), rapid.Just(5.0), rapid.Float64Range(0.999, 1.001)), 1, 200).Draw(t, "values")
		got, _ := distributeStream(func(give func(float64)) {
			for _, value := range values {
				give(value)
			}
		})
		want, _ := Distribute(slices.Clone(values))
		if got.Count != want.Count || got.Min != want.Min || got.Max != want.Max || !close9(got.Sum, want.Sum) || !close9(got.Std, want.Std) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for i := range got.Percentiles {
			if !close9(got.Percentiles[i], want.Percentiles[i]) {
				t.Fatalf("p%v = %v, want %v", quantiles[i], got.Percentiles[i], want.Percentiles[i])
			}
		}
	})
}

func TestSlicesEqualTheWholeCurveClipped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(randomRecord), 1, 12).Draw(t, "records")
		length := rapid.Int64Range(50, 900).Draw(t, "length") * ms
		for _, slice := range SliceUp(records, howS1(NoWindow()), length) {
			if !slice.Window.Known() {
				continue
			}
			whole := Aggregate(records, howS1(slice.Window))
			for _, metric := range sweepMetrics(false) {
				got, _ := slice.Set.Get(metric.tag)
				want, _ := whole.Get(metric.tag)
				if !close9(got.Stats.Avg, want.Stats.Avg) || got.Stats.Percentiles != want.Stats.Percentiles || !close9(got.Stats.Std, want.Stats.Std) {
					t.Fatalf("slice %d, %s: %+v, want %+v", slice.Index, metric.tag, got.Stats, want.Stats)
				}
			}
		}
	})
}

// What is left of fractions of tokens must not show as tokens in flight, although a request that holds
// none goes on.
func TestTokensInFlightLeaveNoResidue(t *testing.T) {
	records := []*Record{sample{start: 5, raw: 1000, isl: 1, osl: -1, think: -1, outcome: OutcomeHTTPError}.record()}
	for i := range int64(6) {
		s := sample{start: 3 * i, isl: 3 + i, osl: 8 + 3*i, think: -1, max: 8 + 3*i}
		for chunk := range 4 + i {
			s.chunks = append(s.chunks, 10+(7+i)*chunk)
		}
		s.raw = s.chunks[len(s.chunks)-1] + 1
		records = append(records, s.record())
	}
	set := Aggregate(records, howS1(Window{0, Stamp(1000 * ms)}))
	tokens, _ := set.Get("tokens_in_flight")
	if tokens.Stats.Min != 0 || tokens.Stats.Percentile(50) != 0 || tokens.Stats.Max < 20 {
		t.Errorf("tokens in flight %+v", tokens.Stats)
	}
}
