package run

import (
	"bytes"
	"testing"

	"agentx/wire"
)

type bytesAsTokens struct{}

func (bytesAsTokens) Count(text string) int { return len(text) }

// TestAFloodOfTextIsNotCounted: output beyond what any model gives has no local counts, and the reason.
func TestAFloodOfTextIsNotCounted(t *testing.T) {
	half := bytes.Repeat([]byte("x"), countedBytes/2)
	for name, c := range map[string]struct {
		choices           []wire.Choice
		output, reasoning int64 // -1: none
		reason            string
	}{
		"nothing came": {nil, -1, -1, ""},
		"just counted": {[]wire.Choice{{Text: half}, {Reasoning: half[1:], Tool: []byte("y")}}, countedBytes/2 + 1, countedBytes/2 - 1, ""},
		"too long":     {[]wire.Choice{{Text: half}, {Reasoning: half, Tool: []byte("y")}}, -1, -1, reasonTextTooLong},
	} {
		item := finished{choices: c.choices}
		(&finisher{counter: bytesAsTokens{}}).countOutput(&item)
		given := func(n *int64) int64 {
			if n == nil {
				return -1
			}
			return *n
		}
		if output, reasoning := given(item.end.OutputTokensLocal), given(item.end.ReasoningTokensLocal); output != c.output || reasoning != c.reasoning || item.end.NoLocalCount != c.reason {
			t.Errorf("%s: %d and %d, %q", name, output, reasoning, item.end.NoLocalCount)
		}
	}
}
