package run

import (
	"encoding/hex"

	"agentx/eventlog"
	"agentx/sched"
	"agentx/wire"
)

// exchangeEnd turns what the wire saw into the payload of the exchange_end event.
func exchangeEnd(result *wire.Result) eventlog.ExchangeEnd {
	end := eventlog.ExchangeEnd{
		Outcome:  eventlog.Outcome(result.Outcome),
		Class:    result.Class,
		Overflow: result.Overflow,

		Status:   result.Status,
		Protocol: result.Protocol,
		URLIndex: result.URLIndex,

		StartNs:        result.StartNs,
		ConnWaitNs:     known(result.ConnWaitNs),
		DNSNs:          known(result.DNSNs),
		ConnectNs:      known(result.ConnectNs),
		TLSNs:          known(result.TLSNs),
		Reused:         result.Reused,
		Resends:        result.Resends,
		SendStartNs:    known(result.SendStartNs),
		WrittenNs:      known(result.WrittenNs),
		FirstByteNs:    known(result.FirstByteNs),
		HeadersNs:      known(result.HeadersNs),
		FirstTokenNs:   known(result.FirstTokenNs),
		FirstTextNs:    known(result.FirstTextNs),
		SecondTokenNs:  known(result.SecondTokenNs),
		LastTokenNs:    known(result.LastTokenNs),
		LastByteNs:     known(result.LastByteNs),
		LastResponseNs: known(result.LastResponseNs),
		EndNs:          result.EndNs,
		CancelNs:       known(result.CancelNs),

		SentBytes:     result.SentBytes,
		ReceivedBytes: result.ReceivedBytes,
		Writes:        result.Writes,
		Reads:         result.Reads,

		Chunks:           eventlog.ChunkCounts(result.Counts),
		Early:            result.Early,
		OverflowLike:     result.OverflowLike,
		Done:             result.Done,
		Streamed:         result.Streamed,
		Model:            result.Model,
		FirstChunkTokens: known(result.FirstChunkTokens),

		ReadDelayMaxNs: max(result.ReadDelayMaxNs, 0),
		LocalAddr:      result.LocalAddr,
		RemoteAddr:     result.RemoteAddr,
	}
	if result.HasBodyDigest {
		end.BodyDigest = hex.EncodeToString(result.BodyDigest[:])
	}
	for _, choice := range result.Choices {
		end.FinishReasons = append(end.FinishReasons, choice.Finish)
	}
	if result.HasUsage {
		end.Usage = usage(&result.Usage)
	}
	if failure := result.Err; failure != nil {
		end.ErrorCode = failure.Code
		end.ErrorType = failure.Type
		end.ErrorMessage = failure.Message
		end.ErrorCause = failure.Cause
		end.CauseChain = failure.Chain
	}
	return end
}

func usage(usage *wire.Usage) *eventlog.Usage {
	return &eventlog.Usage{
		Prompt:             known(usage.Prompt),
		Completion:         known(usage.Completion),
		Total:              known(usage.Total),
		Reasoning:          known(usage.Reasoning),
		CacheRead:          known(usage.CacheRead),
		CacheWrite:         known(usage.CacheWrite),
		CacheMiss:          known(usage.CacheMiss),
		AcceptedPrediction: known(usage.AcceptedPrediction),
		RejectedPrediction: known(usage.RejectedPrediction),
		ToolUsePrompt:      known(usage.ToolUsePrompt),
	}
}

// known is nil for a value that did not happen or is not known.
func known(value int64) *int64 {
	if value == wire.Unset {
		return nil
	}
	return &value
}

// ended is what the machine is told of a result: its outcome, the socket's stamp of its end, and
// whether the server answered at all.
func ended(exchange sched.ExchangeID, result *wire.Result, nowNs int64) sched.Input {
	at := min(result.EndNs, nowNs)
	return sched.Ended(exchange, at, sched.Outcome(result.Outcome), result.FirstByteNs != wire.Unset)
}
