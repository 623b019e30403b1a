package prompt

import (
	"fmt"

	"agentx/corpus"
	"agentx/wire"
)

// Buffer is the memory of one request's message list; it is used again for later requests.
type Buffer struct {
	messages []wire.Message
	pieces   [][]byte
	ends     []int
}

// Fill lists the messages for the wire. marker is the JSON-escaped text that goes to place. The result is
// valid until the next call.
func (b *Buffer) Fill(text Text, conversation int, messages []Ref, place Place, marker []byte) []wire.Message {
	b.messages, b.pieces, b.ends = b.messages[:0], b.pieces[:0], b.ends[:0]
	// Pieces first, slices of them afterwards: appending may move the memory they lie in.
	for i, ref := range messages {
		framed := frame(ref.Message)
		framed.Content.Length = int64(text.EscapedLen(conversation, ref.Turn, ref.Index))
		if i == place.Message {
			framed.Content.Length += int64(len(marker))
		}
		if i == place.Message && !place.AtEnd {
			b.pieces = append(b.pieces, marker)
		}
		b.pieces = text.AppendEscaped(b.pieces, conversation, ref.Turn, ref.Index)
		if i == place.Message && place.AtEnd {
			b.pieces = append(b.pieces, marker)
		}
		b.messages = append(b.messages, framed)
		b.ends = append(b.ends, len(b.pieces))
	}
	start := 0
	for i, end := range b.ends {
		b.messages[i].Content.Pieces = b.pieces[start:end:end]
		start = end
	}
	return b.messages
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
