package report

import "agentx/internal/measure"

// convergence is the outcome of a rule as files have it.
func convergence(c measure.Convergence) object {
	var o object
	o.set("metric", c.Tag).set("stat", c.Statistic).set("mode", string(c.Mode)).set("threshold", c.Threshold)
	return *o.set("runs", c.Runs).number("value", c.Value, true).set("converged", c.Reached)
}

// collatedFile pools the values of all requests of all runs, metric by metric (spec exports 8). The
// standard deviation is that of a sample.
func collatedFile(r *measure.Repetitions) object {
	metrics := object{}
	for _, d := range measure.Definitions() {
		if d.Own || d.Family != measure.FamilyRecord {
			continue
		}
		if o, ok := collated(d, r); ok {
			metrics.set(d.Tag, o)
		}
	}
	var metadata object
	metadata.set("aggregation_type", "collated").set("num_successful_runs", len(r.Runs)).set("run_labels", orEmpty(r.Labels))
	if r.Rule != nil {
		metadata.set("convergence", convergence(r.Rule.Judge(r.Runs, r.Level)))
	}
	var file object
	file.set("schema_version", "1.0").set("agentx_version", versionOf(r)).set("compat", compatLevel)
	return *file.set("metadata", metadata).set("metrics", metrics)
}

// collated is one metric; false where no run has it.
func collated(d *measure.Definition, r *measure.Repetitions) (object, bool) {
	var pooled []float64
	runs := []object{}
	for i, run := range r.Runs {
		var values []float64
		for _, record := range run.Selected {
			if value, ok := d.Value(record, &run.Basis); ok {
				values = append(values, value)
			}
		}
		pooled = append(pooled, values...)
		var o object
		o.set("label", r.Labels[i])
		if interval, ok := measure.Confidence(values, r.Level); ok {
			o.set("mean", interval.Mean)
		}
		runs = append(runs, *o.set("count", len(values)))
	}
	stats, ok := measure.Distribute(pooled)
	if !ok {
		return nil, false
	}
	sample, _ := measure.Confidence(pooled, r.Level)
	var combined, o object
	combined.set("mean", stats.Avg).set("std", sample.Std)
	for _, name := range []string{"p50", "p90", "p95", "p99"} {
		value, _ := stats.Statistic(name)
		combined.set(name, value)
	}
	return *o.set("unit", d.Unit).set("combined", *combined.set("count", stats.Count)).set("per_run", runs), true
}
