package weka

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// maxDepth bounds the nesting of values that are skipped.
const maxDepth = 1000

// errCut says that the text ended inside a value.
var errCut = errors.New("the text ends inside a value")

// syntaxError is a place where the text is not JSON.
type syntaxError struct {
	at     int // byte
	wanted string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("byte %d: expected %s", e.at, e.wanted) }

// scanner reads JSON from a text in one pass. Every method begins at the next token, white space
// before it is skipped.
type scanner struct {
	text []byte
	at   int
}

// peek is the first byte of the next token, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) wrong(wanted string) error {
	if s.at >= len(s.text) {
		return errCut
	}
	return &syntaxError{s.at, wanted}
}

// take reads the byte, which must come next.
func (s *scanner) take(c byte) error {
	if s.peek() != c || s.at >= len(s.text) {
		return s.wrong(fmt.Sprintf("%q", c))
	}
	s.at++
	return nil
}

// word reads the literal, which must come next.
func (s *scanner) word(literal string) error {
	if bytes.HasPrefix(s.text[s.at:], []byte(literal)) {
		s.at += len(literal)
		return nil
	}
	if bytes.HasPrefix([]byte(literal), s.text[s.at:]) {
		s.at = len(s.text)
		return errCut
	}
	return s.wrong("a value")
}

// null reads null if it comes next.
func (s *scanner) null() (bool, error) {
	if s.peek() != 'n' {
		return false, nil
	}
	return true, s.word("null")
}

// object reads an object; field must read the value of the key it is given, which is valid until then.
func (s *scanner) object(field func(key []byte) error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		key, err := s.key()
		if err != nil {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case '}':
			s.at++
			return nil
		default:
			return s.wrong(`"," or "}"`)
		}
	}
}

// key reads a key and its colon.
func (s *scanner) key() ([]byte, error) {
	raw, err := s.rawString()
	if err != nil {
		return nil, err
	}
	key := raw[1 : len(raw)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		text, err := unquote(raw)
		if err != nil {
			return nil, err
		}
		key = []byte(text)
	}
	return key, s.take(':')
}

// array reads an array; element must read one value.
func (s *scanner) array(element func(i int) error) error {
	if err := s.take('['); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.at++
		return nil
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			s.at++
		case ']':
			s.at++
			return nil
		default:
			return s.wrong(`"," or "]"`)
		}
	}
}

// rawString reads a string with its quotes, escapes as they stand.
func (s *scanner) rawString() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.wrong("a string")
	}
	start := s.at
	for i := start + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.at = i + 1
			return s.text[start:s.at], nil
		case c == '\\':
			i++
			if i < len(s.text) && !validEscape(s.text[i:]) {
				s.at = i
				return nil, s.wrong("an escape that JSON knows")
			}
		case c < ' ':
			s.at = i
			return nil, s.wrong("no control character in a string")
		}
	}
	s.at = len(s.text)
	return nil, errCut
}

// validEscape reports whether text, after a backslash, begins with an escape, or is cut inside one.
func validEscape(text []byte) bool {
	if text[0] != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), text[0]) >= 0
	}
	for _, c := range text[1:min(5, len(text))] {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}

// unquote decodes a string that rawString gave.
func unquote(raw []byte) (string, error) {
	inside := raw[1 : len(raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		if !utf8.Valid(inside) {
			return "", errors.New("is not valid UTF-8")
		}
		return string(inside), nil
	}
	if !utf8.Valid(inside) {
		return "", errors.New("is not valid UTF-8")
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err
}

// rawNumber reads a number as it stands.
func (s *scanner) rawNumber() ([]byte, error) {
	s.peek()
	start := s.at
	s.skipByte('-')
	switch {
	case s.skipByte('0'):
	case s.digits():
	default:
		return nil, s.wrong("a number")
	}
	if s.skipByte('.') && !s.digits() {
		return nil, s.wrong("a digit")
	}
	if s.skipByte('e') || s.skipByte('E') {
		if !s.skipByte('+') {
			s.skipByte('-')
		}
		if !s.digits() {
			return nil, s.wrong("a digit")
		}
	}
	return s.text[start:s.at], nil
}

func (s *scanner) skipByte(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && '0' <= s.text[s.at] && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > start
}

// skip reads any value and returns its text.
func (s *scanner) skip(depth int) ([]byte, error) {
	first := s.peek()
	start := s.at
	var err error
	switch first {
	case '{', '[':
		if depth >= maxDepth {
			return nil, s.wrong("less nesting")
		}
		inside := func() error { _, err := s.skip(depth + 1); return err }
		if first == '{' {
			err = s.object(func([]byte) error { return inside() })
		} else {
			err = s.array(func(int) error { return inside() })
		}
	case '"':
		_, err = s.rawString()
	case 't':
		err = s.word("true")
	case 'f':
		err = s.word("false")
	case 'n':
		err = s.word("null")
	default:
		if first != '-' && (first < '0' || first > '9') {
			return nil, s.wrong("a value")
		}
		_, err = s.rawNumber()
	}
	return s.text[start:s.at], err
}

// isJSON reports whether the text is one JSON value.
func isJSON(text []byte) bool {
	s := scanner{text: text}
	_, err := s.skip(0)
	s.peek()
	return err == nil && s.at == len(text)
}

// appendJSONString appends text as a JSON string.
func appendJSONString(to []byte, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		return append(to, `""`...) // strings can always be written
	}
	return append(to, quoted...)
}
