package report

import (
	"cmp"
	"io"
	"slices"

	"agentx/internal/measure"
)

// outputsFile is outputs.json (spec exports 6). Texts are there where the run kept its answers.
func outputsFile(w io.Writer, a *measure.Analysis, set *Set) error {
	texts, omitted := map[int64]AnswerText{}, []string{"response_text: not read; analyse the log of a run with --export-level raw"}
	if set.Raw != nil {
		omitted = missingFields(set.Raw, func(field string) bool { return field == textField })
		var err error
		if texts, err = set.Raw.Texts(); err != nil {
			return err
		}
	}
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
		if text, kept := texts[r.Exchange]; kept {
			o.set("response_text", text.Text).text("reasoning_text", text.Reasoning)
		}
		data = append(data, o)
	}
	var file object
	file.set("schema_version", "1.0").set("agentx_version", a.Config.Version)
	if len(omitted) > 0 {
		file.set("omitted", omitted)
	}
	return pretty(w, *file.set("data", data))
}
