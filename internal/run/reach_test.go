package run

import (
	"math/rand/v2"
	"strings"
	"testing"

	"agentx/corpus"
)

func user(spans ...corpus.Span) promptMessage {
	return promptMessage{role: corpus.RoleUser, content: corpus.Content{Spans: spans}}
}

func assistant(spans ...corpus.Span) promptMessage {
	return promptMessage{role: corpus.RoleAssistant, content: corpus.Content{Spans: spans}}
}

func span(first, count int) corpus.Span {
	return corpus.Span{First: corpus.Rank(first), Count: uint32(count)}
}

func TestReachGrowthReusesTheWholeEarlierPrompt(t *testing.T) {
	var tree reachTree
	path, reach := tree.visit(nil, 0, []promptMessage{user(span(0, 4))})
	if reach != 0 {
		t.Errorf("first prompt reaches %d windows, want 0", reach)
	}
	_, reach = tree.visit(path, 1, []promptMessage{assistant(span(4, 1)), user(span(5, 3))})
	if reach != 4 {
		t.Errorf("grown prompt reaches %d windows, want 4", reach)
	}
}

func TestReachStopsWhereRolesDiffer(t *testing.T) {
	var tree reachTree
	tree.visit(nil, 0, []promptMessage{user(span(0, 6))})
	_, reach := tree.visit(nil, 0, []promptMessage{user(span(0, 2)), assistant(span(2, 2)), user(span(4, 2))})
	if reach != 2 {
		t.Errorf("reach is %d windows, want 2: windows 2 and 3 stand in another role", reach)
	}
}

func TestReachTailNeverCountsAndOnlyTheSameTailContinues(t *testing.T) {
	var tree reachTree
	withTail := promptMessage{corpus.RoleUser, corpus.Content{Spans: []corpus.Span{span(0, 3)}, HasTail: true, Tail: 9}}
	tree.visit(nil, 0, []promptMessage{withTail, assistant(span(3, 1))})
	if _, reach := tree.visit(nil, 0, []promptMessage{withTail, assistant(span(3, 1))}); reach != 4 {
		t.Errorf("same prompt again reaches %d windows, want 4", reach)
	}
	other := withTail
	other.content.Tail = 10
	if _, reach := tree.visit(nil, 0, []promptMessage{other, assistant(span(3, 1))}); reach != 3 {
		t.Errorf("prompt with another tail reaches %d windows, want 3", reach)
	}
}

// flatten is the obvious form of a prompt: one symbol per window, with a mark where a role starts.
func flatten(messages []promptMessage) []string {
	var symbols []string
	for _, message := range messages {
		mark := string(message.role) + ":"
		for _, span := range message.content.Spans {
			for k := range span.Count {
				symbols = append(symbols, mark+string(rune(int(span.First)+int(k))))
				mark = ""
			}
		}
		if message.content.HasTail {
			symbols = append(symbols, "tail"+string(rune(message.content.Tail)))
		}
		symbols = append(symbols, "end")
	}
	return symbols
}

// obviousReach compares with every earlier prompt, symbol by symbol.
func obviousReach(earlier [][]string, prompt []string) int {
	best := 0
	for _, other := range earlier {
		windows := 0
		for i := range min(len(other), len(prompt)) {
			if other[i] != prompt[i] {
				break
			}
			if prompt[i] != "end" && !strings.HasPrefix(prompt[i], "tail") {
				windows++
			}
		}
		best = max(best, windows)
	}
	return best
}

func TestReachAgreesWithComparingEveryPair(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var tree reachTree
		var path reachPath
		var prompt []promptMessage
		var earlier [][]string
		for range 12 {
			keep := random.IntN(len(prompt) + 1)
			var added []promptMessage
			for range 1 + random.IntN(3) {
				message := user(span(random.IntN(3), 1+random.IntN(3)))
				if random.IntN(2) == 0 {
					message.role = corpus.RoleAssistant
				}
				added = append(added, message)
			}
			prompt = append(prompt[:keep:keep], added...)
			var reach int
			path, reach = tree.visit(path, keep, added)
			flat := flatten(prompt)
			if want := obviousReach(earlier, flat); reach != want {
				t.Fatalf("round %d: reach %d windows, comparing every pair gives %d for %v", round, reach, want, flat)
			}
			earlier = append(earlier, flat)
		}
	}
}
