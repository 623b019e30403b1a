package token

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentx/internal/synth/draw"
)

// plainFind is the rule in plain words: leftmost, then longest, then first listed.
func plainFind(tokens []Added, s string, from int) (int, *Added) {
	for at := from; at < len(s); at++ {
		var best *Added
		for i := range tokens {
			if c := tokens[i].Content; c != "" && strings.HasPrefix(s[at:], c) && (best == nil || len(c) > len(best.Content)) {
				best = &tokens[i]
			}
		}
		if best != nil {
			return at, best
		}
	}
	return len(s), nil
}

func TestAddedTokensAreFoundLeftmostThenLongest(t *testing.T) {
	draws := draw.New(1, "added tokens")
	word := func(most int) string {
		const letters = "ab<|\u20ac"
		text := ""
		for range draws.Below(most + 1) {
			letter := []rune(letters)[draws.Below(5)]
			text += string(letter)
		}
		return text
	}
	for round := range 400 {
		tokens := make([]Added, draws.Below(12))
		for i := range tokens {
			tokens[i] = Added{Content: word(5), ID: ID(i)}
		}
		m := newMatcher(tokens)
		if some := slices.ContainsFunc(tokens, func(a Added) bool { return a.Content != "" }); m.empty() == some {
			t.Fatalf("round %d: empty says %t of %v", round, m.empty(), tokens)
		}
		s := word(40)
		for from := 0; from <= len(s); from++ {
			at, found := m.find(s, from)
			wantAt, want := plainFind(tokens, s, from)
			if at != wantAt || found != want {
				t.Fatalf("round %d: in %q from %d: %d %s, want %d %s", round, s, from, at, contentOf(found), wantAt, contentOf(want))
			}
		}
	}
}

func contentOf(a *Added) string {
	return fmt.Sprintf("%q", cmp.Or(a, &Added{Content: "(none)"}).Content)
}
