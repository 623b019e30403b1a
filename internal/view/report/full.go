package report

import (
	"agentx/internal/measure"
)

// fullReport is report.json: every number with its unit, population, window and denominator. Infinity
// is the word "inf".
func fullReport(a *measure.Analysis) object {
	var o object
	o.set("schema", "agentx-report/1").set("agentx_version", a.Config.Version).set("log_schema", a.Config.Schema).set("definitions_version", measure.DefinitionsVersion())
	o.text("benchmark_id", a.Config.BenchmarkID).set("run_id", a.Config.RunID)
	var judged object
	verdict(&judged, a)
	o.set("verdict", judged).set("phases", phases(a)).set("windows", windows(a)).set("population", population(a))
	o.set("throughput", throughput(a)).set("metrics", ownMetrics(a.Own, a.Population.Valid)).set("cache", cache(a))
	o.set("by", breakdowns(a))
	if list := intervals(a); len(list) > 0 {
		o.set("intervals", list)
	}
	if a.Warmup != nil {
		o.set("warmup_metrics", ownMetrics(a.Warmup, a.Warmup.Totals.Valid))
	}
	o.set("errors", errorRates(a)).set("sessions", sessionSummary(a)).set("branch_stats", branchStats(a)).set("client", client(a))
	if a.Server != nil {
		o.set("server_metrics", serverHighlights(a))
	}
	o.set("clock", clock(a)).set("token_counts", tokenCounts(a)).set("server", servers(a)).set("run_info", runInfo(a)).set("input_config", inputConfig(a))
	return o
}

func phases(a *measure.Analysis) []object {
	list := []object{}
	for _, name := range []measure.Phase{measure.PhaseWarmup, measure.PhaseProfiling} {
		p := a.Phase(name)
		if p == nil {
			continue
		}
		var o object
		o.set("phase", string(name))
		seconds(&o, "start_s", p.Start)
		if p.DurationNs > 0 {
			o.set("duration_s", float64(p.DurationNs)/1e9)
		}
		seconds(&o, "sending_complete_s", p.SendingComplete)
		o.text("sending_ended_by", p.StoppedBy)
		seconds(&o, "last_return_s", p.LastReturn)
		seconds(&o, "complete_s", p.Complete)
		c := &p.Counts
		o.set("sent", c.Sent).set("completed", c.Completed).set("cancelled", c.Cancelled).set("sessions_sent", c.SentSessions).set("sessions_completed", c.CompletedSessions)
		o.set("was_cancelled", p.WasCancelled).set("grace_expired", p.GraceOver)
		o.set("idle_guard_jumps", p.Guard.Jumps).set("idle_guard_skipped_s", float64(p.Guard.SkippedNs)/1e9)
		o.set("watchdog_jumps", p.Watchdogs.Jumps).set("watchdog_skipped_s", float64(p.Watchdogs.SkippedNs)/1e9)
		list = append(list, o)
	}
	return list
}

func seconds(o *object, key string, at measure.Stamp) {
	if at.Known() {
		o.set(key, float64(at)/1e9)
	}
}

func windows(a *measure.Analysis) object {
	var o object
	o.set("own", window(a.Own.Window, "profiling start to the end of the configured duration"))
	o.set("peer", window(a.Compatible.Window, "profiling start to the last return in the phase"))
	return o
}

func window(w measure.Window, meaning string) object {
	var o object
	o.set("meaning", meaning)
	if w.Known() {
		o.set("from_s", float64(w.From)/1e9).set("to_s", float64(w.To)/1e9).set("seconds", w.Seconds())
	}
	return o
}

func population(a *measure.Analysis) object {
	p := &a.Population
	outcomes := object{}
	for _, outcome := range measure.Outcomes() {
		outcomes.set(string(outcome), p.Outcomes[outcome])
	}
	var o object
	o.set("planned", p.Total).set("sent", p.Sent).set("valid", p.Valid).set("outcomes", outcomes)
	o.set("in_flight_at_end", p.InFlightAtEnd).set("completed_in_grace", p.CompletedInGrace).set("cancelled_at_grace_end", p.CancelledAtGrace)
	o.set("never_sent_by_reason", p.Refused).set("turns_voided", p.Voided).set("turns_left_at_stop", p.Unsent)
	o.set("classes", p.Classes).set("resends", p.Resends).set("connections_opened", p.Connections).set("incomplete_streams", p.IncompleteEnds)
	if a.Ahead > 0 {
		o.set("connections_opened_ahead", a.Ahead)
	}
	o.set("usage_reported", p.UsageReported).set("cached_tokens_reported", p.CachedReported).set("without_local_counts", p.LocalCountLacks).set("chunks_differ_from_counts", p.ChunksDiffer)
	o.set("inter_token_latency_by_first_chunk_counts", p.FirstChunkCounts)
	return o
}

