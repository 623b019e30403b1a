package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// statistics are the keys of a metric's statistics that are compared.
func statistics() []string { return []string{"avg", "p50", "p90", "p95", "p99", "min", "max", "std"} }

// figure is one statistic of a metric in a set; false where it has none.
func figure(set *measure.Set, tag, statistic string) (float64, bool) {
	result, ok := set.Get(tag)
	if !ok {
		return 0, false
	}
	s := &result.Stats
	value, has := statisticOf(s, statistic)
	return value, has && !math.IsNaN(value)
}

func statisticOf(s *measure.Stats, statistic string) (float64, bool) {
	full := s.Shape == measure.ShapeDistribution || s.Shape == measure.ShapeAdjusted
	weighted := s.Shape == measure.ShapeWeighted
	switch statistic {
	case "avg":
		return s.Avg, true
	case "min":
		return s.Min, full || weighted
	case "max":
		return s.Max, full || weighted
	case "std":
		return s.Std, s.Shape == measure.ShapeDistribution || weighted
	}
	rank, err := strconv.ParseFloat(strings.TrimPrefix(statistic, "p"), 64)
	if err != nil || !slices.Contains(measure.Quantiles(), rank) {
		return 0, false
	}
	curve := rank == 50 || rank >= 90
	return s.Percentile(rank), full || weighted && curve
}
