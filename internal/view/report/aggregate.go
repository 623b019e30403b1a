package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"agentx/internal/measure"
)

// aggregateRow is one statistic of one metric over several runs.
type aggregateRow struct {
	key, unit string
	interval  measure.Interval
}

// aggregateRows are all statistics that any run has, in the order of definitions (spec exports 8).
func aggregateRows(r *measure.Repetitions) []aggregateRow {
	var rows []aggregateRow
	for _, d := range measure.Definitions() {
		if d.Own {
			continue
		}
		for _, key := range statKeys() {
			if key == "count" {
				continue
			}
			var values []float64
			for _, run := range r.Runs {
				result, ok := run.Compatible.Get(d.Tag)
				if !ok {
					continue
				}
				if value, ok := stat(result, key); ok {
					values = append(values, value)
				}
			}
			if interval, ok := measure.Confidence(values, r.Level); ok {
				rows = append(rows, aggregateRow{d.Tag + "_" + key, d.Unit, interval})
			}
		}
	}
	return rows
}

func aggregateFile(r *measure.Repetitions, cooldownSeconds float64) object {
	metrics := object{}
	for _, row := range aggregateRows(r) {
		i := &row.interval
		var o object
		o.set("mean", i.Mean).set("std", i.Std).set("min", i.Min).set("max", i.Max).number("cv", i.CV, true).set("se", i.SE)
		o.set("ci_low", i.Low).set("ci_high", i.High).number("t_critical", i.T, true).set("n", i.N).set("unit", row.unit)
		metrics.set(row.key, o)
	}
	var file object
	file.set("schema_version", "1.0").set("agentx_version", versionOf(r)).set("compat", compatLevel)
	return *file.set("metadata", aggregateMetadata(r, cooldownSeconds)).set("metrics", metrics)
}

func versionOf(r *measure.Repetitions) string {
	if len(r.Runs) == 0 {
		return ""
	}
	return r.Runs[0].Config.Version
}

func aggregateMetadata(r *measure.Repetitions, cooldownSeconds float64) object {
	failed := []object{}
	for _, run := range r.Failed {
		var o object
		failed = append(failed, *o.set("label", run.Label).set("error", run.Error))
	}
	var o object
	o.set("aggregation_type", "confidence").set("num_profile_runs", len(r.Runs)+len(r.Failed)).set("num_successful_runs", len(r.Runs))
	o.set("failed_runs", failed).set("confidence_level", r.Level).set("run_labels", orEmpty(r.Labels)).set("cooldown_seconds", cooldownSeconds)
	if len(r.Runs) == 1 {
		o.set("single_run", true)
	}
	if r.Rule != nil {
		o.set("convergence", convergence(r.Rule.Judge(r.Runs, r.Level)))
	}
	if len(r.Runs) > 0 {
		for _, m := range metadataOf(r.Runs[0]) {
			if m.key == "dataset" {
				o.set(m.key, m.value)
			}
		}
	}
	if v := r.Verdict(); v.Scenario != "" {
		o.set("scenario", v.Scenario).set("submission_valid", v.Valid)
		if len(v.Reasons) > 0 {
			o.set("submission_invalid_reasons", v.Reasons)
		}
	}
	return o
}

func aggregateCSV(to io.Writer, r *measure.Repetitions) error {
	two := func(value float64) string { return fixed(value, 2) }
	four := func(value float64) string { return fixed(value, 4) }
	rows := [][]string{{"metric", "mean", "std", "min", "max", "cv", "se", "ci_low", "ci_high", "t_critical", "unit"}}
	for _, row := range aggregateRows(r) {
		i := &row.interval
		rows = append(rows, []string{row.key, two(i.Mean), two(i.Std), two(i.Min), two(i.Max), four(i.CV), four(i.SE), two(i.Low), two(i.High), four(i.T), row.unit})
	}
	w := csv.NewWriter(to)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	if _, err := io.WriteString(to, "\n"); err != nil {
		return err
	}
	v := r.Verdict()
	pairs := [][]string{{"num_profile_runs", strconv.Itoa(len(r.Runs) + len(r.Failed))}, {"num_successful_runs", strconv.Itoa(len(r.Runs))}, {"confidence_level", fixed(r.Level, 2)}}
	if v.Scenario != "" {
		pairs = append(pairs, []string{"scenario", v.Scenario}, []string{"submission_valid", strconv.FormatBool(v.Valid)})
		for _, reason := range v.Reasons {
			pairs = append(pairs, []string{"submission_invalid_reason", reason})
		}
	}
	return w.WriteAll(pairs)
}

