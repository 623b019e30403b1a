package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"agentx/internal/measure"
)

// sliceFile is profile_export_aiperf_timeslices.json (spec exports 7).
func sliceFile(a *measure.Analysis) object {
	list := make([]object, 0, len(a.Slices))
	for _, slice := range a.Slices {
		var o object
		o.set("start_ns", a.Clock.Wall(slice.Window.From)).set("end_ns", a.Clock.Wall(slice.Window.To))
		if !slice.Complete {
			o.set("is_complete", false)
		}
		peerMetrics(&o, slice.Set)
		list = append(list, o)
	}
	var file object
	file.set("agentx_version", a.Config.Version).set("compat", compatLevel).set("timeslices", list).set("input_config", inputConfig(a))
	return file
}

// sliceCSV is the same in long form; the number of a slice is its place in the list.
func sliceCSV(to io.Writer, a *measure.Analysis) error {
	rows := [][]string{{"Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"}}
	keys := []string{"avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std"}
	for i, slice := range a.Slices {
		start, end := strconv.FormatInt(a.Clock.Wall(slice.Window.From), 10), strconv.FormatInt(a.Clock.Wall(slice.Window.To), 10)
		for j := range slice.Set.Results {
			r := &slice.Set.Results[j]
			if r.Own {
				continue
			}
			for _, key := range keys {
				if value := csvNumber(stat(r, key)); value != "" {
					rows = append(rows, []string{strconv.Itoa(i), start, end, r.Header, r.Unit, key, value})
				}
			}
		}
	}
	return csv.NewWriter(to).WriteAll(rows)
}
