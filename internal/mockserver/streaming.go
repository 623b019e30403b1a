package mockserver

import (
	"context"
	"net/http"
	"time"

	"agentx/internal/servermodel"
)

// stream sends the answer token by token as the model produces it; false when the client went away.
func (x *exchange) stream(ctx context.Context, p progress) bool {
	options := &x.server.options
	x.record.Status = http.StatusOK
	chunks := newChunkWriter(x.answerID(), x.request.Model, time.Now().Unix(), options.ReasoningKey)
	var running *usage
	if x.request.ContinuousUsage {
		running = &usage{Prompt: x.usage.Prompt, Total: x.usage.Prompt}
	}
	if !options.NoRoleChunk {
		chunks.role(running)
	}
	if options.EarlyHeaders && !x.send(chunks.take()) {
		return false
	}
	for sent := 0; sent < p.output; {
		var there bool
		if p, there = x.await(ctx, sent+options.TokensPerChunk); !there {
			return false
		}
		if sent == 0 && len(chunks.buffer) > 0 && !x.send(chunks.take()) { // the role, before the first token
			return false
		}
		sent = x.appendText(chunks, sent, p, running)
		if p.outcome == servermodel.Aborted && sent == p.emitted {
			chunks.buffer = append(chunks.buffer, `data: {"error":{"message":"the engine failed in mid-answer (ordered by the abort rate)","type":"InternalServerError","param":null,"code":500}}`+"\n\ndata: [DONE]\n\n"...)
			x.record.Outcome = p.outcome.String()
			x.beforeLastWrite()
			return x.sendContent(chunks.take())
		}
		if !x.sendContent(chunks.take()) {
			return false
		}
	}
	x.record.Outcome = servermodel.Finished.String()
	x.usage.Completion, x.usage.Total = p.output, x.usage.Prompt+p.output
	if reasoning := min(options.ReasoningTokens, p.output); reasoning > 0 {
		x.usage.Output = &usageOutput{Reasoning: reasoning}
	}
	if x.request.IncludeUsage {
		chunks.usage(x.usage)
	}
	chunks.done()
	x.beforeLastWrite()
	return x.send(chunks.take())
}

// await waits until so many tokens of the answer are there, or it is over; false when the client went away.
func (x *exchange) await(ctx context.Context, tokens int) (progress, bool) {
	for {
		p := x.server.engine.progress(x.job, tokens)
		if p.outcome != servermodel.Pending || p.emitted >= min(tokens, p.output) {
			return p, true
		}
		if !x.sleeper.until(ctx, p.wantedNs) {
			return p, false
		}
	}
}

// appendText builds the events for every full chunk that is there, and for the end of the answer.
func (x *exchange) appendText(chunks *chunkWriter, sent int, p progress, running *usage) int {
	options := &x.server.options
	for sent < p.emitted {
		to := min(sent+options.TokensPerChunk, p.emitted)
		finish := ""
		if to == p.output && p.outcome != servermodel.Aborted {
			finish = finishReason(p.stopped)
		} else if to-sent < options.TokensPerChunk && p.outcome == servermodel.Pending {
			break
		}
		sent = chunks.text(sent, to, options.ReasoningTokens, finish, running)
	}
	return sent
}

// sendContent sends events that carry tokens, and notes when.
func (x *exchange) sendContent(events []byte) bool {
	ok := x.send(events)
	at := x.server.clock.now()
	if x.r.ProtoMajor == 1 {
		at = x.tap.lastWrite.Load()
	}
	if x.record.FirstTokenNs == 0 {
		x.record.FirstTokenNs = at
	}
	if x.server.options.RecordContent {
		x.record.ContentNs = append(x.record.ContentNs, at)
	}
	return ok
}

// send writes events to the socket at once; false when the client went away.
func (x *exchange) send(events []byte) bool {
	if x.record.FirstByteNs == 0 {
		x.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		x.w.Header().Set("Cache-Control", "no-cache")
		x.record.FirstByteNs = x.server.clock.now()
	}
	if _, err := x.w.Write(events); err != nil {
		return false
	}
	if err := http.NewResponseController(x.w).Flush(); err != nil {
		return false
	}
	x.record.EndNs = x.server.clock.now()
	return true
}
