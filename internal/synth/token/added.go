package token

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher finds added tokens in text: leftmost, then longest.
type matcher struct {
	byFirst [256][]*Added // by first byte, longest first
	count   int
}

func newMatcher(tokens []Added) matcher {
	var m matcher
	for i := range tokens {
		token := &tokens[i]
		if token.Content == "" {
			continue
		}
		first := token.Content[0]
		m.byFirst[first] = append(m.byFirst[first], token)
		m.count++
	}
	for _, list := range m.byFirst {
		slices.SortStableFunc(list, func(a, b *Added) int { return len(b.Content) - len(a.Content) })
	}
	return m
}

func (m *matcher) empty() bool { return m.count == 0 }

// find returns the first added token in s from byte from on, nil if there is none.
func (m *matcher) find(s string, from int) (at int, token *Added) {
	for at = from; at < len(s); at++ {
		for _, token := range m.byFirst[s[at]] {
			if strings.HasPrefix(s[at:], token.Content) {
				return at, token
			}
		}
	}
	return at, nil
}

// split calls visit for every added token of s and for every stretch between them, in order. at is
// the byte offset of the piece.
func (m *matcher) split(s string, visit func(piece string, at int, token *Added)) {
	from := 0 // end of the last piece
	if !m.empty() {
		for search := 0; ; {
			start, token := m.find(s, search)
			if token == nil {
				break
			}
			stop := start + len(token.Content)
			search = stop
			if token.SingleWord && (endsInWord(s[:start]) || startsWord(s[stop:])) {
				continue
			}
			if token.StripBefore {
				start = max(from, len(strings.TrimRightFunc(s[:start], unicode.IsSpace)))
			}
			if token.StripAfter {
				stop = len(s) - len(strings.TrimLeftFunc(s[stop:], unicode.IsSpace))
			}
			if start > from {
				visit(s[from:start], from, nil)
			}
			visit(s[start:stop], start, token)
			from = stop
			search = max(search, stop)
		}
	}
	if from < len(s) {
		visit(s[from:], from, nil)
	}
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

func endsInWord(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && isWordRune(r)
}

func startsWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && isWordRune(r)
}
