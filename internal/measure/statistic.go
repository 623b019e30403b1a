package measure

// PercentileNames are the keys of the percentiles, in the order of Quantiles.
func PercentileNames() [QuantileCount]string {
	return [...]string{"p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}
}

// StatisticNames lists the keys of all statistics in the order of the exports (spec exports 2).
func StatisticNames() []string {
	percentiles := PercentileNames()
	names := append([]string{"avg"}, percentiles[:]...)
	return append(names, "min", "max", "std", "count", "sum")
}

// Statistic is one statistic by its key; false where a metric of that shape does not have it.
func (s *Stats) Statistic(key string) (float64, bool) {
	full := s.Shape == ShapeDistribution || s.Shape == ShapeAdjusted
	switch key {
	case "avg":
		return s.Avg, true
	case "min":
		return s.Min, full || s.Shape == ShapeWeighted
	case "max":
		return s.Max, full || s.Shape == ShapeWeighted
	case "std":
		return s.Std, s.Shape == ShapeDistribution || s.Shape == ShapeWeighted
	case "count":
		return float64(s.Count), full || s.Shape == ShapeRatio
	case "sum":
		return s.Sum, full || s.Shape == ShapeRatio
	}
	for i, name := range PercentileNames() {
		if name == key {
			return s.Percentiles[i], full || s.Shape == ShapeWeighted && hasWeighted(quantiles[i])
		}
	}
	return 0, false
}

// hasWeighted reports whether a time-weighted metric has a percentile.
func hasWeighted(q float64) bool {
	for _, weighted := range weightedQuantiles {
		if weighted == q {
			return true
		}
	}
	return false
}
