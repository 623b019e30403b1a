package report

import (
	"cmp"
	"io"
	"slices"

	"agentx/internal/measure"
)

// fullRecords is records.jsonl: every request of the log, also those that were cancelled, overflowed,
// never ended or were never sent, with outcome and the figures of exports.md §10.4. Times are ns since
// run start; the first line's wall time is in report.json.
func fullRecords(w io.Writer, a *measure.Analysis) error {
	compatible, own := newRecordMetrics(&a.Basis, false, false), newRecordMetrics(&a.Basis, true, false)
	file := lines{to: w}
	for _, r := range fullOrder(a) {
		if err := file.write(fullRecord(r, compatible, own)); err != nil {
			return err
		}
	}
	return nil
}

// fullOrder are all records by dispatch, those never sent last.
func fullOrder(a *measure.Analysis) []*measure.Record {
	records := slices.Clone(a.Records)
	slices.SortStableFunc(records, func(a, b *measure.Record) int {
		if (a.Exchange < 0) != (b.Exchange < 0) {
			return cmp.Compare(b.Exchange, a.Exchange) // never sent ones last
		}
		return cmp.Compare(a.Exchange, b.Exchange)
	})
	return records
}

func fullRecord(r *measure.Record, compatible, own *recordMetrics) object {
	o := sized(48)
	if r.Exchange >= 0 {
		o.set("exchange", r.Exchange).set("number", r.Number)
	}
	o.set("phase", string(r.Phase)).set("outcome", string(r.Outcome)).text("class", r.Class).text("reason", r.Reason)
	o.set("lane", r.Place.Lane).set("play", r.Place.Play).set("stream", r.Place.Stream).set("turn", r.Place.Turn)
	o.set("trace", r.Place.Trace).set("conversation", r.Place.Conversation).text("kind", r.Place.Kind).set("depth", r.Place.Depth)
	o.text("session", r.Place.Session).text("parent_session", r.Place.Parent).text("root_session", r.Place.Root).text("request_id", r.RequestID)
	o.text("marker", r.Marker).set("primer", r.Primer).set("in_flight_at_end", r.InFlight)
	times(&o, r)
	o.set("recorded", recorded(r)).set("tokens", tokens(r))
	if r.Exchange >= 0 {
		o.set("http", httpFacts(r)).text("finish_reason", r.Finish).text("model", r.ModelSent)
		count(&o, "max_tokens", r.MaxTokens)
		if len(r.Waited) > 0 {
			o.set("waited", r.Waited)
		}
	}
	o.set("metrics", compatible.of(r)).set("own_metrics", own.of(r))
	if r.Error != nil {
		o.set("error", errorDetails(r.Error))
	}
	return o
}

func times(o *object, r *measure.Record) {
	t := &r.Times
	for _, s := range []struct {
		key string
		at  measure.Stamp
	}{
		{"due_ns", t.Due}, {"ready_ns", t.Ready}, {"issued_ns", t.Issued}, {"start_ns", t.Start}, {"send_start_ns", t.SendStart},
		{"written_ns", t.Written}, {"first_byte_ns", t.FirstByte}, {"headers_ns", t.Headers}, {"first_content_ns", t.First},
		{"last_content_ns", t.Last}, {"last_response_ns", t.LastResponse}, {"end_ns", t.End}, {"cancel_ns", t.Cancel},
	} {
		if s.at.Known() {
			o.set(s.key, int64(s.at))
		}
	}
}

func count(o *object, key string, c measure.Count) {
	if c.Known() {
		o.set(key, int64(c))
	}
}

func recorded(r *measure.Record) object {
	o := sized(12)
	p := &r.Plan
	count(&o, "in", p.In)
	count(&o, "out", p.Out)
	if p.TNs.Known() {
		o.set("t_ms", float64(p.TNs)/1e6)
	}
	if p.APINs > 0 {
		o.set("api_ms", float64(p.APINs)/1e6)
	}
	if p.GapNs >= 0 {
		o.set("gap_ms", float64(p.GapNs)/1e6)
	}
	o.set("row", p.Row)
	if p.InnerRow >= 0 {
		o.set("inner_row", p.InnerRow)
	}
	count(&o, "hit_blocks", p.HitBlocks)
	count(&o, "total_blocks", p.TotalBlocks)
	count(&o, "hit_tokens", p.HitTokens)
	return *o.text("input_kind", p.InputKind)
}

func tokens(r *measure.Record) object {
	o := sized(12)
	k, u := &r.Tokens, &r.Tokens.Usage
	for _, c := range []struct {
		key   string
		count measure.Count
	}{
		{"input", k.Input}, {"output", k.Output}, {"reasoning", k.Reasoning}, {"input_local", k.LocalInput}, {"output_local", k.LocalOutput},
		{"reasoning_local", k.LocalReasoning}, {"usage_prompt", u.Prompt}, {"usage_completion", u.Completion}, {"usage_reasoning", u.Reasoning},
		{"cached", u.CacheRead}, {"reach", r.Plan.ReachTokens}, {"first_chunk", k.FirstChunk},
	} {
		count(&o, c.key, c.count)
	}
	return o
}

func httpFacts(r *measure.Record) object {
	o := sized(8)
	if r.HTTP.Status > 0 {
		o.set("status", r.HTTP.Status)
	}
	o.text("protocol", r.HTTP.Protocol).set("url", r.HTTP.URLIndex).set("reused", r.HTTP.Reused).set("resends", r.HTTP.Resends)
	return *o.set("sent_bytes", r.HTTP.SentBytes).set("received_bytes", r.HTTP.ReceivedBytes)
}
