package report

import (
	"cmp"
	"slices"

	"agentx/internal/measure"
)

// outputsFile is outputs.json (spec exports 6) without the texts: the log does not have them.
func outputsFile(a *measure.Analysis) object {
	var records []*measure.Record
	for _, r := range a.Records {
		if r.Phase == measure.PhaseProfiling && r.Exchange >= 0 && (r.Valid() || a.Basis.IsError(r) || r.Outcome == measure.OutcomeOverflow) {
			records = append(records, r)
		}
	}
	slices.SortStableFunc(records, func(a, b *measure.Record) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Place.Turn, b.Place.Turn))
	})
	definitions := measure.Definitions()
	data := make([]object, 0, len(records))
	for _, r := range records {
		metrics := object{}
		for _, tag := range []string{"input_sequence_length", "output_token_count", "output_sequence_length", "request_latency", "time_to_first_token", "inter_token_latency"} {
			if d, known := measure.Lookup(definitions, tag); known {
				value, ok := d.Value(r, &a.Basis)
				metrics.number(tag, value, ok)
			}
		}
		var o object
		o.set("session_num", r.Number).set("conversation_id", r.Place.Conversation).set("turn_index", r.Place.Turn).set("x_request_id", r.RequestID)
		o.set("request_start_ns", a.Clock.Wall(r.Times.Start)).set("request_end_ns", a.Clock.Wall(r.AxisEnd())).set("metrics", metrics)
		data = append(data, o)
	}
	var file object
	return *file.set("schema_version", "1.0").set("agentx_version", a.Config.Version).
		set("omitted", []string{"response_text: not in the log; run with --export-level raw"}).set("data", data)
}
