package wire

import (
	"strings"
	"time"
)

// Request is one exchange to make. Do reads it and keeps nothing of it; its slices may be reused after
// Do has returned.
type Request struct {
	// URLIndex picks from Options.URLs, modulo their number.
	URLIndex int
	// RequestID goes out as X-Request-ID.
	RequestID string
	// SessionID is the correlation id of the stream: X-Correlation-ID (or Options.SessionHeader), the
	// affinity headers, and the key of a sticky connection.
	SessionID string
	// ParentSessionID is the correlation id of the stream that spawned this one, empty for a root.
	ParentSessionID string
	// TreeID names the tree, for Options.Affinity.TreeHeader.
	TreeID string
	// LastTurn says that no request of this session follows: a sticky connection is closed after it.
	LastTurn bool
	// Headers are the request's own; they win over Options.Headers.
	Headers []Header
	Body    Body
	// StreamBody, where not nil, asks for the BLAKE3 of the body. Keep one per stream: it goes on from what
	// it kept of the stream's body before.
	StreamBody *StreamBody
	// CancelAfter, where not nil, cancels the request that long after its last byte was written.
	CancelAfter *time.Duration
	// Burst, where not nil, is shared by the requests that are due at the same instant.
	Burst *Burst
	Hooks Hooks
	// KeepRaw asks for Result.RawHead and Result.RawBody.
	KeepRaw bool
	// KeepReads asks for Result.WriteList and Result.ReadList.
	KeepReads bool
}

// Hooks are called on the goroutine of Do, while it waits: they must be quick. Any may be nil.
type Hooks struct {
	// Written: the last byte of the request was handed to the socket. After a resend it is called again.
	Written func(at int64, bodyBytes int64)
	// FirstContent: the first chunk with output arrived.
	FirstContent func(at int64, class ChunkClass)
	// Chunks gets the chunks that one read completed; the slice is only valid during the call. With it
	// Result.Chunks stays nil.
	Chunks func(batch []Chunk)
}

// Header is one request header. Names are compared without regard to case.
type Header struct {
	Name, Value string
}

// Is tells whether the header has this name.
func (h Header) Is(name string) bool {
	return strings.EqualFold(h.Name, name)
}

// Body is a chat request. Keys go out in this order: messages, model, stream, tools, the token limit,
// Options.Extra, Extra, stream_options; a key that is overwritten keeps its place.
type Body struct {
	Messages []Message
	Model    string
	Stream   bool
	// Tools is a JSON value, nil to leave the key out.
	Tools []byte
	// MaxTokens is the output limit; 0 leaves it out.
	MaxTokens int64
	// Extra are the turn's own fields; they win over Options.Extra.
	Extra Fields
	// KeptMessages is the number of Messages that the stream's next request begins with, byte for byte.
	// StreamBody keeps them.
	KeptMessages int
}

// Message is one entry of messages.
type Message struct {
	Role string
	// Content is the text; nil is the empty one.
	Content Text
	// ToolCalls make an assistant message with tool_calls.
	ToolCalls []ToolCall
	// ToolCallID is the tool_call_id of a message of role tool, empty for none.
	ToolCallID string
}

// Text is a string's content in JSON-escaped form, without its quotes. Its pieces are asked for when the
// socket takes them, not before: a burst of large requests then begins without working through megabytes.
type Text interface {
	// Len is the sum of the lengths of the pieces.
	Len() int64
	// AppendPieces appends the pieces in order. They may be windows into a buffer shared by many requests;
	// they are not written to.
	AppendPieces(pieces [][]byte) [][]byte
}

// Pieces is a text that is there in pieces.
type Pieces [][]byte

// Len is the sum of the lengths of the pieces.
func (p Pieces) Len() (sum int64) {
	for _, piece := range p {
		sum += int64(len(piece))
	}
	return sum
}

// AppendPieces appends the pieces.
func (p Pieces) AppendPieces(pieces [][]byte) [][]byte { return append(pieces, p...) }

// ToolCall is one entry of tool_calls, of type function. Arguments is the plain (not escaped) text.
type ToolCall struct {
	ID, Name, Arguments string
}
