package mockserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// chatRequest is what the server needs of a request body. The raw parts are slices of the body.
type chatRequest struct {
	Model           string
	Stream          bool
	MaxTokens       int // 0 = none given
	IgnoreEOS       bool
	IncludeUsage    bool
	ContinuousUsage bool
	Choices         int
	Prompt          Prompt
}

// parseChat reads the members it knows, in one pass that steps over long strings by searching for their
// end. It checks the structure of the JSON, not every byte of strings and numbers it does not need.
func parseChat(body []byte) (chatRequest, error) {
	request := chatRequest{Choices: 1}
	var maxTokens, maxCompletionTokens *int
	s := scanner{data: body}
	err := s.object(func(key string, value []byte) error {
		var target any
		switch key {
		case "messages":
			if len(value) == 0 || value[0] != '[' {
				return fmt.Errorf("messages: expected an array")
			}
			request.Prompt.Messages = value
			return nil
		case "tools":
			request.Prompt.Tools = value
			return nil
		case "model":
			target = &request.Model
		case "stream":
			target = &request.Stream
		case "max_tokens":
			target = &maxTokens
		case "max_completion_tokens":
			target = &maxCompletionTokens
		case "ignore_eos":
			target = &request.IgnoreEOS
		case "n":
			target = &request.Choices
		case "stream_options":
			var options struct {
				IncludeUsage         bool `json:"include_usage"`
				ContinuousUsageStats bool `json:"continuous_usage_stats"`
			}
			if err := json.Unmarshal(value, &options); err != nil {
				return fmt.Errorf("stream_options: %w", err)
			}
			request.IncludeUsage, request.ContinuousUsage = options.IncludeUsage, options.ContinuousUsageStats
			return nil
		default:
			return nil
		}
		if err := json.Unmarshal(value, target); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return request, err
	}
	for _, limit := range []*int{maxTokens, maxCompletionTokens} { // the newer name wins
		if limit != nil {
			if *limit < 1 {
				return request, fmt.Errorf("max_tokens: must be at least 1, got %d", *limit)
			}
			request.MaxTokens = *limit
		}
	}
	if request.Prompt.Messages == nil {
		return request, errMissingMessages
	}
	return request, nil
}

var errMissingMessages = errors.New("messages: field required")

// scanner steps through JSON without decoding it.
type scanner struct {
	data []byte
	at   int
}

var errJSON = errors.New("JSON decode error")

func (s *scanner) fail() error { return fmt.Errorf("%w at byte %d", errJSON, s.at) }

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// object calls member for every member of the object that the data is.
func (s *scanner) object(member func(key string, value []byte) error) error {
	if !s.take('{') {
		return s.fail()
	}
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return s.fail()
		}
		s.space()
		start := s.at
		if s.at >= len(s.data) || s.data[s.at] != '"' || s.string() != nil {
			return s.fail()
		}
		var key string
		if err := json.Unmarshal(s.data[start:s.at], &key); err != nil {
			return s.fail()
		}
		if !s.take(':') {
			return s.fail()
		}
		value, err := s.value()
		if err != nil {
			return err
		}
		if err := member(key, value); err != nil {
			return err
		}
	}
	if s.space(); s.at != len(s.data) {
		return s.fail()
	}
	return nil
}

// value steps over one value and returns it.
func (s *scanner) value() ([]byte, error) {
	s.space()
	start, depth := s.at, 0
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '"':
			if err := s.string(); err != nil {
				return nil, err
			}
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			if depth == 0 { // end of the parent: a number or a word stood here
				return s.ended(start)
			}
			depth--
			s.at++
		case ',':
			if depth == 0 {
				return s.ended(start)
			}
			s.at++
		default:
			s.at++
			continue
		}
		if depth == 0 {
			return s.data[start:s.at], nil
		}
	}
	return nil, s.fail()
}

func (s *scanner) ended(start int) ([]byte, error) {
	if word := bytes.TrimRight(s.data[start:s.at], " \t\r\n"); len(word) > 0 {
		return word, nil
	}
	return nil, s.fail()
}

// string steps over a string.
func (s *scanner) string() error {
	at := s.at + 1
	for {
		quote := bytes.IndexByte(s.data[at:], '"')
		if quote < 0 {
			s.at = len(s.data)
			return s.fail()
		}
		end := at + quote
		escapes := 0
		for end-1-escapes > s.at && s.data[end-1-escapes] == '\\' {
			escapes++
		}
		at = end + 1
		if escapes%2 == 0 {
			s.at = at
			return nil
		}
	}
}

// elements are the raw values of an array.
func elements(array []byte) ([][]byte, error) {
	s := scanner{data: array}
	if !s.take('[') {
		return nil, s.fail()
	}
	var list [][]byte
	for !s.take(']') {
		if len(list) > 0 && !s.take(',') {
			return nil, s.fail()
		}
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}
