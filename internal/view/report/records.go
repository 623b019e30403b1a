package report

import (
	"cmp"
	"io"
	"slices"

	"agentx/internal/measure"
)

// inOrder are records by when they ended, as the peer's record file has them; warmup and profiling
// mixed.
func inOrder(records []*measure.Record) []*measure.Record {
	sorted := slices.Clone(records)
	slices.SortStableFunc(sorted, func(a, b *measure.Record) int {
		return cmp.Or(cmp.Compare(a.Times.End, b.Times.End), cmp.Compare(a.Exchange, b.Exchange))
	})
	return sorted
}

// peerRecords is profile_export.jsonl (spec exports 4): valid and failed requests of both phases. The
// full population is in records.jsonl.
func peerRecords(w io.Writer, a *measure.Analysis, trace bool) error {
	file := lines{to: w}
	metrics := newRecordMetrics(&a.Basis, false, true)
	for _, r := range inOrder(a.Records) {
		if !r.Valid() && !a.Basis.IsError(r) {
			continue
		}
		o := sized(4)
		o.set("metadata", peerMetadata(a, r)).set("metrics", metrics.of(r))
		if trace {
			o.set("trace_data", traceData(a, r))
		}
		if a.Basis.IsError(r) {
			o.set("error", recordError(r))
		}
		if err := file.write(o); err != nil {
			return err
		}
	}
	return nil
}

func recordError(r *measure.Record) object {
	if r.Error == nil {
		return errorDetails(&measure.ErrorInfo{Type: string(r.Outcome)})
	}
	return errorDetails(r.Error)
}

// peerMetadata are the keys of exports.md §4, wall times in ns since the Unix epoch.
func peerMetadata(a *measure.Analysis, r *measure.Record) object {
	wall := a.Clock.Wall
	o := sized(28)
	o.set("session_num", r.Number).set("x_request_id", r.RequestID).set("x_correlation_id", r.Place.Session)
	o.set("root_correlation_id", r.Place.Root).text("parent_correlation_id", r.Place.Parent)
	o.set("agent_depth", r.Place.Depth).set("conversation_id", r.Place.Conversation).set("turn_index", r.Place.Turn)
	o.set("source_trace_id", r.Place.Trace).set("source_outer_idx", r.Plan.Row)
	if r.Plan.InnerRow >= 0 {
		o.set("source_inner_idx", r.Plan.InnerRow)
	}
	o.set("source_kind", sourceKind(r.Place.Kind))
	o.set("credit_issued_ns", wall(r.Times.Issued)).set("request_start_ns", wall(r.Times.Start))
	if r.Times.Headers.Known() && !a.Basis.IsError(r) {
		o.set("request_ack_ns", wall(r.Times.Headers))
	}
	o.set("request_end_ns", wall(r.AxisEnd()))
	if r.Times.Cancel.Known() {
		o.set("cancellation_time_ns", wall(r.Times.Cancel))
	}
	o.set("worker_id", "agentx").set("record_processor_id", "agentx").set("benchmark_phase", string(r.Phase))
	name := "agentic.warmup"
	if r.Phase == measure.PhaseProfiling {
		o.set("phase_index", 0).set("profiling_index", 0)
		name = "profiling"
	}
	o.set("phase_name", name).set("phase_kind", string(r.Phase))
	o.set("was_cancelled", r.Outcome.IsCancelled()).set("context_overflow_skip", a.Basis.IsSkipped(r))
	return o
}

// sourceKind is the peer's word for where in a trace a request was recorded.
func sourceKind(kind string) string {
	switch kind {
	case "root", "":
		return "weka_main"
	case "sa":
		return "weka_subagent"
	default:
		return "weka_" + kind
	}
}
