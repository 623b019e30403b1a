package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus"
)

// The sample's filler: every word is a token, and so is every other character. Window texts end next
// to quotes, backslashes, tabs and newlines on purpose.
const sampleText = ` alpha" beta\ gamma	 delta
 epsilon zeta eta theta"" iota kappa lambda\\ mu nu xi
 omicron pi rho sigma	tau upsilon phi chi psi omega`

func sampleEnds() (ends []uint32) {
	for i := range len(sampleText) {
		letter := func(at int) bool { return at < len(sampleText) && sampleText[at] >= 'a' }
		if !letter(i+1) || !letter(i) && sampleText[i] != ' ' {
			ends = append(ends, uint32(i+1))
		}
	}
	return ends
}

// sampleStart is the token that is the word.
func sampleStart(word string) uint32 {
	at := strings.Index(sampleText, " "+word)
	for i, end := range sampleEnds() {
		if int(end) > at {
			return uint32(i)
		}
	}
	panic(word)
}

const sampleBlock = 2 // tokens

// samplePlan has a root of three turns and a child of one.
func samplePlan(trace string) (*corpus.Plan, *corpus.Layout) {
	turn := func(keep int, news ...corpus.Message) corpus.Turn {
		return corpus.Turn{Type: "n", MaxOut: 1, Keep: keep, New: news, Input: corpus.InputUser, GapMs: corpus.Absent(), InnerRow: -1, TMs: 1.5}
	}
	root := corpus.Conversation{ID: corpus.ConversationID(trace), Kind: corpus.KindRoot, Parent: -1, Scope: trace,
		Branches: []corpus.Branch{{ID: "b", SpawnTurn: 0, JoinTurn: 2, Children: []int{1}}},
		Turns: []corpus.Turn{
			turn(0, corpus.Message{Role: corpus.RoleSystem, Tokens: 4}, corpus.Message{Role: corpus.RoleUser, Tokens: 3}),
			turn(1, corpus.Message{Role: corpus.RoleUser, Tokens: 2}, corpus.Message{Role: corpus.RoleAssistant, Tokens: 2}, corpus.Message{Role: corpus.RoleUser, Tokens: 1}),
			turn(3, corpus.Message{Role: corpus.RoleUser, Tokens: 2}),
		}}
	root.Turns[0].Spawns, root.Turns[2].Joins = []int{0}, []int{0}
	root.Turns[1].Preds = []corpus.TurnRef{{Conversation: 1, Turn: 0}}
	child := corpus.Conversation{ID: corpus.ConversationID(trace + "::sa:x"), Kind: corpus.KindSubagent, Depth: 1, Scope: trace + "::sa:x",
		Turns: []corpus.Turn{turn(0, corpus.Message{Role: corpus.RoleUser, Tokens: 5})}}
	plan := &corpus.Plan{Trace: corpus.TraceID(trace), Source: trace + ".json", BlockSize: sampleBlock, Models: []string{"m"}, Conversations: []corpus.Conversation{root, child}}
	// Ranks 0 … 4 are ids, 5 is a fill, 6 and 7 are tails of one token.
	layout := &corpus.Layout{IDs: 5, Unique: []uint16{2, 1, 1}, Messages: [][][]corpus.Content{
		{
			{{Spans: []corpus.Span{{First: 0, Count: 2}}}, {Spans: []corpus.Span{{First: 2, Count: 1}}, HasTail: true, Tail: 6}},
			{{Spans: []corpus.Span{{First: 2, Count: 1}}}, {Spans: []corpus.Span{{First: 3, Count: 1}}}, {HasTail: true, Tail: 7}},
			{{Spans: []corpus.Span{{First: 5, Count: 1}}}},
		},
		{{{Spans: []corpus.Span{{First: 3, Count: 2}}, HasTail: true, Tail: 6}}},
	}}
	return plan, layout
}

func sampleStarts() []uint32 {
	var starts []uint32
	for _, word := range []string{"alpha", "lambda", "delta", "theta", "sigma", "epsilon", "xi", "omega"} {
		starts = append(starts, sampleStart(word))
	}
	return starts
}

// buildSample writes a bundle of two traces. reverse adds the frames the other way round.
func buildSample(t testing.TB, path string, reverse bool) Digest {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w, err := Create(path, 2, 1)
	must(err)
	steps := []func(){
		func() { must(w.Filler(sampleText, sampleEnds())) },
		func() { must(w.Tokenizer([]byte("a tokenizer"))) },
		func() { must(w.Template([]byte(`{"chat_template":"x"}`))) },
	}
	manifest := &Manifest{Traces: make([]TraceInfo, 2)}
	for i := range 2 {
		plan, layout := samplePlan(fmt.Sprintf("trace_%d", i))
		manifest.Traces[i] = TraceInfo{ID: plan.Trace, BlockSize: sampleBlock}
		steps = append(steps,
			func() { must(w.Plan(i, plan)) },
			func() { must(w.Text(i, PackLayout(layout), sampleStarts())) })
	}
	for i := range steps {
		if reverse {
			i = len(steps) - 1 - i
		}
		steps[i]()
	}
	content, size, err := w.Finish(&Recipe{Format: Format, Options: corpus.DefaultOptions(), PromptCorpus: "coding"}, manifest)
	must(err)
	info, err := os.Stat(path)
	must(err)
	if info.Size() != size {
		t.Fatalf("Finish says %d bytes, the file has %d", size, info.Size())
	}
	return content
}

func openSample(t testing.TB) *Bundle {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample"+Suffix)
	buildSample(t, path, false)
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}
