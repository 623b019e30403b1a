package prep

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/synth/tokentest"
)

func TestExportIsTheWholeMessageArray(t *testing.T) {
	b := openSample(t)
	var out strings.Builder
	if err := Export(&out, b.Path(), "children"); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(out.String()) {
		lines++
		var turn struct {
			Conversation string
			Turn         int
			Messages     []struct {
				Role, Content string
				Tokens        int
			}
			In int
		}
		if err := json.Unmarshal([]byte(line), &turn); err != nil {
			t.Fatal(err)
		}
		conversation := map[string]int{"children": 0, "children::sa:a": 1, "children::sa:b": 2}[turn.Conversation]
		contents, messages := b.prompt(t, "children", conversation, turn.Turn)
		sum := 0
		for i, message := range turn.Messages {
			if message.Content != contents[i] || message.Role != string(messages[i].Role) || message.Tokens != int(messages[i].Tokens) {
				t.Errorf("%s turn %d message %d is %+v", turn.Conversation, turn.Turn, i, message)
			}
			sum += message.Tokens
		}
		if len(turn.Messages) != len(contents) || sum != turn.In {
			t.Errorf("%s turn %d: %d messages of %d tokens, in is %d", turn.Conversation, turn.Turn, len(turn.Messages), sum, turn.In)
		}
	}
	if lines != 5 {
		t.Errorf("%d lines, want 5", lines)
	}
}

// A bundle whose tokenizer is not the one its text was cut for is found out by counting.
func TestRetokenizeFindsWrongCounts(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.agentx")
	buildForged(t, wrong, tokentest.ByteLevel([]string{" the"}).JSON())
	var out strings.Builder
	err := Check(context.Background(), &out, wrong, CheckOptions{Retokenize: "all", Workers: 2}, silent())
	if ClassOf(err) != Damage || !strings.Contains(err.Error(), "does not have the recorded token counts") || !strings.Contains(out.String(), "differ, by up to") {
		t.Errorf("error %v\n%s", err, out.String())
	}
	out.Reset()
	right := mustBuild(t, sampleOptions(t, writeTraces(t, sampleTraces()))).Path
	if err := Check(context.Background(), &out, right, CheckOptions{Retokenize: "3"}, silent()); err != nil || !strings.Contains(out.String(), "3 turns") {
		t.Errorf("error %v\n%s", err, out.String())
	}
}

// buildForged makes a bundle that carries another tokenizer than the one its text was cut for.
func buildForged(t *testing.T, path string, tokenizer []byte) {
	t.Helper()
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	options.Workers = 1
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sources, err := weka.List(options.Inputs)
	check(err)
	j := &job{options: &options, show: silent(), sources: sources}
	defer j.close()
	j.tokenizer, err = openTokenizer(options.Tokenizer)
	check(err)
	check(j.survey(t.Context()))
	check(j.name())
	a, err := j.selectTraces()
	check(err)
	a.tokenizer, err = j.tokenizer.load()
	check(err)
	j.tokenizer.source.Data = tokenizer
	a.writer, err = bundle.Create(path, len(a.units), 1)
	check(err)
	_, err = a.run(t.Context())
	check(err)
}

const alternating = `{% for m in messages %}{% if m.role == 'user' and not loop.first and messages[loop.index0 - 1].role == 'user' %}{{ raise_exception('two users in a row') }}{% endif %}` +
	`[start]{{ m.role }}\n{{ m.content | trim }}[end]\n{% endfor %}[start]assistant\n`

// A template is measured on every distinct role sequence; what it refuses is listed with counts.
func TestTemplateCheckListsWhatRaises(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	folder := filepath.Dir(options.Tokenizer)
	config, err := json.Marshal(map[string]string{"chat_template": alternating})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "tokenizer_config.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	withoutTemplate := mustBuild(t, options)
	options.Tokenizer = folder
	result := mustBuild(t, options)
	if result.Key == withoutTemplate.Key {
		t.Error("the chat template does not change the key")
	}
	var out strings.Builder
	if err := Check(context.Background(), &out, result.Path, CheckOptions{Template: true, Retokenize: "all", Workers: 2}, silent()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"through the chat template: ", "all exact", "turns: ", "two users in a row", "the chat template refuses"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	// Merged neighbours are taken by the same template.
	options.Corpus.AdjacentRoles = "merge"
	out.Reset()
	if err := Check(context.Background(), &out, mustBuild(t, options).Path, CheckOptions{Template: true, Retokenize: "all", Workers: 2}, silent()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "two users") || strings.Contains(out.String(), "differ") {
		t.Errorf("merged:\n%s", out.String())
	}
}
