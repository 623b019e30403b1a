package filler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/synth/draw"
	"agentx/internal/synth/o200k"
	"agentx/internal/synth/token"
	"agentx/internal/synth/tokentest"
)

// tokenizers are the real ones: the embedded one always, others where AGENTX_TOKENIZERS names a
// folder of them.
func tokenizers(t testing.TB) map[string]*token.Tokenizer {
	t.Helper()
	all := map[string]*token.Tokenizer{}
	source, err := o200k.Source()
	if err != nil {
		t.Fatal(err)
	}
	if all[o200k.Name], err = token.Load(source); err != nil {
		t.Fatal(err)
	}
	folder := os.Getenv("AGENTX_TOKENIZERS")
	if folder == "" {
		t.Log("AGENTX_TOKENIZERS does not name a folder of tokenizers: only the embedded one is tested")
		return all
	}
	for _, name := range []string{"qwen2_5", "llama3", "deepseek_v3", "gemma3", "llama2"} {
		data, err := os.ReadFile(filepath.Join(folder, name, "models", "tokenizer.json"))
		if err != nil {
			t.Logf("no %s tokenizer: %v", name, err)
			continue
		}
		if all[name], err = token.Load(token.Source{Kind: token.KindHuggingFace, Data: data}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return all
}

const short = 1 << 16 // tokens; enough for a few thousand windows

func find(t testing.TB, style Style, tokenizer *token.Tokenizer, tokens int, sizes ...int) *Windows {
	t.Helper()
	text, marked, err := Generate(t.Context(), style, 0, tokenizer, tokens)
	if err != nil {
		t.Fatal(err)
	}
	windows, err := Find(t.Context(), text, marked, tokenizer, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return windows
}

func TestBytesPerTokenAreThoseOfRealText(t *testing.T) {
	for name, tokenizer := range tokenizers(t) {
		w := find(t, Coding, tokenizer, 1<<18, 64)
		perToken := float64(len(w.Text)) / float64(w.Tokens())
		starts := float64(len(w.Starts(64))) / float64(w.Tokens())
		t.Logf("%s: %.2f bytes a token, %.1f %% of tokens are legal starts", name, perToken, 100*starts)
		if perToken < 3.5 || perToken > 4.5 {
			t.Errorf("%s: %.2f bytes a token, want 3.5 to 4.5", name, perToken)
		}
		if starts < 0.05 {
			t.Errorf("%s: only %.1f %% of tokens are legal starts", name, 100*starts)
		}
	}
}

func TestLengthIsTheWantedOneButForSomeLines(t *testing.T) {
	tokenizer := tokenizers(t)[o200k.Name]
	for _, style := range Styles() {
		_, marked, err := Generate(t.Context(), style, 3, tokenizer, short)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(marked.IDs); got > short || got < short-300 {
			t.Errorf("%s: %d tokens of %d", style, got, short)
		}
	}
	if _, _, err := Generate(t.Context(), "sonnet", 0, tokenizer, short); err == nil {
		t.Error("a style that there is not was generated")
	}
}

func TestSeedStyleAndTokenizerMakeTheText(t *testing.T) {
	tokenizer := tokenizers(t)[o200k.Name]
	text := func(style Style, seed int64) string {
		text, _, err := Generate(t.Context(), style, seed, tokenizer, short/4)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if first, second := text(Coding, 0), text(Coding, 0); first != second {
		t.Error("the same seed gives another text")
	}
	if text(Coding, 0)[:2000] == text(Coding, 1)[:2000] || text(Coding, 0)[:2000] == text(Words, 0)[:2000] {
		t.Error("another seed or style gives the same text")
	}
}

func TestNoTwoStartsShareSixteenTokens(t *testing.T) {
	for name, tokenizer := range tokenizers(t) {
		w := find(t, Coding, tokenizer, short, 64)
		seen := map[string]bool{}
		for _, start := range w.Starts(64) {
			beginning := w.Bytes(start, sharedTokens)
			if seen[beginning] {
				t.Fatalf("%s: two windows begin with %q", name, beginning)
			}
			seen[beginning] = true
		}
	}
}

// The three contexts of a message: alone, after a blank, after a newline; windows and tails of every
// length, against a fresh encoding.
func TestAnyRowOfWindowsEncodesToTheSum(t *testing.T) {
	for name, tokenizer := range tokenizers(t) {
		w := find(t, Coding, tokenizer, short, 64)
		starts := w.Starts(64)
		draws := draw.New(1, "test", name)
		for row := range 400 {
			var text strings.Builder
			want := 0
			for range draws.Below(5) {
				text.WriteString(w.Bytes(starts[draws.Below(len(starts))], 64))
				want += 64
			}
			n := 1 + row%64
			tail := starts[draws.Below(len(starts))]
			for !w.Legal(tail, n) {
				tail = starts[draws.Below(len(starts))]
			}
			text.WriteString(w.Bytes(tail, n))
			want += n
			message := text.String()[1:]
			if got := tokenizer.Count(message); got != want {
				t.Fatalf("%s: %q has %d tokens, want %d", name, message, got, want)
			}
			if got := tokenizer.Count("[rid:0123456789ab]\n\n" + message); got != tokenizer.Count("[rid:0123456789ab]\n\n")+want {
				t.Fatalf("%s: after a marker, %q has not %d tokens", name, message, want)
			}
			if got := tokenizer.Count(message + " " + message); got != 2*want {
				t.Fatalf("%s: twice, joined by a blank, %q has not %d tokens", name, message, 2*want)
			}
		}
	}
}

func TestTextHoldsNoAddedToken(t *testing.T) {
	words := []string{" the", " a", " return", " func"}
	file := tokentest.ByteLevel(words)
	file["added_tokens"] = []any{map[string]any{"id": 9000, "content": "return"}, map[string]any{"id": 9001, "content": "\n\n"}, map[string]any{"id": 9002, "content": "err != nil"}}
	tokenizer, err := token.Load(token.Source{Kind: token.KindHuggingFace, Data: file.JSON()})
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := Generate(t.Context(), Coding, 0, tokenizer, short)
	if err != nil {
		t.Fatal(err)
	}
	for _, added := range []string{"return", "err != nil"} {
		if strings.Contains(text, added) {
			t.Errorf("the text holds the added token %q", added)
		}
	}
	if !strings.Contains(text, "\n\n") {
		t.Error("blank lines are gone, though an added token of white space is only text")
	}
	if _, err := Find(t.Context(), "a return b", token.Marked{}, tokenizer, []int{64}); err == nil || !strings.Contains(err.Error(), `"return" at byte 2`) {
		t.Errorf("error %v", err)
	}
	if _, err := Find(t.Context(), "é", token.Marked{}, tokenizer, []int{64}); err == nil {
		t.Error("text that is not ASCII was taken")
	}
}

// A vocabulary with tokens that reach over blanks has no legal window after such a letter.
func TestNoWindowEndsWhereATokenCouldReachAcross(t *testing.T) {
	tokenizer, err := token.Load(token.Source{Kind: token.KindHuggingFace, Data: tokentest.CodePoint([]string{" the", "e x", " a"}, false).JSON()})
	if err != nil {
		t.Fatal(err)
	}
	w := find(t, Words, tokenizer, short, 64)
	if len(w.Starts(64)) == 0 {
		t.Fatal("no windows at all")
	}
	for _, start := range w.Starts(64) {
		if text := w.Bytes(start, 64); text[len(text)-1] == 'e' {
			t.Fatalf("a window ends in e: %q", text)
		}
	}
}

func BenchmarkFiller(b *testing.B) {
	for name, tokenizer := range tokenizers(b) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				find(b, Coding, tokenizer, 1<<20, 64)
			}
		})
	}
}
