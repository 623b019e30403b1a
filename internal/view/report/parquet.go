package report

import (
	"io"

	"agentx/internal/measure"

	"github.com/parquet-go/parquet-go"
)

// parquetRow is a line of records.parquet: the scalar facts of records.jsonl under the same names, with
// null for what is not known. Times are ns since run start.
type parquetRow struct {
	Exchange     *int64   `parquet:"exchange,optional"`
	Number       *int64   `parquet:"number,optional"`
	Phase        string   `parquet:"phase,dict"`
	Outcome      string   `parquet:"outcome,dict"`
	Class        string   `parquet:"class,dict"`
	Reason       string   `parquet:"reason,dict"`
	Lane         int64    `parquet:"lane"`
	Play         int64    `parquet:"play"`
	Stream       int64    `parquet:"stream"`
	Turn         int64    `parquet:"turn"`
	Trace        string   `parquet:"trace,dict"`
	Conversation string   `parquet:"conversation,dict"`
	Kind         string   `parquet:"kind,dict"`
	Depth        int64    `parquet:"depth"`
	RequestID    string   `parquet:"request_id"`
	DueNs        *int64   `parquet:"due_ns,optional"`
	IssuedNs     *int64   `parquet:"issued_ns,optional"`
	StartNs      *int64   `parquet:"start_ns,optional"`
	FirstNs      *int64   `parquet:"first_content_ns,optional"`
	LastNs       *int64   `parquet:"last_content_ns,optional"`
	EndNs        *int64   `parquet:"end_ns,optional"`
	RecordedIn   *int64   `parquet:"recorded_in,optional"`
	RecordedOut  *int64   `parquet:"recorded_out,optional"`
	RecordedAPI  int64    `parquet:"recorded_api_ns"`
	HitTokens    *int64   `parquet:"hit_tokens,optional"`
	Reach        *int64   `parquet:"reach_tokens,optional"`
	Input        *int64   `parquet:"input_tokens,optional"`
	Output       *int64   `parquet:"output_tokens,optional"`
	Reasoning    *int64   `parquet:"reasoning_tokens,optional"`
	Cached       *int64   `parquet:"cached_tokens,optional"`
	MaxTokens    *int64   `parquet:"max_tokens,optional"`
	Status       int64    `parquet:"status"`
	Finish       string   `parquet:"finish_reason,dict"`
	TTFT         *float64 `parquet:"time_to_first_token_ms,optional"`
	Latency      *float64 `parquet:"request_latency_ms,optional"`
	ITL          *float64 `parquet:"inter_token_latency_ms,optional"`
	Lateness     *float64 `parquet:"lateness_ms,optional"`
}

// parquetBatch is how many rows go to the writer at once.
const parquetBatch = 1024

// parquetRecords is records.parquet.
func parquetRecords(to io.Writer, a *measure.Analysis) error {
	w := parquet.NewGenericWriter[parquetRow](to, parquet.Compression(&parquet.Zstd))
	definitions := measure.Definitions()
	rows := make([]parquetRow, 0, parquetBatch)
	flush := func() error {
		_, err := w.Write(rows)
		rows = rows[:0]
		return err
	}
	for _, r := range fullOrder(a) {
		if rows = append(rows, parquetOf(a, r, definitions)); len(rows) == parquetBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return w.Close()
}

func parquetOf(a *measure.Analysis, r *measure.Record, definitions []*measure.Definition) parquetRow {
	stamp := func(at measure.Stamp) *int64 {
		if !at.Known() {
			return nil
		}
		ns := int64(at)
		return &ns
	}
	count := func(c measure.Count) *int64 {
		if !c.Known() {
			return nil
		}
		n := int64(c)
		return &n
	}
	id := func(n int64) *int64 {
		if n < 0 {
			return nil
		}
		return &n
	}
	value := func(tag string) *float64 {
		d, known := measure.Lookup(definitions, tag)
		if !known {
			return nil
		}
		v, ok := d.Value(r, &a.Basis)
		if !ok {
			return nil
		}
		return &v
	}
	p, t := &r.Place, &r.Times
	return parquetRow{
		Exchange: id(r.Exchange), Number: id(int64(r.Number)), Phase: string(r.Phase), Outcome: string(r.Outcome), Class: r.Class, Reason: r.Reason,
		Lane: int64(p.Lane), Play: int64(p.Play), Stream: int64(p.Stream), Turn: int64(p.Turn), Trace: p.Trace, Conversation: p.Conversation, Kind: p.Kind, Depth: int64(p.Depth),
		RequestID: r.RequestID, DueNs: stamp(t.Due), IssuedNs: stamp(t.Issued), StartNs: stamp(t.Start), FirstNs: stamp(t.First), LastNs: stamp(t.Last), EndNs: stamp(t.End),
		RecordedIn: count(r.Plan.In), RecordedOut: count(r.Plan.Out), RecordedAPI: r.Plan.APINs, HitTokens: count(r.Plan.HitTokens), Reach: count(r.Plan.ReachTokens),
		Input: count(r.Tokens.Input), Output: count(r.Tokens.Output), Reasoning: count(r.Tokens.Reasoning), Cached: count(r.Tokens.Usage.CacheRead), MaxTokens: count(r.MaxTokens),
		Status: int64(r.HTTP.Status), Finish: r.Finish,
		TTFT: value("time_to_first_token"), Latency: value("request_latency"), ITL: value("inter_token_latency"), Lateness: value("lateness"),
	}
}
