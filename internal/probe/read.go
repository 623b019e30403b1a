package probe

import (
	"errors"
	"strings"

	"agentx/wire"
)

// mostText bounds the output that is reported.
const mostText = 2000

// read turns an exchange into figures; texts are shown without secrets.
func (a *asker) read(name string, r *wire.Result, secrets *wire.Redactor) Request {
	out := Request{
		Prompt: name, Outcome: string(r.Outcome), Class: r.Class, Status: r.Status, Protocol: r.Protocol, Resends: r.Resends,
		RequestBytes: r.SentBytes, Chunks: r.Counts.Content(), Done: r.Done, streamed: r.Streamed,
		TTFTMs: since(r.StartNs, r.FirstTokenNs), TotalMs: since(r.StartNs, r.EndNs),
		stopped: errors.Is(r.CancelCause, errEnough),
	}
	if r.Err != nil {
		out.Error = short(r.Err.Error())
	}
	if out.stopped {
		out.Error = "ended here: " + errEnough.Error()
	}
	if r.ConnectNs != wire.Unset {
		took := float64(max(r.DNSNs, 0)+r.ConnectNs+max(r.TLSNs, 0)) / 1e6
		out.ConnectMs = &took
	}
	if len(r.Choices) > 0 {
		choice := &r.Choices[0]
		out.Text = short(secrets.Text(string(choice.Text) + string(choice.Tool)))
		out.Reasoning, out.FinishReason = short(secrets.Text(string(choice.Reasoning))), choice.Finish
	}
	if r.HasUsage {
		out.PromptTokens, out.CompletionTokens = told(r.Usage.Prompt), told(r.Usage.Completion)
		out.ReasoningTokens, out.CachedTokens = told(r.Usage.Reasoning), told(r.Usage.CacheRead)
	}
	out.rate(r)
	return out
}

// rate is the output after its first piece over the time it took.
func (out *Request) rate(r *wire.Result) {
	if r.FirstTokenNs == wire.Unset || r.LastTokenNs <= r.FirstTokenNs {
		return
	}
	pieces, of := int64(out.Chunks), "chunks"
	if out.CompletionTokens != nil {
		pieces, of = *out.CompletionTokens, "tokens"
	}
	if pieces < 2 {
		return
	}
	rate := float64(pieces-1) / (float64(r.LastTokenNs-r.FirstTokenNs) / 1e9)
	out.TokensPerS, out.RateOf = &rate, of
}

func since(start, end int64) *float64 {
	if start == wire.Unset || end == wire.Unset {
		return nil
	}
	ms := float64(end-start) / 1e6
	return &ms
}

func told(count int64) *int64 {
	if count == wire.Unset {
		return nil
	}
	return &count
}

func short(text string) string {
	if len(text) > mostText {
		text = text[:mostText] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
