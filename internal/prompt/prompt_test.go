package prompt

import (
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/sched"
)

// wordText makes every message the word m<turn>.<index>, in two pieces.
type wordText struct{}

func word(t, m int) string { return "m" + string(rune('0'+t)) + "." + string(rune('0'+m)) }

func (wordText) Content(_, _, _ int) corpus.Content { return corpus.Content{} }

func (wordText) AppendEscaped(pieces [][]byte, _, t, m int) [][]byte {
	return append(pieces, []byte(word(t, m)[:1]), []byte(word(t, m)[1:]))
}

func (wordText) EscapedLen(_, t, m int) int { return len(word(t, m)) }

func message(role corpus.Role, tokens int64) corpus.Message {
	return corpus.Message{Role: role, Tokens: tokens}
}

// talk has turns that grow, cut back, and start anew.
func talk() *corpus.Conversation {
	return &corpus.Conversation{Turns: []corpus.Turn{
		{New: []corpus.Message{message(corpus.RoleSystem, 64), message(corpus.RoleUser, 10)}},
		{Keep: 1, New: []corpus.Message{message(corpus.RoleUser, 64), message(corpus.RoleAssistant, 64), message(corpus.RoleUser, 3)}},
		{Keep: 0, New: []corpus.Message{message(corpus.RoleAssistant, 5)}},
	}}
}

func render(messages []Ref, place Place, marker string) string {
	var buffer Buffer
	var lines []string
	for _, message := range buffer.Fill(wordText{}, 0, messages, place, []byte(marker)) {
		line := message.Role + ":"
		length := 0
		for _, piece := range message.Content.AppendPieces(nil) {
			line += string(piece)
			length += len(piece)
		}
		if int64(length) != message.Content.Len() {
			line += " LENGTH IS WRONG"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " ")
}

func TestHistoryFoldsKeptAndNewMessages(t *testing.T) {
	var history History
	history.Advance(talk(), 0)
	if got := render(history.Messages, Place{Message: -1}, ""); got != "system:m0.0 user:m0.1" {
		t.Errorf("turn 0 is %q", got)
	}
	if kept := history.Advance(talk(), 1); kept != 1 || history.Tokens() != 64+64+64+3 {
		t.Errorf("turn 1 keeps %d messages and has %d tokens", kept, history.Tokens())
	}
	if got := render(history.Messages, Place{Message: -1}, ""); got != "system:m0.0 user:m1.0 assistant:m1.1 user:m1.2" {
		t.Errorf("turn 1 is %q", got)
	}
	var resumed History
	if kept := resumed.Advance(talk(), 1); kept != 0 || len(resumed.Messages) != 4 {
		t.Errorf("a resume at turn 1 keeps %d of nothing and has %d messages", kept, len(resumed.Messages))
	}
}

func TestMarkerPlacement(t *testing.T) {
	var history, noUser History
	history.Advance(talk(), 1)
	noUser.Advance(talk(), 2)
	cases := []struct {
		target sched.CacheBust
		refs   []Ref
		want   string
		shared int
	}{
		{sched.CacheBustFirstTurnPrefix, history.Messages, "system:m0.0 user:Xm1.0 assistant:m1.1 user:m1.2", 1},
		{sched.CacheBustFirstTurnSuffix, history.Messages, "system:m0.0 user:m1.0X assistant:m1.1 user:m1.2", 2},
		{sched.CacheBustSystemPrefix, history.Messages, "system:Xm0.0 user:m1.0 assistant:m1.1 user:m1.2", 0},
		{sched.CacheBustSystemSuffix, history.Messages, "system:m0.0X user:m1.0 assistant:m1.1 user:m1.2", 1},
		{sched.CacheBustNone, history.Messages, "system:m0.0 user:m1.0 assistant:m1.1 user:m1.2", 4},
		{sched.CacheBustFirstTurnPrefix, noUser.Messages, "assistant:Xm2.0", 0},
		{sched.CacheBustSystemPrefix, noUser.Messages, "assistant:Xm2.0", 0},
		{sched.CacheBustFirstTurnPrefix, history.Messages[:1], "system:m0.0X", 1},
	}
	for _, c := range cases {
		place := PlaceMarker(c.target, c.refs)
		if got := render(c.refs, place, "X"); got != c.want || place.Shared(c.refs) != c.shared {
			t.Errorf("%s: %q with %d shared messages, want %q with %d", c.target, got, place.Shared(c.refs), c.want, c.shared)
		}
	}
}

func TestMarkerText(t *testing.T) {
	if got := Marker(sched.CacheBustFirstTurnPrefix, "c6844097e0c5"); got != "[rid:c6844097e0c5]\n\n" {
		t.Errorf("prefix marker is %q", got)
	}
	if got := Marker(sched.CacheBustSystemSuffix, "c6844097e0c5"); got != "\n\n[rid:c6844097e0c5]" {
		t.Errorf("suffix marker is %q", got)
	}
	if got := Marker(sched.CacheBustNone, ""); got != "" {
		t.Errorf("no digits give %q", got)
	}
}

func TestKeptByNextIsNothingWhereTheMarkerMayMove(t *testing.T) {
	conversation := talk()
	if got := KeptByNext(conversation, 0, Place{Message: 1}); got != 0 {
		t.Errorf("the marker's message is cut by the next turn, yet %d messages count as kept", got)
	}
	if got := KeptByNext(conversation, 0, Place{Message: -1}); got != 1 {
		t.Errorf("without a marker %d messages are kept, want 1", got)
	}
	if got := KeptByNext(conversation, 2, Place{Message: -1}); got != 0 {
		t.Errorf("after the last turn %d messages are kept", got)
	}
}

func TestToolShapedMessagesCarryTheCall(t *testing.T) {
	call := frame(corpus.Message{Role: corpus.RoleAssistant, ToolCall: 4})
	answer := frame(corpus.Message{Role: corpus.RoleTool, ToolCall: 4})
	if len(call.ToolCalls) != 1 || call.ToolCalls[0].ID != "call_turn_3" || answer.ToolCallID != "call_turn_3" {
		t.Errorf("call %+v, answer %+v: both must name call_turn_3", call, answer)
	}
}
