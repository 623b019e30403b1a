package corpus_test

import (
	"testing"

	"agentx/corpus"
)

// failer is a test or a property test.
type failer interface {
	Helper()
	Fatalf(format string, values ...any)
}

// checkPlan checks what holds for every plan: each prompt has the recorded length, its layout gives
// each message its tokens, and no turn waits for itself.
func checkPlan(t failer, plan *corpus.Plan, layout *corpus.Layout) {
	t.Helper()
	for c := range plan.Conversations {
		conversation := &plan.Conversations[c]
		var array []corpus.Message
		for k := range conversation.Turns {
			turn := &conversation.Turns[k]
			if turn.Keep > len(array) {
				t.Fatalf("%s turn %d keeps %d of %d messages", conversation.ID, k, turn.Keep, len(array))
			}
			array = append(array[:turn.Keep:turn.Keep], turn.New...)
			var sum int64
			for _, message := range array {
				if message.Tokens <= 0 {
					t.Fatalf("%s turn %d has a message of %d tokens", conversation.ID, k, message.Tokens)
				}
				sum += message.Tokens
			}
			if sum != turn.In {
				t.Fatalf("%s turn %d has %d tokens in its messages, recorded are %d", conversation.ID, k, sum, turn.In)
			}
			if turn.HitBlocks < 0 || turn.HitBlocks > turn.TotalBlocks || turn.HitTokens > turn.In {
				t.Fatalf("%s turn %d hits %d of %d blocks, %d tokens of %d", conversation.ID, k, turn.HitBlocks, turn.TotalBlocks, turn.HitTokens, turn.In)
			}
			if turn.Reset != (k > 0 && (turn.Keep < lastLength(conversation, k) || len(turn.New) == 0)) {
				t.Fatalf("%s turn %d: reset is %v although it keeps %d messages", conversation.ID, k, turn.Reset, turn.Keep)
			}
			checkContents(t, plan, layout, c, k)
		}
	}
	checkOrder(t, plan)
}

// lastLength is the length of the message array of the turn before turn k.
func lastLength(conversation *corpus.Conversation, k int) int {
	length := 0
	for i := range k {
		length = conversation.Turns[i].Keep + len(conversation.Turns[i].New)
	}
	return length
}

func checkContents(t failer, plan *corpus.Plan, layout *corpus.Layout, c, k int) {
	t.Helper()
	turn, contents := &plan.Conversations[c].Turns[k], layout.Messages[c][k]
	if len(contents) != len(turn.New) {
		t.Fatalf("conversation %d turn %d: %d messages, %d contents", c, k, len(turn.New), len(contents))
	}
	for m, content := range contents {
		var sum int64
		for _, span := range content.Spans {
			for i := range span.Count {
				tokens := layout.TokensOf(span.First+corpus.Rank(i), plan.BlockSize)
				if tokens != plan.BlockSize {
					t.Fatalf("conversation %d turn %d message %d: a span holds a window of %d tokens", c, k, m, tokens)
				}
				sum += int64(tokens)
			}
		}
		if content.HasTail {
			tokens := layout.TokensOf(content.Tail, plan.BlockSize)
			if tokens <= 0 || tokens >= plan.BlockSize {
				t.Fatalf("conversation %d turn %d message %d: a tail of %d tokens", c, k, m, tokens)
			}
			sum += int64(tokens)
		}
		if sum != turn.New[m].Tokens {
			t.Fatalf("conversation %d turn %d message %d: content of %d tokens for %d", c, k, m, sum, turn.New[m].Tokens)
		}
	}
}

// checkOrder refuses turns that wait for each other, by taking turns away that wait for nothing.
func checkOrder(t failer, plan *corpus.Plan) {
	t.Helper()
	waits := map[corpus.TurnRef][]corpus.TurnRef{}
	for c := range plan.Conversations {
		for k, turn := range plan.Conversations[c].Turns {
			own := corpus.TurnRef{Conversation: c, Turn: k}
			waits[own] = append(waits[own], turn.Preds...)
			if k > 0 {
				waits[own] = append(waits[own], corpus.TurnRef{Conversation: c, Turn: k - 1})
			}
		}
		for _, branch := range plan.Conversations[c].Branches {
			for _, child := range branch.Children {
				last := len(plan.Conversations[child].Turns) - 1
				if last < 0 {
					continue
				}
				first := corpus.TurnRef{Conversation: child, Turn: 0}
				waits[first] = append(waits[first], corpus.TurnRef{Conversation: c, Turn: branch.SpawnTurn})
				if branch.JoinTurn >= 0 {
					join := corpus.TurnRef{Conversation: c, Turn: branch.JoinTurn}
					waits[join] = append(waits[join], corpus.TurnRef{Conversation: child, Turn: last})
				}
			}
		}
	}
	for removed := true; removed; {
		removed = false
		for own, others := range waits {
			free := true
			for _, other := range others {
				if _, left := waits[other]; left {
					free = false
				}
			}
			if free {
				delete(waits, own)
				removed = true
			}
		}
	}
	if len(waits) > 0 {
		t.Fatalf("%d turns wait for each other: %v", len(waits), waits)
	}
}

func TestBuildRefusesWhatNoPlanCanHold(t *testing.T) {
	for name, change := range map[string]func(*corpus.Trace){
		"in 0":             func(trace *corpus.Trace) { trace.Rows[0].Request.In = 0 },
		"negative out":     func(trace *corpus.Trace) { trace.Rows[0].Request.Out = -1 },
		"negative t":       func(trace *corpus.Trace) { trace.Rows[0].Request.T = -1 },
		"block size 0":     func(trace *corpus.Trace) { trace.BlockSize = 0 },
		"endless input":    func(trace *corpus.Trace) { trace.Rows[0].Request.In = 1 << 40 },
		"ids beyond range": func(trace *corpus.Trace) { trace.Blocks = 1 },
	} {
		trace := parseTrace(t, "0 128/1 [1,2]\n1 192/1 [1-3]")
		change(trace)
		if _, _, _, err := corpus.Build(trace, corpus.DefaultOptions()); err == nil {
			t.Errorf("%s: built", name)
		}
	}
}
