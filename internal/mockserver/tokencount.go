package mockserver

import (
	"encoding/json"
	"fmt"
	"sync"

	"agentx/internal/servermodel"
)

// Encode turns a text into token ids.
type Encode func(text string) []int

// TokenCounterOptions describe how messages become one prompt.
type TokenCounterOptions struct {
	Name            string // of the tokenizer, for /version
	Encode          Encode
	UnitTokens      int // of the server model; 0 = its default
	MessageOverhead int // tokens that the chat template puts around each message
	AnswerOverhead  int // tokens that it puts after the last message
	Prefixes        int // how many prompt beginnings are remembered; 0 = 4,096
}

// NewTokenCounter counts with a tokenizer. It remembers the beginnings it has seen, so that a
// conversation's next turn costs the tokens of its new messages only.
func NewTokenCounter(options TokenCounterOptions) Counter {
	if options.Prefixes == 0 {
		options.Prefixes = 4096
	}
	return &tokenCounter{options: options, young: map[uint64]prefix{}}
}

type tokenCounter struct {
	options TokenCounterOptions

	mu         sync.Mutex
	young, old map[uint64]prefix // when young is full it becomes old, and old is forgotten
}

// prefix is a beginning of whole messages.
type prefix struct {
	keys   servermodel.Keys
	tokens int
}

func (c *tokenCounter) Name() string { return "tokenizer " + c.options.Name }

func (c *tokenCounter) Count(prompt Prompt, _ []uint64) (int, []uint64, error) {
	messages, err := elements(prompt.Messages)
	if err != nil {
		return 0, nil, err
	}
	if len(prompt.Tools) > 0 {
		messages = append([][]byte{prompt.Tools}, messages...)
	}
	names := make([]uint64, len(messages)) // of the beginnings, by their bytes
	name := uint64(0)
	for i, message := range messages {
		name = servermodel.Mix(name, hashBytes(message))
		names[i] = name
	}
	known, at := c.longest(names)
	for i := at; i < len(messages); i++ {
		role, text, err := messageText(messages[i])
		if err != nil {
			return 0, nil, fmt.Errorf("message %d: %w", i, err)
		}
		for k := range c.options.MessageOverhead {
			known.keys.Token(hashBytes([]byte(role)) + uint64(k))
		}
		ids := c.options.Encode(text)
		for _, id := range ids {
			known.keys.Token(uint64(id))
		}
		known.tokens += c.options.MessageOverhead + len(ids)
		c.remember(names[i], known)
	}
	return known.tokens + c.options.AnswerOverhead, known.keys.List(), nil
}

// longest finds the longest beginning that is known, and the message after it.
func (c *tokenCounter) longest(names []uint64) (prefix, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(names) - 1; i >= 0; i-- {
		known, found := c.young[names[i]]
		if !found {
			if known, found = c.old[names[i]]; !found {
				continue
			}
			c.keep(names[i], known)
		}
		return known, i + 1
	}
	return prefix{keys: servermodel.NewKeys(c.options.UnitTokens)}, 0
}

func (c *tokenCounter) remember(name uint64, known prefix) {
	known.keys = known.keys.Clone()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(name, known)
}

// keep files a beginning among the young. The caller holds mu.
func (c *tokenCounter) keep(name uint64, known prefix) {
	if len(c.young) >= c.options.Prefixes/2 {
		c.old, c.young = c.young, map[uint64]prefix{}
	}
	c.young[name] = known
}

// messageText is the role and all text of a message: content, as a string or in parts, and tool calls.
// Tool definitions (an array) are text as they stand.
func messageText(raw []byte) (role, text string, err error) {
	if len(raw) > 0 && raw[0] == '[' {
		return "tools", string(raw), nil
	}
	var message struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &message); err != nil {
		return "", "", err
	}
	if len(message.Content) > 0 && message.Content[0] == '[' {
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(message.Content, &parts); err != nil {
			return "", "", err
		}
		for _, part := range parts {
			text += part.Text
		}
	} else if len(message.Content) > 0 {
		if err := json.Unmarshal(message.Content, &text); err != nil { // null leaves it empty
			return "", "", err
		}
	}
	for _, call := range message.ToolCalls {
		text += call.Function.Name + call.Function.Arguments
	}
	return message.Role, text, nil
}
