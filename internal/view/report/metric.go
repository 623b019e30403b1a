package report

import (
	"fmt"
	"math"

	"agentx/internal/measure"
)

// stat is one statistic of a result by its key; false where the metric does not have it.
func stat(r *measure.Result, key string) (float64, bool) { return r.Stats.Statistic(key) }

// statKeys are the keys of a metric object in their order (spec exports 2).
func statKeys() []string { return measure.StatisticNames() }

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
