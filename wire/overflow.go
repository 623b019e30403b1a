package wire

import (
	"encoding/json"
	"strings"
)

// PeerOverflowPhrases are the ones that the peer looks for by default.
func PeerOverflowPhrases() []string {
	return []string{"context length", "maximum context", "context_length_exceeded", "prompt is too long"}
}

// DefaultOverflowPhrases are the peer's and two more, for llama.cpp.
func DefaultOverflowPhrases() []string {
	return append(PeerOverflowPhrases(), "available context size", "exceed_context_size")
}

// overflowStatus tells for which answers phrases are looked for: 0 stands for an error in a 2xx answer.
func overflowStatus(status int) bool {
	return status == 0 || status == 400 || status == 413 || status == 422
}

// matchOverflow gives the first phrase that message, or the error message inside it where it is JSON,
// contains, without regard to case.
func matchOverflow(phrases []string, message string) string {
	lowered := strings.ToLower(message)
	inner := strings.ToLower(innerMessage(message))
	for _, phrase := range phrases {
		if phrase == "" {
			continue
		}
		needle := strings.ToLower(phrase)
		if strings.Contains(lowered, needle) || strings.Contains(inner, needle) {
			return phrase
		}
	}
	return ""
}

// innerMessage is error.message, a string-valued error, or message of a JSON text, unescaped.
func innerMessage(text string) string {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal([]byte(text), &body) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	var plain string
	if json.Unmarshal(body.Error, &plain) == nil && plain != "" {
		return plain
	}
	return body.Message
}

// overflowLike tells whether a JSON error is about the length of prompt or output by its fields alone.
func overflowLike(text string) bool {
	var body struct {
		Error json.RawMessage `json:"error"`
		errorFields
	}
	if json.Unmarshal([]byte(text), &body) != nil {
		return false
	}
	var inner errorFields
	if json.Unmarshal(body.Error, &inner) == nil && inner.aboutLength() {
		return true
	}
	return body.aboutLength()
}

type errorFields struct {
	Param any `json:"param"`
	Type  any `json:"type"`
	Code  any `json:"code"`
}

func (f errorFields) aboutLength() bool {
	for _, field := range []any{f.Param, f.Type, f.Code} {
		text, _ := field.(string)
		switch text = strings.ToLower(text); {
		case text == "max_completion_tokens", text == "max_tokens", text == "input_tokens", text == "messages.length":
			return true
		case strings.Contains(text, "context") && (strings.Contains(text, "length") || strings.Contains(text, "size")):
			return true
		}
	}
	return false
}
