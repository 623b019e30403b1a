package report

import (
	"time"

	"agentx/internal/measure"
	"agentx/internal/scenario"
)

// compatLevel is what our files of the peer's names are compatible with (decision 21).
const compatLevel = "aiperf-0.13"

// peerSchema is the peer's schema version of profile_export_aiperf.json.
const peerSchema = "1.4"

// profile is profile_export_aiperf.json (spec exports 2).
func profile(a *measure.Analysis) object {
	var o object
	o.set("schema_version", peerSchema).set("agentx_version", a.Config.Version).set("compat", compatLevel).text("benchmark_id", a.Config.BenchmarkID)
	if metadata := metadataOf(a); len(metadata) > 0 {
		o.set("metadata", metadata)
	}
	o.set("was_cancelled", a.Verdict.Cancelled).set("is_complete", a.Verdict.Complete).text("incomplete_reason", a.Verdict.IncompleteReason)
	if p := a.Phase(measure.PhaseProfiling); p != nil && a.Clock.Known() && p.Start.Known() {
		o.set("start_time", utc(a.Clock.Time(p.Start))).set("end_time", utc(a.Clock.Time(phaseEnd(a, p))))
	}
	peerMetrics(&o, a.Compatible)
	if a.Warmup != nil {
		var warmup object
		peerMetrics(&warmup, a.Warmup)
		o.set("warmup_metrics", warmup)
	}
	o.set("telemetry_data", noTelemetry(a))
	o.set("branch_stats", branchStats(a)).set("error_summary", errorSummary(a)).set("run_info", runInfo(a)).set("input_config", inputConfig(a))
	return o
}

func utc(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000000Z07:00") }

// phaseEnd is the phase's completion; of a run that was interrupted, the end of the log.
func phaseEnd(a *measure.Analysis, p *measure.PhaseInfo) measure.Stamp {
	if p.Complete.Known() {
		return p.Complete
	}
	return a.LastNs
}

// metadataOf is the metadata block: data set, and under a scenario the verdict (spec scenario 6).
func metadataOf(a *measure.Analysis) object {
	var o object
	content := scenario.ContentOf(a.Config.Bundle.Manifest)
	if content.Loader != "" && content.Loader != scenario.LoaderLocal && content.Loader != scenario.LoaderSynthetic {
		var dataset object
		dataset.set("source_type", "public_dataset").set("loader", content.Loader).text("hf_dataset_name", content.Repository).set("hf_split", "train")
		dataset.text("hf_subset", content.Subset).text("revision", content.Revision)
		if content.Entries > 0 {
			dataset.set("num_dataset_entries", content.Entries)
		}
		o.set("dataset", dataset)
	}
	v := &a.Verdict
	if v.Scenario == "" {
		return o
	}
	o.set("scenario", v.Scenario).set("submission_valid", v.Valid)
	if len(v.Reasons) > 0 {
		o.set("submission_invalid_reasons", v.Reasons)
	}
	if len(v.Coverage) > 0 {
		o.set("metric_duration_coverage", coverageList(v))
	}
	return o
}

func coverageList(v *measure.Verdict) []object {
	list := make([]object, 0, len(v.Coverage))
	for _, c := range v.Coverage {
		var o object
		o.set("phase_name", string(c.Phase)).set("expected_duration_seconds", c.ExpectedSeconds).set("required_ratio", c.Required)
		o.set("ttft_ratio", c.TTFT).set("inter_token_latency_ratio", c.ITL).set("streaming_content_ratio", c.Content)
		list = append(list, o)
	}
	return list
}

// branchStats are the counters of subagents, with the two that exist only in the peer as 0.
func branchStats(a *measure.Analysis) object {
	var b measure.BranchStats
	if p := a.Phase(measure.PhaseProfiling); p != nil {
		b = p.Branches
	}
	var o object
	o.set("children_spawned", b.Spawned).set("children_completed", b.Completed).set("children_errored", b.Errored)
	o.set("children_truncated", b.Truncated).set("children_delayed", b.Delayed).set("parents_suspended", b.Suspended)
	o.set("parents_resumed", b.Resumed).set("parents_failed_due_to_child_error", b.FailedByFast).set("joins_suppressed", b.Suppressed)
	o.set("graphs_admitted", 0).set("graphs_completed_to_end", 0)
	return o
}

func errorSummary(a *measure.Analysis) []object {
	list := []object{}
	for _, group := range a.PeerErrors() {
		var o object
		o.set("error_details", errorDetails(&group.Error)).set("count", group.Count)
		list = append(list, o)
	}
	return list
}

func errorDetails(e *measure.ErrorInfo) object {
	var o object
	if e.Code != nil {
		o.set("code", *e.Code)
	}
	o.text("type", e.Type).set("message", e.Message).text("cause", e.Cause)
	if len(e.CauseChain) > 0 {
		o.set("cause_chain", e.CauseChain)
	}
	return o
}

// noTelemetry is the block of GPU telemetry, which the peer writes also where there was none.
func noTelemetry(a *measure.Analysis) object {
	var o, summary object
	summary.set("endpoints_configured", []string{}).set("endpoints_successful", []string{})
	if p := a.Phase(measure.PhaseProfiling); p != nil && a.Clock.Known() && p.Start.Known() {
		summary.set("start_time", utc(a.Clock.Time(p.Start))).set("end_time", utc(a.Clock.Time(phaseEnd(a, p))))
	}
	return *o.set("summary", summary).set("endpoints", object{}).set("error_summary", []object{})
}
