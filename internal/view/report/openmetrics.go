package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// openMetrics is metrics.txt: the run's numbers in OpenMetrics text, for dashboards. A metric is a gauge
// with a label stat; infinity is +Inf.
func openMetrics(w io.Writer, a *measure.Analysis) error {
	labels := ""
	for i, pair := range [][2]string{{"benchmark_id", a.Config.BenchmarkID}, {"model", strings.Join(a.Config.Models, ",")}, {"concurrency", a.Settings.Text("concurrency")}, {"scenario", a.Config.Scenario}} {
		if i > 0 {
			labels += ","
		}
		labels += pair[0] + "=" + strconv.Quote(pair[1])
	}
	var out strings.Builder
	for i := range a.Own.Results {
		r := &a.Own.Results[i]
		name := "agentx_" + r.Tag
		fmt.Fprintf(&out, "# TYPE %s gauge\n# HELP %s %s (%s)\n", name, name, strings.ReplaceAll(r.Header, "\n", " "), r.Unit)
		for _, key := range statKeys() {
			if value, ok := stat(r, key); ok {
				fmt.Fprintf(&out, "%s{%s,stat=%q} %s\n", name, labels, key, strconv.FormatFloat(value, 'g', -1, 64))
			}
		}
	}
	if v := &a.Verdict; v.Scenario != "" {
		fmt.Fprintf(&out, "# TYPE agentx_submission_valid gauge\nagentx_submission_valid{%s} %d\n", labels, boolNumber(v.Valid))
	}
	fmt.Fprintf(&out, "# TYPE agentx_is_complete gauge\nagentx_is_complete{%s} %d\n# EOF\n", labels, boolNumber(a.Verdict.Complete))
	_, err := io.WriteString(w, out.String())
	return err
}

func boolNumber(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
