package wire

import (
	"bytes"
	"unicode/utf8"

	"agentx/wire/chat"
	"agentx/wire/sse"
)

// takeEvent takes one event of the stream.
func (a *answer) takeEvent() {
	event, r := &a.event, &a.x.result
	r.Streamed = true
	data := bytes.TrimSpace(event.Data)
	switch {
	case event.Kind == sse.Comment:
		a.mark(ChunkKeepAlive)
	case event.Kind == sse.Text:
		a.takeUnframed()
	case event.TooLong:
		a.mark(ChunkOther)
	case bytes.EqualFold(event.Name, []byte("error")):
		a.takeErrorEvent(data)
	case len(data) == 0, data[0] == ':', bytes.EqualFold(event.Name, []byte("ping")):
		a.mark(ChunkKeepAlive)
	case r.Done:
		a.mark(ChunkOther) // nothing counts after [DONE]
	case string(data) == "[DONE]":
		r.Done = true
		a.mark(ChunkDone)
		a.x.limits.done(a.x.clock.Now())
	default:
		chunk, ok := a.parser.Parse(data)
		if !ok {
			r.Malformed++
			a.mark(ChunkOther)
			return
		}
		if chunk.Failed {
			a.fail(chunk, string(data))
			return
		}
		a.takeChunk(chunk)
	}
}

// mark notes a chunk without content.
func (a *answer) mark(class ChunkClass) {
	a.note(Chunk{At: a.event.At, WireBytes: int32(a.event.WireBytes), Completion: int32(Unset), Class: class})
}

func (a *answer) note(chunk Chunk) {
	a.batch = append(a.batch, chunk)
	if chunk.Part {
		return
	}
	a.x.result.Counts.add(chunk.Class)
	if chunk.Class != ChunkKeepAlive {
		a.x.result.LastResponseNs = chunk.At
	}
}

// takeErrorEvent takes an event that is named error.
func (a *answer) takeErrorEvent(data []byte) {
	failed := &streamFault{kind: typeSSE, code: codeInStream, message: string(data)}
	if len(a.event.Comment) > 0 {
		failed.message = "Error occurred in SSE response: " + string(a.event.Comment)
	}
	if chunk, ok := a.parser.Parse(data); ok && chunk.Failed {
		failed.describe(chunk)
	}
	a.fault(failed)
}

// fail takes an error object in the place of a chunk.
func (a *answer) fail(chunk *chat.Chunk, text string) {
	failed := &streamFault{kind: typeSSE, code: codeInStream, message: text}
	failed.describe(chunk)
	a.fault(failed)
}

func (f *streamFault) describe(chunk *chat.Chunk) {
	if len(chunk.ErrorType) > 0 {
		f.kind = string(chunk.ErrorType)
	}
	if chunk.ErrorCode != chat.Unset {
		f.code = int(chunk.ErrorCode)
	}
}

// fault keeps the first in-stream error. What follows it has the grace to come, so that the connection
// need not be given up.
func (a *answer) fault(failed *streamFault) {
	a.mark(ChunkError)
	if a.failed == nil {
		a.failed = failed
	}
	a.x.limits.finished(a.x.clock.Now())
}

// maxUnframed bounds the lines outside of events that are looked at.
const maxUnframed = 64 << 10

// takeUnframed takes a line that is no field of an event: servers put bare JSON into streams, on one line
// or several.
func (a *answer) takeUnframed() {
	r := &a.x.result
	if len(a.unframed)+len(a.event.Data) >= maxUnframed {
		a.mark(ChunkOther)
		return
	}
	a.unframed = append(append(a.unframed, a.event.Data...), '\n')
	text := bytes.TrimSpace(a.unframed)
	if !bytes.HasSuffix(text, []byte("}")) {
		a.mark(ChunkOther)
		return
	}
	chunk, ok := a.parser.Parse(text)
	switch {
	case !ok:
		a.mark(ChunkOther)
		return
	case chunk.Failed:
		a.fail(chunk, string(text))
	case chunk.Whole:
		r.Streamed, a.broken = false, true
		a.takeChunk(chunk)
	default:
		a.mark(ChunkOther)
	}
	a.unframed = a.unframed[:0]
}

