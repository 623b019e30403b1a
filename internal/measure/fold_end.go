package measure

import "agentx/eventlog"

// fill copies the facts of an exchange's end.
func fill(r *Record, end *eventlog.ExchangeEnd) {
	r.Class, r.RequestID, r.Streams = end.Class, end.RequestID, end.Streamed
	r.ModelSent, r.OverflowPhrase = end.Model, end.Overflow
	r.Chunks = end.Chunks.Reasoning + end.Chunks.Text + end.Chunks.Tool
	r.Incomplete = end.Class == "incomplete_stream"
	if len(end.FinishReasons) > 0 {
		r.Finish = end.FinishReasons[0]
	}
	if end.MaxTokens > 0 {
		r.MaxTokens = Count(end.MaxTokens)
	}
	t := &r.Times
	t.Start, t.End = Stamp(end.StartNs), Stamp(end.EndNs)
	t.SendStart, t.Written, t.FirstByte, t.Headers = stampOf(end.SendStartNs), stampOf(end.WrittenNs), stampOf(end.FirstByteNs), stampOf(end.HeadersNs)
	t.First, t.FirstText, t.Second, t.Last = stampOf(end.FirstTokenNs), stampOf(end.FirstTextNs), stampOf(end.SecondTokenNs), stampOf(end.LastTokenNs)
	t.LastResponse, t.LastByte, t.Cancel = stampOf(end.LastResponseNs), stampOf(end.LastByteNs), stampOf(end.CancelNs)
	t.ReadDelayNs = end.ReadDelayMaxNs
	if end.Outcome == eventlog.OutcomeOK && !end.Streamed && r.Chunks > 0 && !t.Last.Known() {
		t.Last = t.LastByte // an answer in one piece: its content is there when all of it is
	}
	r.HTTP = HTTP{
		Status: end.Status, Protocol: end.Protocol, URLIndex: end.URLIndex,
		ConnWaitNs: orUnknown(end.ConnWaitNs), DNSNs: orUnknown(end.DNSNs), ConnectNs: orUnknown(end.ConnectNs), TLSNs: orUnknown(end.TLSNs),
		Reused: end.Reused, Resends: end.Resends, SentBytes: end.SentBytes, ReceivedBytes: end.ReceivedBytes,
		Writes: end.Writes, Reads: end.Reads, LocalAddr: end.LocalAddr, RemoteAddr: end.RemoteAddr,
	}
	r.Plan.ReachTokens = Count(end.ReachTokens)
	k := &r.Tokens
	if end.PromptTokens > 0 {
		k.LocalInput = Count(end.PromptTokens) // the marker's tokens are in it
	}
	k.LocalOutput, k.LocalReasoning, k.FirstChunk = countOf(end.OutputTokensLocal), countOf(end.ReasoningTokensLocal), countOf(end.FirstChunkTokens)
	if end.Chunks.Reasoning == 0 && k.LocalReasoning == 0 {
		k.LocalReasoning = NoCount // no reasoning came, so there is none to count
	}
	if u := end.Usage; u != nil {
		k.Usage = UsageCounts{
			Reported: true, Prompt: countOf(u.Prompt), Completion: countOf(u.Completion), Total: countOf(u.Total), Reasoning: countOf(u.Reasoning),
			CacheRead: countOf(u.CacheRead), CacheWrite: countOf(u.CacheWrite), CacheMiss: countOf(u.CacheMiss),
			AcceptedPrediction: countOf(u.AcceptedPrediction), RejectedPrediction: countOf(u.RejectedPrediction),
			ToolUsePrompt: countOf(u.ToolUsePrompt),
		}
	}
}

func stampOf(p *int64) Stamp {
	if p == nil {
		return NoStamp
	}
	return Stamp(*p)
}

func countOf(p *int64) Count {
	if p == nil {
		return NoCount
	}
	return Count(*p)
}

func orUnknown(p *int64) int64 {
	if p == nil {
		return -1
	}
	return *p
}

// outcomeOf tells the fate of an exchange from the wire's outcome, class and reason; why is the
// machine's own word for a cancellation.
func outcomeOf(end *eventlog.ExchangeEnd, why string) (Outcome, string) {
	reason := end.Reason
	if reason == "" {
		reason = why
	}
	switch end.Outcome {
	case eventlog.OutcomeOK:
		if end.Class == "no_visible_output" {
			return OutcomeNoVisibleOutput, ""
		}
		return OutcomeOK, ""
	case eventlog.OutcomeOverflow:
		return OutcomeOverflow, ""
	case eventlog.OutcomeAbandoned:
		return OutcomeAbandoned, reason
	case eventlog.OutcomeCancelled:
		return cancelledBy(reason), reason
	default:
		return failure(end.Class), ""
	}
}

func cancelledBy(reason string) Outcome {
	switch reason {
	case "grace":
		return OutcomeCancelledGrace
	case "user":
		return OutcomeCancelledUser
	case "policy", "cancellation", "request_cancellation":
		return OutcomeCancelledPolicy
	default:
		return OutcomeCancelledRun
	}
}

func failure(class string) Outcome {
	switch class {
	case "http":
		return OutcomeHTTPError
	case "timeout":
		return OutcomeTimeout
	case "in_stream", "incomplete_stream", "line_too_long", "body_too_large":
		return OutcomeStreamError
	default:
		return OutcomeTransportError
	}
}

// errorOf is the error as the peer's files show it; nil for what is no error there.
func errorOf(r *Record, end *eventlog.ExchangeEnd) *ErrorInfo {
	switch {
	case r.Outcome == OutcomeNoVisibleOutput:
		return &ErrorInfo{Type: "InvalidInferenceResultError", Message: "the answer ended properly but had no visible content"}
	case r.Outcome == OutcomeCancelledPolicy:
		code := 499
		return &ErrorInfo{Code: &code, Type: "RequestCancellationError", Message: "cancelled by --request-cancellation-rate"}
	case end.ErrorType == "" && end.ErrorMessage == "" && end.ErrorCode == nil:
		return nil
	default:
		return &ErrorInfo{Code: end.ErrorCode, Type: end.ErrorType, Message: end.ErrorMessage, Cause: end.ErrorCause, CauseChain: end.CauseChain}
	}
}
