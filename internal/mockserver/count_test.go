package mockserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentx/internal/servermodel"

	"pgregory.net/rapid"
)

// byWord is a tokenizer of words, which counts what it was given.
func byWord(encoded *int) Encode {
	return func(text string) []int {
		var ids []int
		for word := range strings.FieldsSeq(text) {
			ids = append(ids, int(hashBytes([]byte(word))>>1))
		}
		*encoded += len(ids)
		return ids
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// TestTokenCounterEqualsCountingAfresh: whatever was remembered before, tokens and keys are those of a
// counter that knows nothing.
func TestTokenCounterEqualsCountingAfresh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var encoded, ignored int
		options := TokenCounterOptions{Encode: byWord(&encoded), UnitTokens: 4, MessageOverhead: 3, AnswerOverhead: 2, Prefixes: rapid.IntRange(2, 12).Draw(t, "prefixes")}
		counter := NewTokenCounter(options)
		options.Encode = byWord(&ignored)
		var history [][]message
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			var messages []message
			if len(history) > 0 {
				from := rapid.SampledFrom(history).Draw(t, "from")
				messages = slices.Clone(from[:rapid.IntRange(0, len(from)).Draw(t, "kept")])
			}
			for range rapid.IntRange(1, 3).Draw(t, "new") {
				messages = append(messages, message{
					Role:    rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role"),
					Content: strings.Repeat(rapid.SampledFrom([]string{"a ", "b c ", "d\n\"e\" "}).Draw(t, "text"), rapid.IntRange(0, 5).Draw(t, "times")),
				})
			}
			history = append(history, messages)
			raw, err := json.Marshal(messages)
			if err != nil {
				t.Fatal(err)
			}
			tokens, keys, err := counter.Count(Prompt{Messages: raw}, nil)
			if err != nil {
				t.Fatal(err)
			}
			wantTokens, wantKeys, err := NewTokenCounter(options).Count(Prompt{Messages: raw}, nil)
			if err != nil || tokens != wantTokens || !slices.Equal(keys, wantKeys) {
				t.Fatalf("%d tokens, keys %x; afresh %d, %x, %v", tokens, keys, wantTokens, wantKeys, err)
			}
			if len(keys) != (tokens-2)/4 {
				t.Fatalf("%d units for %d tokens", len(keys), tokens)
			}
		}
	})
}

// TestTokenCounterEncodesOnlyWhatIsNew: a turn that adds one message costs that message.
func TestTokenCounterEncodesOnlyWhatIsNew(t *testing.T) {
	encoded := 0
	counter := NewTokenCounter(TokenCounterOptions{Encode: byWord(&encoded)})
	messages := []message{{"system", "one two three"}, {"user", "four five"}}
	for turn, want := range []int{5, 6, 6} {
		raw, _ := json.Marshal(messages)
		if _, _, err := counter.Count(Prompt{Messages: raw}, nil); err != nil {
			t.Fatal(err)
		}
		if encoded != want {
			t.Errorf("turn %d: %d words encoded so far; expected %d", turn, encoded, want)
		}
		if turn == 0 {
			messages = append(messages, message{"assistant", "six"})
		}
	}
}

func TestMessageForms(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"user","content":"a\nb"}`:                                                              "a\nb",
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`:             "ab",
		`{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`: "f{}",
		`[{"type":"function"}]`: `[{"type":"function"}]`,
	} {
		if _, text, err := messageText([]byte(raw)); err != nil || text != want {
			t.Errorf("%s: %q, %v; expected %q", raw, text, err, want)
		}
	}
}

// TestByteCounterSharesBeginnings: two prompts share the keys of exactly the units in which they agree.
func TestByteCounterSharesBeginnings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counter := NewByteCounter(rapid.SampledFrom([]float64{4, 3.7, 1}).Draw(t, "bytes per token"), rapid.IntRange(1, 20).Draw(t, "unit"))
		c := counter.(byteCounter)
		tools := rapid.SampledFrom([]string{"", `[{"x":1}]`}).Draw(t, "tools")
		a := rapid.StringMatching(`[a-c]{0,200}`).Draw(t, "a")
		b := a[:rapid.IntRange(0, len(a)).Draw(t, "common")] + rapid.StringMatching(`[d-f]{0,50}`).Draw(t, "b")
		common := 0
		for common < min(len(a), len(b)) && a[common] == b[common] {
			common++
		}
		count := func(text string) (int, []uint64) {
			tokens, keys, err := counter.Count(Prompt{Tools: []byte(tools), Messages: []byte("[" + text + "]")}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return tokens, keys
		}
		tokensA, keysA := count(a)
		_, keysB := count(b)
		unit := float64(c.unitTokens) * c.bytesPerToken
		shared := 0
		for int(unit*float64(shared+1)+0.5) <= len(tools)+common {
			shared++
		}
		agree := 0
		for agree < min(len(keysA), len(keysB)) && keysA[agree] == keysB[agree] {
			agree++
		}
		if agree != shared {
			t.Fatalf("%d units agree; expected %d", agree, shared)
		}
		if float64(tokensA) < float64(len(tools)+len(a))/c.bytesPerToken || len(keysA) > tokensA/c.unitTokens {
			t.Fatalf("%d tokens, %d units for %d bytes", tokensA, len(keysA), len(tools)+len(a))
		}
	})
}

// FuzzParseChat: whatever arrives, the parser neither panics nor takes what encoding/json refuses to be
// a chat request with messages where it is one.
func FuzzParseChat(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"a\\\"b"}],"model":"m","max_tokens":3}`, `{}`, `{"a":1,}`, `{"messages":[]} x`, "{\"a\"", `{"a":}`, `{"messages":[1,"]",{"x":[2]}],"n":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseChat(body)
		var want struct {
			Messages json.RawMessage `json:"messages"`
			Model    string          `json:"model"`
		}
		if json.Unmarshal(body, &want) != nil || err != nil {
			return
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(body, &members) != nil || len(members["messages"]) == 0 {
			return
		}
		if string(got.Prompt.Messages) != string(members["messages"]) {
			t.Fatalf("messages %q; expected %q", got.Prompt.Messages, members["messages"])
		}
		list, err := elements(got.Prompt.Messages)
		var wantList []json.RawMessage
		if json.Unmarshal(members["messages"], &wantList) != nil {
			return
		}
		if err != nil || len(list) != len(wantList) {
			t.Fatalf("%d elements, %v; expected %d", len(list), err, len(wantList))
		}
		for i := range list {
			if string(list[i]) != string(wantList[i]) {
				t.Fatalf("element %d is %q; expected %q", i, list[i], wantList[i])
			}
		}
	})
}

// BenchmarkByteCounter is the cost of counting a prompt of 265 kB.
func BenchmarkByteCounter(b *testing.B) {
	text := strings.Repeat("func main() {\\n\\tfmt.Println(\\\"hello\\\") // and so on\\n}\\n", 4500)
	body := []byte(fmt.Sprintf(`{"messages":[{"role":"user","content":"%s"}],"model":"m","stream":true,"max_completion_tokens":12}`, text))
	counter := NewByteCounter(4, servermodel.DefaultUnitTokens)
	var keys []uint64
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		request, err := parseChat(body)
		if err != nil {
			b.Fatal(err)
		}
		if _, keys, err = counter.Count(request.Prompt, keys); err != nil {
			b.Fatal(err)
		}
	}
}
