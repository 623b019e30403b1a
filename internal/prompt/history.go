// Package prompt puts the prompts of a replay together: which messages a turn is made of, where the
// tree's cache-bust marker goes, and the pieces of text that the wire sends. The run sends them, the
// audit rebuilds them from bundle and log, pages show them: one source for all three.
package prompt

import "agentx/corpus"

// Text gives the text of one trace's messages, as a bundle holds it. c is a conversation of the plan,
// t a turn of it, m an index in the turn's New.
type Text interface {
	Content(c, t, m int) corpus.Content
	// AppendEscaped appends the message's JSON-escaped text as pieces that must not be changed.
	AppendEscaped(pieces [][]byte, c, t, m int) [][]byte
	// EscapedLen is the sum of the lengths of these pieces.
	EscapedLen(c, t, m int) int
}

// Ref names a message of a conversation: index Index in the New of turn Turn.
type Ref struct {
	Turn, Index int
	Message     corpus.Message
}

// History is the message array of a conversation as of its last turn, by reference. The zero value is
// that before turn 0.
type History struct {
	Messages []Ref
	next     int // first turn that the array does not have yet
}

// Advance brings the history to the array of the given turn, which must not lie before the turn it has.
// It returns how many messages were kept of the array before.
func (h *History) Advance(conversation *corpus.Conversation, turn int) (kept int) {
	kept = len(h.Messages)
	for ; h.next <= turn; h.next++ {
		planned := &conversation.Turns[h.next]
		kept = min(kept, planned.Keep)
		h.Messages = h.Messages[:planned.Keep]
		for index, message := range planned.New {
			h.Messages = append(h.Messages, Ref{h.next, index, message})
		}
	}
	return kept
}

// Tokens is the sum of the message tokens.
func (h *History) Tokens() int64 {
	var sum int64
	for _, ref := range h.Messages {
		sum += ref.Message.Tokens
	}
	return sum
}
