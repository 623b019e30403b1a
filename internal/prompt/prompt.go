package prompt

import (
	"fmt"
	"slices"

	"agentx/corpus"
	"agentx/wire"
)

// Buffer is the memory of one request's message list; it is used again for later requests.
type Buffer struct {
	messages []wire.Message
	contents []content
}

// Fill lists the messages for the wire. marker is the JSON-escaped text that goes to place. The result is
// valid until the next call.
func (b *Buffer) Fill(text Text, conversation int, messages []Ref, place Place, marker []byte) []wire.Message {
	b.messages = slices.Grow(b.messages[:0], len(messages))
	b.contents = slices.Grow(b.contents[:0], len(messages)) // messages point into it
	for i, ref := range messages {
		content := content{text: text, conversation: conversation, turn: ref.Turn, index: ref.Index}
		if i == place.Message {
			content.marker, content.atEnd = marker, place.AtEnd
		}
		b.contents = append(b.contents, content)
		framed := frame(ref.Message)
		framed.Content = &b.contents[i]
		b.messages = append(b.messages, framed)
	}
	return b.messages
}

// content is the text of one message, with the marker where it carries that.
type content struct {
	text                      Text
	conversation, turn, index int
	marker                    []byte
	atEnd                     bool
}

func (c *content) Len() int64 {
	return int64(c.text.EscapedLen(c.conversation, c.turn, c.index) + len(c.marker))
}

func (c *content) AppendPieces(pieces [][]byte) [][]byte {
	if !c.atEnd && len(c.marker) > 0 {
		pieces = append(pieces, c.marker)
	}
	pieces = c.text.AppendEscaped(pieces, c.conversation, c.turn, c.index)
	if c.atEnd && len(c.marker) > 0 {
		pieces = append(pieces, c.marker)
	}
	return pieces
}

// frame is the message without its content (spec reconstruction 5.9 for tool-shaped pairs).
func frame(message corpus.Message) wire.Message {
	framed := wire.Message{Role: string(message.Role)}
	if message.ToolCall == 0 {
		return framed
	}
	call := fmt.Sprintf("call_turn_%d", message.ToolCall-1)
	if message.Role == corpus.RoleTool {
		framed.ToolCallID = call
	} else {
		framed.ToolCalls = []wire.ToolCall{{ID: call, Name: "recorded_tool", Arguments: "{}"}}
	}
	return framed
}
