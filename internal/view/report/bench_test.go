package report

import (
	"io"
	"testing"

	"agentx/internal/measure"
)

// benchAnalysis is a run of many requests of 200 chunks each.
func benchAnalysis(requests int) *measure.Analysis {
	run := &measure.Run{Basis: measure.DefaultBasis(), Chunks: true}
	for i := range requests {
		r := measure.NewRecord()
		start := int64(i) * 70e6
		at := func(ns int64) measure.Stamp { return measure.Stamp(start + ns) }
		r.Exchange, r.Number, r.Phase, r.Outcome, r.Streams = int64(i), i, measure.PhaseProfiling, measure.OutcomeOK, true
		r.RequestID, r.Place.Session, r.Place.Root = "0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50", "0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f51", "0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f51"
		r.Place.Trace, r.Place.Conversation = "trace_0001", "trace_0001"
		r.Times.Due, r.Times.Ready, r.Times.Issued, r.Times.Start, r.Times.SendStart, r.Times.Written = at(0), at(0), at(0), at(90e3), at(131e3), at(412e3)
		r.Times.FirstByte, r.Times.Headers, r.Times.First, r.Times.FirstText, r.Times.Second = at(80e6), at(80e6), at(90e6), at(90e6), at(110e6)
		r.Times.Last, r.Times.LastResponse, r.Times.LastByte, r.Times.End = at(4070e6), at(4071e6), at(4071e6), at(4071e6)
		r.Trail.Append(90e6, 4, measure.NoCount)
		for c := range int64(199) {
			r.Trail.Append(20e6+(c*7919+int64(i)*104729)%997*1e3, 4, measure.NoCount)
		}
		r.Tokens.LocalInput, r.Tokens.LocalOutput, r.MaxTokens = 65123, 200, 200
		u := &r.Tokens.Usage
		u.Reported, u.Prompt, u.Completion, u.Total, u.CacheRead = true, 65140, 200, 65340, 64000
		run.Basis.Resolve(r)
		run.Records = append(run.Records, r)
	}
	return &measure.Analysis{Run: run, Selected: run.Records}
}

// BenchmarkRecordFiles writes the two record files; one operation is one request of 200 chunks.
func BenchmarkRecordFiles(b *testing.B) {
	for name, write := range map[string]func(io.Writer, *measure.Analysis) error{
		"profile_export.jsonl": func(w io.Writer, a *measure.Analysis) error { return peerRecords(w, a, false) },
		"records.jsonl":        fullRecords,
	} {
		b.Run(name, func(b *testing.B) {
			a := benchAnalysis(b.N)
			b.ReportAllocs()
			b.ResetTimer()
			if err := write(io.Discard, a); err != nil {
				b.Fatal(err)
			}
		})
	}
}
