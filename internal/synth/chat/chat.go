// Package chat renders chat templates as serving stacks do, and measures what a template adds around
// the messages of a role sequence. Templates are Jinja programs out of tokenizer_config.json.
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ardanlabs/jinja"

	"agentx/corpus"
)

// Settings are what a template needs beside the messages. A bundle carries them as JSON.
type Settings struct {
	Template string `json:"chat_template"`
	// Tokens are the control tokens that the template may name, as bos_token.
	Tokens map[string]string `json:"tokens"`
}

// JSON is the canonical text of the settings.
func (s *Settings) JSON() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and a map of strings
	}
	return text
}

// Parse reads what JSON wrote.
func Parse(text []byte) (*Settings, error) {
	s := &Settings{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("chat template settings: %w", err)
	}
	return s, nil
}

// ReadFolder reads tokenizer_config.json, and chat_template.jinja where the template has a file of its
// own. It returns nil when the folder has no template.
func ReadFolder(folder string) (*Settings, error) {
	path := filepath.Join(folder, "tokenizer_config.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("{}"), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the chat template: %w", err)
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Settings{Tokens: map[string]string{}}
	for name, value := range config {
		if token, ok := tokenText(value); ok && strings.HasSuffix(name, "_token") {
			s.Tokens[name] = token
		}
	}
	if s.Template, err = templateText(config["chat_template"]); err != nil {
		return nil, fmt.Errorf("%s: chat_template: %w", path, err)
	}
	own, err := os.ReadFile(filepath.Join(folder, "chat_template.jinja"))
	switch {
	case err == nil:
		s.Template = string(own)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the chat template: %w", err)
	}
	if s.Template == "" {
		return nil, nil
	}
	return s, nil
}

// tokenText reads a token: a string, or an object with its content.
func tokenText(value json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text, true
	}
	var object struct {
		Content string `json:"content"`
	}
	err := json.Unmarshal(value, &object)
	return object.Content, err == nil && object.Content != ""
}

// templateText reads a template: a string, or a list of named ones, of which "default" is meant.
func templateText(value json.RawMessage) (string, error) {
	if len(value) == 0 || string(value) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(value, &named); err != nil {
		return "", errors.New("expected a text, or a list of names and templates")
	}
	for _, one := range named {
		if one.Name == "default" {
			return one.Template, nil
		}
	}
	return "", errors.New(`none of the named templates is "default"`)
}

// Template is a compiled chat template; it may be used by several goroutines.
type Template struct {
	compiled *jinja.Template
	tokens   map[string]string
	mutates  bool // it may change the messages that it is given
}

// Compile reads the template's program.
func Compile(s *Settings) (*Template, error) {
	compiled, err := jinja.Compile(s.Template)
	if err != nil {
		return nil, fmt.Errorf("the chat template cannot be read: %w", err)
	}
	return &Template{compiled, s.Tokens, mayMutate(s.Template)}, nil
}

// Message is a chat message. Of a tool-shaped pair the assistant message and its answer have a Call.
type Message struct {
	Role    corpus.Role
	Content string
	Call    string // id of the tool call, or empty
}

// templateDate stands for today: what a template prints must not depend on the day.
const templateDate = "26 Jul 2024"

// Render is the text that a server makes of the messages, up to where the answer begins.
func (t *Template) Render(messages []Message) (string, error) {
	list := make([]jinja.Value, len(messages))
	for i, message := range messages {
		list[i] = messageValue(message)
	}
	return t.render(list)
}

func (t *Template) render(messages []jinja.Value) (string, error) {
	data := map[string]jinja.Value{
		"messages":              jinja.NewList(messages),
		"add_generation_prompt": jinja.NewBool(true),
		"strftime_now": jinja.NewCallable("strftime_now", func([]jinja.Value, map[string]jinja.Value) (jinja.Value, error) {
			return jinja.NewString(templateDate), nil
		}),
	}
	for name, text := range t.tokens {
		data[name] = jinja.NewString(text)
	}
	return t.compiled.RenderValues(data)
}

func messageValue(message Message) jinja.Value {
	value := jinja.NewDict()
	fields := value.AsDict()
	fields.Set("role", jinja.NewString(string(message.Role)))
	fields.Set("content", jinja.NewString(message.Content))
	switch {
	case message.Call == "":
	case message.Role == corpus.RoleTool:
		fields.Set("tool_call_id", jinja.NewString(message.Call))
	default:
		function := jinja.NewDict()
		function.AsDict().Set("name", jinja.NewString("recorded_tool"))
		function.AsDict().Set("arguments", jinja.NewString("{}"))
		call := jinja.NewDict()
		call.AsDict().Set("id", jinja.NewString(message.Call))
		call.AsDict().Set("type", jinja.NewString("function"))
		call.AsDict().Set("function", function)
		fields.Set("tool_calls", jinja.NewList([]jinja.Value{call}))
	}
	return value
}
