package simulate

import (
	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/servermodel"
	"agentx/sched"
)

// Exchange is one simulated request with what became of it.
type Exchange struct {
	ID       sched.ExchangeID
	Event    sched.Event    // the dispatch: lane, play, stream, turn
	Dispatch sched.Dispatch // and its payload
	Pass     int            // of its tree
	Trace    corpus.TraceID
	ConvID   corpus.ConversationID
	Turn     *corpus.Turn

	PromptTokens int64 // planned, marker included
	MarkerTokens int64
	MaxTokens    int64

	SentNs       int64
	FirstTokenNs int64 // valid if OutputTokens > 0
	EndNs        int64
	CancelNs     int64 // 0: not cancelled
	CancelWhy    sched.Reason

	Outcome      sched.Outcome
	Answered     bool
	Status       int // 0: no answer
	Message      string
	Stopped      bool  // ended by a stop token
	OutputTokens int64 // produced
	CachedTokens int64 // of the prompt, found in the server's prefix cache
	KnowsCache   bool  // the server reports CachedTokens

	name string
	keys []uint64
	job  *servermodel.Job // of a modelled server
	// Without a job the tokens are spread evenly over the planned time.
	plannedTokens, plannedEndNs int64
}

// Name is the exchange's place in the run: phase/lane/pass/conversation/turn. It names random draws
// and entries of a latency file.
func (x *Exchange) Name() string { return x.name }

// tokenNs is when output token i came.
func (x *Exchange) tokenNs(i int64) int64 {
	if x.job != nil {
		return x.job.TokenNs(int(i))
	}
	if x.plannedTokens <= 1 {
		return x.plannedEndNs
	}
	return x.FirstTokenNs + (x.plannedEndNs-x.FirstTokenNs)*i/(x.plannedTokens-1)
}

// Bytes that stand for the simulated wire, so that sizes are not all zero: about what a real stream has.
const (
	bytesPerPromptToken = 4
	bytesPerChunk       = 180
	textBytesPerToken   = 4
)

// End is the exchange's result as the log has it. Request id, reachable tokens and the like are the
// caller's to add.
func (x *Exchange) End() eventlog.ExchangeEnd {
	end := eventlog.ExchangeEnd{
		Outcome: eventlog.Outcome(x.Outcome), Status: x.Status, Protocol: "simulated", URLIndex: x.Dispatch.URL,
		StartNs: x.SentNs, SendStartNs: &x.SentNs, WrittenNs: &x.SentNs, EndNs: x.EndNs,
		SentBytes: x.PromptTokens * bytesPerPromptToken, PromptTokens: x.PromptTokens, MarkerTokens: x.MarkerTokens,
		MaxTokens: x.MaxTokens, Streamed: x.Outcome == sched.OutcomeOK, Writes: 1,
		Reused: true, // nothing is connected
	}
	if x.CancelNs > 0 {
		end.CancelNs, end.Reason = &x.CancelNs, string(x.CancelWhy)
	}
	x.failure(&end)
	if x.OutputTokens > 0 {
		first, last := x.tokenNs(0), x.tokenNs(x.OutputTokens-1)
		end.FirstByteNs, end.HeadersNs, end.FirstTokenNs, end.FirstTextNs = &first, &first, &first, &first
		end.LastTokenNs, end.LastByteNs, end.LastResponseNs = &last, &x.EndNs, &x.EndNs
		if x.OutputTokens > 1 {
			second := x.tokenNs(1)
			end.SecondTokenNs = &second
		}
		end.Chunks.Text = int(x.OutputTokens)
		end.ReceivedBytes = x.OutputTokens * bytesPerChunk
		tokens, none := x.OutputTokens, int64(0)
		end.OutputTokensLocal, end.ReasoningTokensLocal = &tokens, &none
	}
	if x.Outcome == sched.OutcomeOK {
		x.success(&end)
	}
	if x.Answered && end.FirstByteNs == nil { // an answer without a token
		end.FirstByteNs, end.HeadersNs, end.LastByteNs = &x.EndNs, &x.EndNs, &x.EndNs
	}
	return end
}

func (x *Exchange) success(end *eventlog.ExchangeEnd) {
	total := x.PromptTokens + x.OutputTokens
	end.Usage = &eventlog.Usage{Prompt: &x.PromptTokens, Completion: &x.OutputTokens, Total: &total}
	if x.KnowsCache {
		end.Usage.CacheRead = &x.CachedTokens
	}
	end.Chunks.Usage, end.Chunks.Done, end.Done = 1, 1, true
	end.FinishReasons = []string{"length"}
	if x.Stopped {
		end.FinishReasons[0] = "stop"
	}
	if x.OutputTokens == 0 {
		end.Class = "no_visible_output"
	}
}

// failure fills in what an error looks like.
func (x *Exchange) failure(end *eventlog.ExchangeEnd) {
	switch x.Outcome {
	case sched.OutcomeError, sched.OutcomeOverflow:
		end.ErrorMessage, end.ErrorType, end.Class = x.Message, "SimulatedError", "http"
		if x.Status == 0 {
			end.Class = "transport"
			return
		}
		status := x.Status
		end.ErrorCode = &status
		if x.Outcome == sched.OutcomeOverflow {
			end.Overflow = "maximum context"
		}
	}
}

// chunks gives the streamed pieces to a sink: one text piece a token, then usage and the end mark.
func (x *Exchange) chunks(sink *eventlog.ChunkSink) {
	for i := range x.OutputTokens {
		sink.Add(eventlog.Chunk{AtNs: x.tokenNs(i), Class: eventlog.ChunkText, WireBytes: bytesPerChunk, TextBytes: textBytesPerToken})
	}
	if x.Outcome == sched.OutcomeOK {
		sink.Add(eventlog.Chunk{AtNs: x.EndNs, Class: eventlog.ChunkUsage, WireBytes: bytesPerChunk})
		sink.Add(eventlog.Chunk{AtNs: x.EndNs, Class: eventlog.ChunkDone, WireBytes: 14})
	}
}
