package chat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus"
)

// A template of the common kind: it trims, refuses two users in a row, and drops the system message.
const sample = `{{ bos_token }}{% for m in messages %}{% if m.role == 'user' and loop.index0 > 0 and messages[loop.index0 - 1].role == 'user' %}` +
	`{{ raise_exception('two users') }}{% endif %}{% if m.role != 'system' %}[{{ m.role }}] {{ m.content | trim }} [end] {% endif %}` +
	`{% if m.tool_calls %}calls {{ m.tool_calls[0].id }} {% endif %}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}`

// wordCount counts words.
type wordCount struct{}

func (wordCount) Count(text string) int { return len(strings.Fields(text)) }

func compile(t *testing.T, template string) *Template {
	t.Helper()
	compiled, err := Compile(&Settings{Template: template, Tokens: map[string]string{"bos_token": "<s> "}})
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestRender(t *testing.T) {
	text, err := compile(t, sample).Render([]Message{
		{Role: corpus.RoleUser, Content: " hello "},
		{Role: corpus.RoleAssistant, Content: "hi", Call: "call_turn_1"},
		{Role: corpus.RoleTool, Content: "result", Call: "call_turn_1"},
	})
	want := "<s> [user] hello [end] [assistant] hi [end] calls call_turn_1 [tool] result [end] [assistant]"
	if err != nil || text != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

func TestOverhead(t *testing.T) {
	user, assistant, system := Shape{Role: corpus.RoleUser}, Shape{Role: corpus.RoleAssistant}, Shape{Role: corpus.RoleSystem}
	template := compile(t, sample)
	// <s>, [assistant], and two words around each message.
	if got, err := template.Overhead(wordCount{}, []Shape{user, assistant, user}); err != nil || got != 2+3*2 {
		t.Errorf("%d, %v", got, err)
	}
	if _, err := template.Overhead(wordCount{}, []Shape{user, user}); err == nil || !strings.Contains(err.Error(), "two users") {
		t.Errorf("error %v", err)
	}
	var lost *Lost
	if _, err := template.Overhead(wordCount{}, []Shape{system, user}); !errors.As(err, &lost) || lost.Message != 0 {
		t.Errorf("error %v", err)
	}
	if _, err := compile(t, `{% for m in messages %}{{ m.content }} {{ m.content }} {% endfor %}`).Overhead(wordCount{}, []Shape{user}); err == nil || !strings.Contains(err.Error(), "not additive") {
		t.Errorf("error %v", err)
	}
}

func TestTodayIsAlwaysTheSame(t *testing.T) {
	text, err := compile(t, `{{ strftime_now("%d %b %Y") }}`).Render(nil)
	if err != nil || text != templateDate {
		t.Errorf("%q, %v", text, err)
	}
}

func TestReadFolder(t *testing.T) {
	for name, c := range map[string]struct{ config, own, template, bos string }{
		"text":          {`{"chat_template":"A","bos_token":"<s>"}`, "", "A", "<s>"},
		"object tokens": {`{"chat_template":"A","bos_token":{"content":"<b>"},"pad_token":null}`, "", "A", "<b>"},
		"named":         {`{"chat_template":[{"name":"tool","template":"T"},{"name":"default","template":"D"}]}`, "", "D", ""},
		"own file":      {`{"bos_token":"<s>"}`, "J", "J", "<s>"},
	} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "tokenizer_config.json"), c.config)
		if c.own != "" {
			write(t, filepath.Join(folder, "chat_template.jinja"), c.own)
		}
		s, err := ReadFolder(folder)
		if err != nil || s == nil || s.Template != c.template || s.Tokens["bos_token"] != c.bos {
			t.Errorf("%s: %+v, %v", name, s, err)
			continue
		}
		again, err := Parse(s.JSON())
		if err != nil || again.Template != s.Template || again.Tokens["bos_token"] != c.bos {
			t.Errorf("%s: read back as %+v, %v", name, again, err)
		}
	}
	if s, err := ReadFolder(t.TempDir()); s != nil || err != nil {
		t.Errorf("a folder without a template: %v, %v", s, err)
	}
	for _, config := range []string{`{`, `{"chat_template":5}`, `{"chat_template":[{"name":"a","template":"b"}]}`} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "tokenizer_config.json"), config)
		if _, err := ReadFolder(folder); err == nil || !strings.Contains(err.Error(), "tokenizer_config.json") {
			t.Errorf("%s: error %v", config, err)
		}
	}
	if _, err := Compile(&Settings{Template: "{% for"}); err == nil {
		t.Error("a broken template was compiled")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
