package prep

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentx/internal/synth/filler"
)

// oracleTurns is how many turns of real traces are compared for each tokenizer.
const oracleTurns = 3000

// TestOracleCountsRealPrompts compares the token counts of real traces' prompts with the reference
// library: every message alone, and every prompt joined by blanks with the marker in front. It takes
// minutes, and runs where AGENTX_ORACLE_PYTHON names a Python with the tokenizers package,
// AGENTX_TOKENIZERS a folder of tokenizers and AGENTX_TRACES a folder of traces.
func TestOracleCountsRealPrompts(t *testing.T) {
	python, tokenizers, traces := os.Getenv("AGENTX_ORACLE_PYTHON"), os.Getenv("AGENTX_TOKENIZERS"), os.Getenv("AGENTX_TRACES")
	if python == "" || tokenizers == "" || traces == "" {
		t.Skip("AGENTX_ORACLE_PYTHON, AGENTX_TOKENIZERS and AGENTX_TRACES are not all set")
	}
	for _, name := range []string{"qwen2_5", "llama3", "deepseek_v3", "gemma3", "llama2"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(tokenizers, name, "models", "tokenizer.json")
			if _, err := os.Stat(path); err != nil {
				t.Skip(err)
			}
			options := sampleOptions(t, traces)
			options.Tokenizer, options.fillerLengths = path, filler.Lengths()
			b := openBundle(t, mustBuild(t, options).Path)
			compareCounts(t, b, python, path)
		})
	}
}

// expectation is a text and the tokens it must have.
type expectation struct {
	text   string
	tokens int
	what   string
}

func compareCounts(t *testing.T, b *opened, python, path string) {
	keys, err := chooseTurns(b.Bundle, allTurns)
	if err != nil {
		t.Fatal(err)
	}
	in := func(key turnKey) int64 {
		plan, err := b.Plan(key.trace)
		if err != nil {
			t.Fatal(err)
		}
		return plan.Conversations[key.conversation].Turns[key.turn].In
	}
	// The shortest prompts: the reference library takes a second for half a million tokens.
	slices.SortStableFunc(keys, func(x, y turnKey) int { return cmp.Compare(in(x), in(y)) })
	keys = keys[:min(oracleTurns, len(keys))]
	slices.SortStableFunc(keys, func(x, y turnKey) int { return cmp.Compare(x.trace, y.trace) })

	command := exec.Command(python, filepath.Join("testdata", "oracle.py"), path)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	expected := make(chan expectation, 1000)
	go sendTexts(t, b, keys, input, expected)
	answers := bufio.NewScanner(output)
	compared, tokens, different := 0, 0, 0
	for want := range expected {
		if !answers.Scan() {
			t.Fatalf("no answer for %s", want.what)
		}
		got, err := strconv.Atoi(answers.Text())
		if err != nil {
			t.Fatal(err)
		}
		compared++
		tokens += got
		if got != want.tokens {
			if different++; different <= 5 {
				t.Errorf("%s: %d tokens, want %d", want.what, got, want.tokens)
			}
		}
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d turns, %d texts, %d tokens counted, %d differ", len(keys), compared, tokens, different)
}

func sendTexts(t *testing.T, b *opened, keys []turnKey, input io.WriteCloser, expected chan<- expectation) {
	defer close(expected)
	defer input.Close()
	encoder := json.NewEncoder(input)
	send := func(e expectation) {
		if err := encoder.Encode(e.text); err != nil {
			t.Error(err)
		}
		e.text = ""
		expected <- e
	}
	marker := b.tokenizer.Count(sampleMarker)
	known := map[string]bool{}
	for _, key := range keys {
		id := string(b.Manifest().Traces[key.trace].ID)
		contents, messages := b.prompt(t, id, key.conversation, key.turn)
		total := 0
		for i, content := range contents {
			total += int(messages[i].Tokens)
			if !known[content] {
				known[content] = true
				send(expectation{content, int(messages[i].Tokens), id + " message " + strconv.Itoa(i) + " of turn " + strconv.Itoa(key.turn)})
			}
		}
		send(expectation{sampleMarker + strings.Join(contents, " "), marker + total, id + " turn " + strconv.Itoa(key.turn)})
	}
}
