package measure

import (
	"bytes"

	"agentx/eventlog"
)

// trailBuilder gathers the content chunks of one exchange. Several kinds of content in one event of the
// stream, such as text beside a tool call, are one chunk: only the first of them has wire bytes.
type trailBuilder struct {
	trail  Trail
	last   int64 // time of the chunk before the pending one
	atNs   int64
	text   int64
	tokens Count
	choice int64
	some   bool // a chunk is pending
}

func (b *trailBuilder) add(chunk *eventlog.Chunk) {
	if !isContent(chunk.Class) {
		return
	}
	tokens := NoCount
	if chunk.HasTokens {
		tokens = Count(chunk.Tokens)
	}
	if b.some && chunk.WireBytes == 0 && chunk.AtNs == b.atNs && chunk.Choice == b.choice {
		b.text += chunk.TextBytes
		b.tokens = max(b.tokens, tokens)
		return
	}
	b.flush()
	b.some, b.atNs, b.text, b.tokens, b.choice = true, chunk.AtNs, chunk.TextBytes, tokens, chunk.Choice
}

func (b *trailBuilder) flush() {
	if b.some {
		b.trail.Append(b.atNs-b.last, b.text, b.tokens)
		b.last = b.atNs
	}
}

// close is the trail with offsets from start, in memory of its own; the builder is empty again.
func (b *trailBuilder) close(start int64) Trail {
	b.flush()
	trail := Trail{packed: bytes.Clone(b.trail.packed), count: b.trail.count, start: start}
	*b = trailBuilder{trail: Trail{packed: b.trail.packed[:0]}}
	return trail
}

func isContent(class eventlog.ChunkClass) bool {
	return class == eventlog.ChunkReasoning || class == eventlog.ChunkText || class == eventlog.ChunkTool
}
