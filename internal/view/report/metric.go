package report

import (
	"fmt"
	"math"

	"agentx/internal/measure"
)

// statNames are the percentile keys in the order of measure.Quantiles.
var statNames = [measure.QuantileCount]string{"p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99"}

// weightedStats are the percentiles that time-weighted metrics have.
func hasPercentile(shape measure.Shape, i int) bool {
	switch shape {
	case measure.ShapeDistribution, measure.ShapeAdjusted:
		return true
	case measure.ShapeWeighted:
		return i == 4 || i >= 6 // p50, p90, p95, p99
	default:
		return false
	}
}

// stat is one statistic of a result by its key; false where the metric does not have it.
func stat(r *measure.Result, key string) (float64, bool) {
	s := &r.Stats
	full := s.Shape == measure.ShapeDistribution || s.Shape == measure.ShapeAdjusted
	switch key {
	case "avg":
		return s.Avg, true
	case "min", "max":
		if key == "min" {
			return s.Min, full || s.Shape == measure.ShapeWeighted
		}
		return s.Max, full || s.Shape == measure.ShapeWeighted
	case "std":
		return s.Std, s.Shape == measure.ShapeDistribution || s.Shape == measure.ShapeWeighted
	case "count":
		return float64(s.Count), full || s.Shape == measure.ShapeRatio
	case "sum":
		return s.Sum, full || s.Shape == measure.ShapeRatio
	}
	for i, name := range statNames {
		if name == key {
			return s.Percentiles[i], hasPercentile(s.Shape, i)
		}
	}
	return 0, false
}

// statKeys are the keys of a metric object in their order (spec exports 2).
func statKeys() []string {
	keys := append([]string{"avg"}, statNames[:]...)
	return append(keys, "min", "max", "std", "count", "sum")
}

// peerMetric is a metric as the peer's files have it: unknown and infinite values are left out.
func peerMetric(r *measure.Result) object {
	var o object
	o.set("unit", r.Unit)
	for _, key := range statKeys() {
		value, ok := stat(r, key)
		if key == "count" && ok {
			o.set(key, r.Stats.Count)
			continue
		}
		o.number(key, value, ok)
	}
	return o
}

// peerMetrics are the metrics of a set that the peer has too, in the order of their definitions.
func peerMetrics(o *object, set *measure.Set) {
	for i := range set.Results {
		if r := &set.Results[i]; !r.Own {
			o.set(r.Tag, peerMetric(r))
		}
	}
}

// commas is a number as the console shows it: two decimals, thousands apart.
func commas(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "N/A"
	}
	text := fmt.Sprintf("%.2f", math.Abs(value))
	whole, rest := text[:len(text)-3], text[len(text)-3:]
	var grouped []byte
	for i, digit := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			grouped = append(grouped, ',')
		}
		grouped = append(grouped, digit)
	}
	if value < 0 && text != "0.00" {
		return "-" + string(grouped) + rest
	}
	return string(grouped) + rest
}
