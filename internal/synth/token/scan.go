package token

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// scanner walks JSON in place. A tokenizer.json is mostly two long lists, of which encoding/json
// makes millions of allocations; this takes a quarter of the time. Small values go to encoding/json.
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) fail(expected string) error {
	if s.at >= len(s.data) {
		return fmt.Errorf("byte %d: expected %s, found the end of the file", s.at, expected)
	}
	return fmt.Errorf("byte %d: expected %s, found %.20q", s.at, expected, s.data[s.at:min(len(s.data), s.at+20)])
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\n', '\r', '\t':
			s.at++
		default:
			return
		}
	}
}

// take steps over c if it comes next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// list calls item for every element between open and its closing bracket.
func (s *scanner) list(open, shut byte, item func() error) error {
	if !s.take(open) {
		return s.fail(strconv.QuoteRune(rune(open)))
	}
	if s.take(shut) {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take(shut) {
			return nil
		}
		return s.fail("',' or " + strconv.QuoteRune(rune(shut)))
	}
}

// object calls member for every member of an object, standing before its value.
func (s *scanner) object(member func(key string) error) error {
	return s.list('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return s.fail("':'")
		}
		return member(key)
	})
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if !s.take('"') {
		return "", s.fail("a string")
	}
	from := s.at
	for {
		end := bytes.IndexByte(s.data[s.at:], '"')
		if end < 0 {
			s.at = len(s.data)
			return "", s.fail("'\"'")
		}
		s.at += end
		slashes := 0
		for s.data[s.at-1-slashes] == '\\' { // stops at the opening quote at the latest
			slashes++
		}
		s.at++
		if slashes%2 == 0 {
			break
		}
	}
	raw := s.data[from : s.at-1]
	plain := true
	for _, c := range raw {
		if c == '\\' || c < ' ' {
			plain = false
			break
		}
	}
	if plain {
		return string(raw), nil
	}
	var text string
	if err := json.Unmarshal(s.data[from-1:s.at], &text); err != nil {
		return "", fmt.Errorf("byte %d: %w", from, err)
	}
	return text, nil
}

// number reads an id: a whole number below 2^32-1.
func (s *scanner) number() (uint32, error) {
	s.space()
	from := s.at
	value := uint64(0)
	for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' && value < math.MaxUint32 {
		value = value*10 + uint64(s.data[s.at]-'0')
		s.at++
	}
	if s.at == from || value >= math.MaxUint32 {
		s.at = from
		return 0, s.fail("a token id")
	}
	return uint32(value), nil
}

// value steps over any value and returns its bytes, unchecked: brackets are balanced, no more.
func (s *scanner) value() (json.RawMessage, error) {
	s.space()
	from, depth := s.at, 0
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '"':
			if _, err := s.text(); err != nil {
				return nil, err
			}
			if depth == 0 {
				return s.data[from:s.at], nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return s.plain(from)
			}
			if c != ',' {
				depth--
			}
			if depth == 0 && c != ',' {
				s.at++
				return s.data[from:s.at], nil
			}
		}
		s.at++
	}
	return s.plain(from)
}

// plain is the value that ends before the byte at hand.
func (s *scanner) plain(from int) (json.RawMessage, error) {
	value := bytes.TrimSpace(s.data[from:s.at])
	if len(value) == 0 {
		return nil, s.fail("a value")
	}
	return value, nil
}