// takeChunk takes the content, finish reasons and usage of a chunk.
func (a *answer) takeChunk(chunk *chat.Chunk) {
	r := &a.x.result
	if len(chunk.Model) > 0 && string(chunk.Model) != r.Model {
		r.Model = string(chunk.Model)
	}
	entry := Chunk{At: a.event.At, WireBytes: int32(a.event.WireBytes), Completion: int32(Unset)}
	if chunk.HasUsage {
		r.Usage, r.HasUsage = chunk.Usage, true
		entry.Completion = int32(min(chunk.Usage.Completion, 1<<31-1))
	}
	for i := range chunk.Choices {
		c := &chunk.Choices[i]
		entry.Choice = int32(c.Index)
		a.takeChoice(c, &entry, chunk.HasUsage)
		entry.WireBytes, entry.Completion = 0, int32(Unset)
	}
	if len(chunk.Choices) == 0 {
		entry.Class = ChunkOther
		if chunk.HasUsage {
			entry.Class = ChunkUsage
			a.trailing = true
		}
		a.note(entry)
	}
	a.followEnd()
}

// followEnd starts the grace when every choice has finished, and ends it when one goes on.
func (a *answer) followEnd() {
	choices := a.x.result.Choices
	finished := len(choices) > 0
	for i := range choices {
		finished = finished && choices[i].Finish != ""
	}
	switch {
	case finished:
		a.x.limits.finished(a.x.clock.Now())
	case !a.x.result.Done && a.failed == nil:
		a.x.limits.resumed()
	}
}

// takeChoice takes one choice's part of a chunk.
func (a *answer) takeChoice(c *chat.Choice, entry *Chunk, usage bool) {
	kept := a.choice(c.Index)
	if kept != nil && len(c.Finish) > 0 && kept.Finish != string(c.Finish) {
		kept.Finish = string(c.Finish)
	}
	pieces := [...]struct {
		class ChunkClass
		text  []byte
	}{{ChunkReasoning, c.Reasoning}, {ChunkTool, c.Tool}, {ChunkText, c.Text}}
	content := false
	for _, piece := range pieces {
		if len(piece.text) == 0 {
			continue
		}
		part := *entry
		part.Class, part.TextBytes, part.Part = piece.class, int32(len(piece.text)), content
		if content {
			part.WireBytes, part.Completion = 0, int32(Unset)
		}
		a.keepText(kept, piece.class, piece.text)
		a.stampContent(&part)
		a.note(part)
		content = true
	}
	if content {
		return
	}
	empty := *entry
	switch {
	case c.Role && len(c.Finish) == 0:
		empty.Class = ChunkRole
	case usage:
		empty.Class = ChunkUsage
	default:
		empty.Class = ChunkOther
	}
	a.note(empty)
}

// stampContent keeps the times of the first, second and last content.
func (a *answer) stampContent(part *Chunk) {
	r := &a.x.result
	if a.broken || a.kind != asStream {
		return // one piece: there is no time to a first token
	}
	if part.Class != ChunkReasoning && r.FirstTextNs == Unset {
		r.FirstTextNs = part.At
	}
	r.LastTokenNs = part.At
	if part.Part {
		return
	}
	switch {
	case r.FirstTokenNs == Unset:
		r.FirstTokenNs = part.At
		r.FirstChunkTokens = int64(part.Completion)
		if a.x.request.Hooks.FirstContent != nil {
			a.x.request.Hooks.FirstContent(part.At, part.Class)
		}
	case r.SecondTokenNs == Unset:
		r.SecondTokenNs = part.At
	}
}

// choice finds the kept text of a choice, or begins it; nil where there are too many.
func (a *answer) choice(index int) *Choice {
	choices := a.x.result.Choices
	for i := range choices {
		if choices[i].Index == index {
			return &choices[i]
		}
	}
	if len(choices) >= maxChoices {
		a.x.result.TextCut = true
		return nil
	}
	a.x.result.Choices = append(choices, Choice{Index: index})
	return &a.x.result.Choices[len(choices)]
}

// keepText appends output to its choice, up to the limit.
func (a *answer) keepText(kept *Choice, class ChunkClass, text []byte) {
	r := &a.x.result
	if !r.InvalidUTF8 && !utf8.Valid(text) {
		r.InvalidUTF8 = true
	}
	if a.textBytes += int64(len(text)); kept == nil || a.textBytes > a.x.options.Limits.TextBytes {
		r.TextCut = true
		return
	}
	switch class {
	case ChunkReasoning:
		kept.Reasoning = append(kept.Reasoning, text...)
	case ChunkTool:
		kept.Tool = append(kept.Tool, text...)
	default:
		kept.Text = append(kept.Text, text...)
	}
}