// throughput is by completions and by what came when; the peak is over fixed windows, and left out where
// the run was shorter than one.
func throughput(a *measure.Analysis) object {
	w := &a.Output
	s := w.Seconds()
	o := object{}
	o.set("window_seconds", s)
	if s <= 0 {
		return o
	}
	var done object
	done.set("meaning", "whole requests whose last content came in the window, over its seconds").set("requests", w.Completed)
	done.set("requests_per_second", float64(w.Completed)/s).set("input_tokens_per_second", float64(w.CompletedISL)/s).set("output_tokens_per_second", float64(w.CompletedOSL)/s)
	var came object
	came.set("meaning", "output tokens that came in the window, chunk by chunk, cut requests included; input of prompts whose first token came in it")
	came.set("output_tokens", w.OutputTokens).set("output_tokens_per_second", w.OutputTokens/s).set("input_tokens_per_second", w.InputTokens/s)
	came.set("placed_by_running_counts", w.ByRunningCounts).set("placed_by_text_bytes", w.ByTextBytes).set("placed_evenly", w.Evenly).set("placed_whole", w.Whole).set("not_placed", w.Unplaced)
	var peaks object
	peaks.number("output_tokens_per_second_1s", w.PeakOutput1s, true).number("output_tokens_per_second_10s", w.PeakOutput10s, true)
	peaks.number("requests_per_second_1s", w.PeakRequests1s, true).number("requests_per_second_10s", w.PeakRequests10s, true)
	o.set("by_completion", done).set("by_time_of_output", came).set("peaks_over_fixed_windows", peaks)
	if gpus := a.Options.GPUs; gpus > 0 {
		o.set("gpus", gpus).set("output_tokens_per_second_per_gpu", w.OutputTokens/s/float64(gpus))
	}
	return o
}

// ownMetrics are all metrics of a set with how many values they are of.
func ownMetrics(set *measure.Set, population int) object {
	o := object{}
	for i := range set.Results {
		r := &set.Results[i]
		var m object
		m.set("unit", r.Unit).set("better", r.Better.String()).set("family", r.Family.String())
		if r.Stats.Count > 0 && r.Family != measure.FamilyScalar && r.Family != measure.FamilyCounter {
			m.set("n", r.Stats.Count)
		}
		m.set("population", population)
		if set.Window.Known() && (r.Family == measure.FamilyWeighted || r.Family == measure.FamilyScalar) {
			m.set("window_seconds", set.Window.Seconds())
		}
		for _, key := range statKeys() {
			value, ok := stat(r, key)
			if key != "count" {
				m.measured(key, value, ok)
			}
		}
		if r.Family == measure.FamilyAdjusted {
			m.set("failure_fraction", r.Stats.FailureFraction)
		}
		o.set(r.Tag, m)
	}
	return o
}

func cache(a *measure.Analysis) object {
	c := &a.Own.Totals.Captured
	t := a.Own.Totals
	o := object{}
	o.set("valid_requests", t.Valid).set("report_cached_tokens", c.Reporting).set("paired", c.Pairs)
	o.set("cached_tokens", c.Cached).set("reachable_tokens", c.Reach).set("planned_tokens", c.Planned).set("theoretical_hit_tokens", c.Theory)
	o.set("theoretical_hit_blocks", t.HitBlocks).set("total_blocks", t.TotalBlocks)
	for _, tag := range []string{"theoretical_prefix_cache_hit_tokens_pct", "reachable_prefix_cache_hit_pct", "overall_usage_prompt_cache_read_pct", "reuse_captured_pct", "cached_tokens_coverage_pct"} {
		value, ok := a.Own.Average(tag)
		o.number(tag, value, ok)
	}
	return o
}

// intervals are bootstrap intervals over trees; none with few trees.
func intervals(a *measure.Analysis) []object {
	var list []object
	for _, r := range a.Bootstrap() {
		var o object
		o.set("metric", r.Tag).set("statistic", r.Statistic).set("unit", r.Unit).number("value", r.Value, true).number("low", r.Low, true).number("high", r.High, true)
		list = append(list, *o.set("level", r.Level).set("trees", r.Trees).set("draws", r.Draws))
	}
	return list
}

// breakdowns are the main figures by depth, turn and input length.
func breakdowns(a *measure.Analysis) object {
	o := object{}
	for _, by := range []string{"depth", "turn", "isl-bucket"} {
		groups, err := a.Breakdown(by)
		if err != nil {
			continue // all three exist
		}
		rows := groupRows(a, groups)
		list := make([]object, 0, len(rows))
		for i := range rows {
			list = append(list, rowObject(&rows[i], []string{"group"}, groupColumns()))
		}
		o.set(by, list)
	}
	return o
}