func fixed(value float64, digits int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return ""
	}
	return strconv.FormatFloat(value, 'f', digits, 64)
}

// Aggregate writes what several runs of one configuration say together into a folder, and gives the
// paths.
func Aggregate(dir string, r *measure.Repetitions, cooldownSeconds float64) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	type file struct {
		name  string
		write func(io.Writer) error
	}
	files := []file{
		{"profile_export_aiperf_aggregate.json", func(w io.Writer) error { return pretty(w, aggregateFile(r, cooldownSeconds)) }},
		{"profile_export_aiperf_aggregate.csv", func(w io.Writer) error { return aggregateCSV(w, r) }},
	}
	if r.Rule != nil { // as the peer: for adaptive repetitions only
		files = append(files, file{"profile_export_aiperf_collated.json", func(w io.Writer) error { return pretty(w, collatedFile(r)) }})
	}
	var written []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := writeWhole(path, f.write, 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}

// AggregateSummary prints what several runs say of the main numbers.
func AggregateSummary(w io.Writer, r *measure.Repetitions) error {
	t := table{title: fmt.Sprintf("agentx | %d of %d runs", len(r.Runs), len(r.Runs)+len(r.Failed)),
		header: []string{"Metric", "mean", "min", "max", "std", "CV", "CI low", "CI high"}}
	var wide []string
	wanted := map[string]string{
		"request_throughput_avg": "Request Throughput (requests/sec)", "time_to_first_token_avg": "Time to First Token avg (ms)",
		"inter_token_latency_avg": "Inter Token Latency avg (ms)", "request_latency_avg": "Request Latency avg (ms)",
	}
	for _, row := range aggregateRows(r) {
		if name, ok := wanted[row.key]; ok {
			i := &row.interval
			t.add(name, commas(i.Mean), commas(i.Min), commas(i.Max), commas(i.Std), fmt.Sprintf("%.1f %% (%s)", 100*i.CV, spread(i.CV)), commas(i.Low), commas(i.High))
			if share := i.Spread(measure.ConvergedByInterval); i.N > 1 && share >= measure.ConvergedByInterval.DefaultThreshold() {
				wide = append(wide, fmt.Sprintf("%s (%.0f %%)", row.key, 100*share))
			}
		}
	}
	if err := t.write(w); err != nil {
		return err
	}
	return convergenceLines(w, r, wide)
}

// convergenceLines warn where the runs do not agree well enough for their means to be relied on.
func convergenceLines(w io.Writer, r *measure.Repetitions, wide []string) error {
	var text string
	if r.Rule != nil {
		c := r.Rule.Judge(r.Runs, r.Level)
		word := "converged: "
		if !c.Reached {
			word = "warning: not converged: "
		}
		text = "\n" + word + c.String() + "\n"
	}
	if len(wide) > 0 {
		text += fmt.Sprintf("\nwarning: intervals wider than %.0f %% of their mean: %s: more or longer runs narrow them\n",
			100*measure.ConvergedByInterval.DefaultThreshold(), strings.Join(wide, ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// spread is a word for a coefficient of variation.
func spread(cv float64) string {
	switch {
	case cv < 0.05:
		return "excellent"
	case cv < 0.10:
		return "good"
	case cv < 0.20:
		return "fair"
	default:
		return "poor"
	}
}
