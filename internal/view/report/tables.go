package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// Format is how a table of runs or groups is written.
type Format string

// The formats.
const (
	FormatText Format = "text"
	FormatCSV  Format = "csv"
	FormatJSON Format = "json"
)

// column is one figure of a row.
type column struct {
	key, header string
	value       func(row) (float64, bool)
}

// row is a run or a group.
type row struct {
	label string
	texts []string // further leading texts
	run   *measure.Analysis
	set   *measure.Set
	group *measure.Group
}

func figure(tag, key string) func(row) (float64, bool) {
	return func(r row) (float64, bool) {
		result, ok := r.set.Get(tag)
		if !ok {
			return 0, false
		}
		return stat(result, key)
	}
}

// Runs prints one row for each run: concurrency, verdict, throughput, latency, interactivity, cache.
func Runs(w io.Writer, labels []string, runs []*measure.Analysis, format Format) error {
	perSecond := func(of func(*measure.WindowOutput) float64) func(row) (float64, bool) {
		return func(r row) (float64, bool) {
			seconds := r.run.Output.Seconds()
			return of(&r.run.Output) / seconds, seconds > 0
		}
	}
	columns := []column{
		{"concurrency", "Lanes", func(r row) (float64, bool) { return r.run.Settings.Float("concurrency") }},
		{"requests", "Requests", func(r row) (float64, bool) { return float64(r.run.Population.Valid), true }},
		{"failed", "Failed", func(r row) (float64, bool) { return float64(r.set.Totals.Errors), true }},
		{"requests_per_second", "Req/s", perSecond(func(o *measure.WindowOutput) float64 { return float64(o.Completed) })},
		{"output_tokens_per_second", "Out tok/s", perSecond(func(o *measure.WindowOutput) float64 { return o.OutputTokens })},
		{"ttft_p50_ms", "TTFT p50", figure("time_to_first_token", "p50")},
		{"ttft_p90_ms", "TTFT p90", figure("time_to_first_token", "p90")},
		{"ttft_p99_ms", "TTFT p99", figure("time_to_first_token", "p99")},
		{"itl_p50_ms", "ITL p50", figure("inter_token_latency", "p50")},
		{"itl_p90_ms", "ITL p90", figure("inter_token_latency", "p90")},
		{"interactivity_p50", "Tok/s/user", figure("output_token_throughput_per_user", "p50")},
		{"cache_theory_pct", "Theory %", figure("theoretical_prefix_cache_hit_tokens_pct", "avg")},
		{"cache_reported_pct", "Cached %", figure("overall_usage_prompt_cache_read_pct", "avg")},
		{"reuse_captured_pct", "Captured %", figure("reuse_captured_pct", "avg")},
	}
	rows := make([]row, len(runs))
	for i, run := range runs {
		rows[i] = row{label: labels[i], texts: []string{verdictWord(&run.Verdict)}, run: run, set: run.Own}
	}
	return writeRows(w, []string{"run", "verdict"}, rows, columns, format)
}

// verdictWord is the verdict in a word.
func verdictWord(v *measure.Verdict) string {
	word := "not judged"
	if v.Scenario != "" {
		word = "INVALID"
		if v.Valid {
			word = "valid"
		}
	}
	if !v.Complete {
		word += ", incomplete"
	}
	if v.NothingSucceeded {
		word += ", nothing succeeded"
	}
	return word
}

// Breakdown prints one row for each group of a run's requests.
func Breakdown(w io.Writer, a *measure.Analysis, by string, format Format) error {
	groups, err := a.Breakdown(by)
	if err != nil {
		return err
	}
	return writeRows(w, []string{by}, groupRows(a, groups), groupColumns(), format)
}

func groupRows(a *measure.Analysis, groups []measure.Group) []row {
	rows := make([]row, len(groups))
	for i := range groups {
		rows[i] = row{label: groups[i].Label, run: a, set: groups[i].Set, group: &groups[i]}
	}
	return rows
}

