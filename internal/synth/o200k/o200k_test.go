package o200k

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"

	"agentx/internal/synth/token"
)

func load(tb testing.TB) *token.Tokenizer {
	tb.Helper()
	source, err := Source()
	if err != nil {
		tb.Fatal(err)
	}
	tokenizer, err := token.Load(source)
	if err != nil {
		tb.Fatal(err)
	}
	return tokenizer
}

var pieces = []string{
	"a", "The", "HTTPServer", "fooBar", "'s", "'LL", "é", "Ж", "中文", "ありがとう", "한국어", "1", "1234567", "²", ".", "...", "->", "{}", "€", "😀", "\u200b", "\x00",
	"x_y", "internationalization", "\"", "\\", strings.Repeat("z", 90),
}

var blanks = []string{" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "//\n"}

func texts(withBlanks bool) []string {
	r := rand.New(rand.NewPCG(3, 5))
	var texts []string
	for range 2000 {
		var text strings.Builder
		for range r.IntN(30) {
			if withBlanks && r.IntN(3) == 0 {
				text.WriteString(blanks[r.IntN(len(blanks))])
			} else {
				text.WriteString(pieces[r.IntN(len(pieces))])
			}
		}
		texts = append(texts, text.String())
	}
	return texts
}

// The module's own encoder is the oracle for merging. Not for blanks: its generated split matches
// "\n \n" as "\n" and " \n", where the pattern `\s*[\r\n]+` takes all three characters (the reference
// library agrees with the pattern; see the next test).
func TestMergesAsTheModuleItself(t *testing.T) {
	oracle := codec.NewO200kBase()
	tokenizer := load(t)
	for _, text := range texts(false) {
		ids, _, err := oracle.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, tokenizer, text, ids)
	}
}

func compare(t *testing.T, tokenizer *token.Tokenizer, text string, ids []uint) {
	t.Helper()
	want := make([]token.ID, len(ids))
	for i, id := range ids {
		want[i] = token.ID(id)
	}
	got := tokenizer.Encode(nil, text)
	if !slices.Equal(got, want) {
		t.Fatalf("%q: %v, the oracle says %v", text, got, want)
	}
	if back := tokenizer.Decode(got, false); back != text {
		t.Fatalf("%q decodes to %q", text, back)
	}
}

func TestBlanksBetweenLineBreaksAreOnePreToken(t *testing.T) {
	if got := load(t).Encode(nil, "HTTPServer\n \n{}"); !slices.Equal(got, []token.ID{17893, 6444, 47812, 12083}) {
		t.Errorf("tokens %v", got)
	}
}

// TestOracle runs where AGENTX_ORACLE_PYTHON names a Python that has the tiktoken package.
func TestOracle(t *testing.T) {
	python := os.Getenv("AGENTX_ORACLE_PYTHON")
	if python == "" {
		t.Skip("AGENTX_ORACLE_PYTHON does not name a Python with the tiktoken package")
	}
	source, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "o200k.tiktoken")
	if err := os.WriteFile(list, source.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	var input bytes.Buffer
	for _, text := range texts(true) {
		line, _ := json.Marshal(text)
		input.Write(append(line, '\n'))
	}
	command := exec.Command(python, filepath.Join("testdata", "oracle.py"), list)
	command.Stdin, command.Stderr = &input, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("the reference library: %v", err)
	}
	tokenizer := load(t)
	decoder := json.NewDecoder(bytes.NewReader(output))
	for _, text := range texts(true) {
		var ids []uint
		if err := decoder.Decode(&ids); err != nil {
			t.Fatal(err)
		}
		compare(t, tokenizer, text, ids)
	}
}

func TestSpecialTokensAreOneToken(t *testing.T) {
	tokenizer := load(t)
	if got := tokenizer.Encode(nil, "a<|endoftext|>b"); len(got) != 3 || got[1] != 199_999 {
		t.Errorf("tokens %v", got)
	}
	if tokenizer.Size() != 200_019 {
		t.Errorf("size %d", tokenizer.Size())
	}
}

func BenchmarkLoad(b *testing.B) {
	source, err := Source()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := token.Load(source); err != nil {
			b.Fatal(err)
		}
	}
}
