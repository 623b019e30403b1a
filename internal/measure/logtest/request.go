package logtest

import (
	"fmt"

	"agentx/eventlog"
)

// Request is one exchange to put into a log. Times are ms since run start.
type Request struct {
	At             At
	Phase          string
	Credit         int
	Due, Sent      int64   // Sent: dispatch; the request starts a millisecond later
	Chunks         []int64 // content
	Reasoning      int     // how many leading chunks are reasoning
	Tail, End      int64   // last chunk of any kind; end of the exchange
	Prompt, Output int64   // local counts
	Cached         int64   // as the server reports; below 0: no usage at all
	Reach, Max     int64
	Running        bool  // the server reports running token counts,
	PerChunk       int64 // which grow by so many a chunk; 0: by one
	Outcome        eventlog.Outcome
	Class, Reason  string
	Status         int
	ErrType, Error string
	Overflow       string
	Marker         string
	Primer, Final  bool
	NoEnd          bool // the log ends before the exchange does
	NotStreamed    bool
	Whole          bool // not streamed: the content came in one piece, as a run logs it
}

const msNs = int64(1e6)

// Send appends the rows of a request: dispatch, its chunks and its end.
func (l *Log) Send(q Request) {
	l.Row(eventlog.KindTurnDue, q.Due*msNs, q.At, map[string]any{"due_ns": q.Due * msNs})
	l.Row(eventlog.KindDispatch, q.Sent*msNs, q.At, map[string]any{
		"phase": q.Phase, "credit": q.Credit, "plan": 0, "c": 0, "due_ns": q.Due * msNs, "ready_ns": q.Due * msNs,
		"max": q.Max, "primer": q.Primer, "final": q.Final, "waited": []string{"gap"}, "url": 0, "marker": q.Marker,
	})
	sink := l.chunks.Open(q.At.Exchange)
	for i, at := range q.Chunks {
		class := eventlog.ChunkText
		if i < q.Reasoning {
			class = eventlog.ChunkReasoning
		}
		sink.Add(eventlog.Chunk{AtNs: at * msNs, Class: class, WireBytes: 60, TextBytes: 4, Tokens: int64(i+1) * q.perChunk(), HasTokens: q.Running})
		if i == 1 {
			_ = l.chunks.Flush() // never fails
		}
	}
	if q.NoEnd {
		_ = l.chunks.Flush()
		return
	}
	data := sink.End()
	event, err := eventlog.NewPayload(eventlog.KindExchangeEnd, q.End*msNs, q.end())
	if err != nil {
		panic(fmt.Sprintf("a test payload: %v", err))
	}
	event.Exchange, event.Data = q.At.Exchange, data
	_, _ = l.Add(event)
}

func (q *Request) end() eventlog.ExchangeEnd {
	at := func(ms int64) *int64 { ns := ms * msNs; return &ns }
	start := q.Sent + 1
	end := eventlog.ExchangeEnd{
		Outcome: q.Outcome, Class: q.Class, Reason: q.Reason, Overflow: q.Overflow,
		RequestID: fmt.Sprintf("00000000-0000-4000-8000-%012d", q.At.Exchange), Status: q.Status, Protocol: "HTTP/1.1",
		StartNs: start * msNs, ConnWaitNs: at(0), Reused: q.At.Exchange > 1, SendStartNs: at(start), WrittenNs: at(start + 1),
		EndNs: q.End * msNs, SentBytes: 4 * q.Prompt, ReceivedBytes: int64(64 * len(q.Chunks)), Writes: 1, Reads: len(q.Chunks) + 1,
		PromptTokens: q.Prompt, ReachTokens: q.Reach, MaxTokens: q.Max, Streamed: !q.NotStreamed && q.Status < 300, Model: "served",
		Chunks: eventlog.ChunkCounts{Text: len(q.Chunks) - q.Reasoning, Reasoning: q.Reasoning},
	}
	if end.Outcome == "" {
		end.Outcome = eventlog.OutcomeOK
	}
	if q.Status == 0 {
		end.Status = 200
	}
	if q.ErrType != "" {
		end.ErrorType, end.ErrorMessage = q.ErrType, q.Error
		if q.Status >= 300 {
			end.ErrorCode = &q.Status
		}
	}
	if q.Reason != "" {
		end.CancelNs = at(q.End)
	}
	q.content(&end, at)
	if q.Whole {
		end.Streamed, end.Chunks.Text, end.OutputTokensLocal = false, 1, &q.Output
		end.LastResponseNs = at(q.End)
	}
	return end
}

func (q *Request) content(end *eventlog.ExchangeEnd, at func(int64) *int64) {
	if end.Outcome == eventlog.OutcomeOK || len(q.Chunks) > 0 {
		end.FirstByteNs, end.HeadersNs, end.LastByteNs = at(q.Sent+3), at(q.Sent+3), at(q.End)
	}
	if n := len(q.Chunks); n > 0 {
		end.FirstTokenNs, end.LastTokenNs, end.LastResponseNs = at(q.Chunks[0]), at(q.Chunks[n-1]), at(max(q.Tail, q.Chunks[n-1]))
		if n > 1 {
			end.SecondTokenNs = at(q.Chunks[1])
		}
		if q.Reasoning < n {
			end.FirstTextNs = at(q.Chunks[q.Reasoning])
		}
	}
	reasoning := min(int64(q.Reasoning), q.Output)
	output := q.Output - reasoning
	if len(q.Chunks) > 0 {
		end.OutputTokensLocal, end.ReasoningTokensLocal = &output, &reasoning
	}
	if end.Outcome == eventlog.OutcomeOK && q.Cached >= 0 {
		sum := q.Prompt + q.Output
		end.FinishReasons, end.Done = []string{"length"}, true
		end.Usage = &eventlog.Usage{Prompt: &q.Prompt, Completion: &q.Output, Total: &sum, CacheRead: &q.Cached}
		if q.Reasoning > 0 {
			end.Usage.Reasoning = &reasoning
		}
	}
	if q.Running && len(q.Chunks) > 0 {
		first := q.perChunk()
		end.FirstChunkTokens = &first
	}
}

func (q *Request) perChunk() int64 { return max(q.PerChunk, 1) }
