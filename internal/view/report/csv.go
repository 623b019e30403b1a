package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"

	"agentx/internal/measure"
)

// profileCSV is profile_export_aiperf.csv: metrics with percentiles, a blank line, single numbers
// (spec exports 3). Both parts are sorted by tag.
func profileCSV(to io.Writer, a *measure.Analysis) error {
	results := make([]*measure.Result, 0, len(a.Compatible.Results))
	for i := range a.Compatible.Results {
		if r := &a.Compatible.Results[i]; !r.Own {
			results = append(results, r)
		}
	}
	slices.SortFunc(results, func(a, b *measure.Result) int { return cmp.Compare(a.Tag, b.Tag) })
	w := csv.NewWriter(to)
	keys := []string{"avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std"}
	rows := [][]string{append([]string{"Metric"}, keys...)}
	for _, r := range results {
		if _, spread := stat(r, "p50"); spread {
			row := []string{csvName(r)}
			for _, key := range keys {
				row = append(row, csvNumber(stat(r, key)))
			}
			rows = append(rows, row)
		}
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	if _, err := io.WriteString(to, "\n"); err != nil {
		return err
	}
	rows = [][]string{{"Metric", "Value"}}
	for _, r := range results {
		if _, spread := stat(r, "p50"); !spread {
			rows = append(rows, []string{csvName(r), csvNumber(r.Stats.Avg, true)})
		}
	}
	return w.WriteAll(rows)
}

// csvName is the header with its unit; counts go without.
func csvName(r *measure.Result) string {
	if r.Unit == "requests" || r.Unit == "count" {
		return r.Header
	}
	return r.Header + " (" + r.Unit + ")"
}

func csvNumber(value float64, known bool) string {
	if !known || math.IsNaN(value) || math.IsInf(value, 0) {
		return ""
	}
	return fmt.Sprintf("%.2f", value)
}