func groupColumns() []column {
	return []column{
		{"sent", "Sent", func(r row) (float64, bool) { return float64(r.group.Sent), true }},
		{"valid", "Valid", func(r row) (float64, bool) { return float64(r.set.Totals.Valid), true }},
		{"failed", "Failed", func(r row) (float64, bool) { return float64(r.group.Fails), true }},
		{"isl_avg", "ISL avg", figure("input_sequence_length", "avg")},
		{"osl_avg", "OSL avg", figure("output_sequence_length", "avg")},
		{"ttft_p50_ms", "TTFT p50", figure("time_to_first_token", "p50")},
		{"ttft_p90_ms", "TTFT p90", figure("time_to_first_token", "p90")},
		{"ttft_p99_ms", "TTFT p99", figure("time_to_first_token", "p99")},
		{"itl_p50_ms", "ITL p50", figure("inter_token_latency", "p50")},
		{"latency_p50_ms", "Latency p50", figure("request_latency", "p50")},
		{"latency_p99_ms", "Latency p99", figure("request_latency", "p99")},
		{"uncached_input_avg", "Uncached avg", figure("uncached_input_tokens", "avg")},
		{"cache_reported_pct", "Cached %", figure("overall_usage_prompt_cache_read_pct", "avg")},
		{"reuse_captured_pct", "Captured %", figure("reuse_captured_pct", "avg")},
	}
}

func writeRows(w io.Writer, texts []string, rows []row, columns []column, format Format) error {
	switch format {
	case FormatText, "":
		return textRows(w, texts, rows, columns)
	case FormatCSV:
		return csvRows(w, texts, rows, columns)
	case FormatJSON:
		return jsonRows(w, texts, rows, columns)
	default:
		return fmt.Errorf("format %q: expected %s, %s or %s", format, FormatText, FormatCSV, FormatJSON)
	}
}

func (r *row) words() []string { return append([]string{r.label}, r.texts...) }

func textRows(w io.Writer, texts []string, rows []row, columns []column) error {
	t := table{header: texts, texts: len(texts)}
	for _, c := range columns {
		t.header = append(t.header, c.header)
	}
	whole := make([]bool, len(columns))
	for n, c := range columns {
		whole[n] = wholeColumn(rows, c)
	}
	for i := range rows {
		cells := rows[i].words()
		for n, c := range columns {
			value, ok := c.value(rows[i])
			switch {
			case !ok:
				cells = append(cells, "N/A")
			case whole[n]:
				cells = append(cells, strings.TrimSuffix(commas(value), ".00"))
			default:
				cells = append(cells, commas(value))
			}
		}
		t.rows = append(t.rows, cells)
	}
	return t.write(w)
}

// wholeColumn reports whether a column holds whole numbers only: one that does not is written with decimals throughout.
func wholeColumn(rows []row, c column) bool {
	for i := range rows {
		if value, ok := c.value(rows[i]); ok && value != math.Trunc(value) {
			return false
		}
	}
	return true
}

func csvRows(w io.Writer, texts []string, rows []row, columns []column) error {
	lines := [][]string{append([]string{}, texts...)}
	for _, c := range columns {
		lines[0] = append(lines[0], c.key)
	}
	for i := range rows {
		cells := rows[i].words()
		for _, c := range columns {
			cell := ""
			if value, ok := c.value(rows[i]); ok && !math.IsInf(value, 0) && !math.IsNaN(value) {
				cell = strconv.FormatFloat(value, 'g', -1, 64)
			}
			cells = append(cells, cell)
		}
		lines = append(lines, cells)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func jsonRows(w io.Writer, texts []string, rows []row, columns []column) error {
	list := make([]object, 0, len(rows))
	for i := range rows {
		list = append(list, rowObject(&rows[i], texts, columns))
	}
	return pretty(w, list)
}

func rowObject(r *row, texts []string, columns []column) object {
	var o object
	for i, word := range r.words() {
		o.set(texts[i], word)
	}
	for _, c := range columns {
		value, ok := c.value(*r)
		o.measured(c.key, value, ok)
	}
	return o
}
