package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher finds added tokens in text: leftmost, then longest. The tokens are a trie, for vocabularies
// have hundreds of them that begin alike.
type matcher struct {
	nodes   []matchNode
	byFirst [256]int32 // node after the first byte; 0: no token begins with it
	count   int
}

// matchNode is the place in the trie after some bytes; its children are the nodes of the next byte.
type matchNode struct {
	token    *Added // that ends here, or nil
	bytes    string // next bytes, in the order of children
	children []int32
}

func newMatcher(tokens []Added) matcher {
	m := matcher{nodes: make([]matchNode, 1)} // node 0 stands for none
	for i := range tokens {
		content := tokens[i].Content
		if content == "" {
			continue
		}
		m.count++
		at := &m.byFirst[content[0]]
		if *at == 0 {
			*at = m.grow()
		}
		node := *at
		for j := 1; j < len(content); j++ {
			node = m.child(node, content[j])
		}
		if m.nodes[node].token == nil { // of equal ones the first counts
			m.nodes[node].token = &tokens[i]
		}
	}
	return m
}

// grow adds a node and returns its number.
func (m *matcher) grow() int32 {
	m.nodes = append(m.nodes, matchNode{})
	return int32(len(m.nodes) - 1)
}

// child is the node after one byte more, made if there is none.
func (m *matcher) child(node int32, c byte) int32 {
	n := &m.nodes[node]
	at := strings.IndexByte(n.bytes, c)
	if at >= 0 {
		return n.children[at]
	}
	grown := m.grow()
	n = &m.nodes[node]
	n.bytes += string([]byte{c})
	n.children = append(n.children, grown)
	return grown
}

func (m *matcher) empty() bool { return m.count == 0 }

// find returns the first added token in s from byte from on, nil if there is none.
func (m *matcher) find(s string, from int) (at int, token *Added) {
	for at = from; at < len(s); at++ {
		node := m.byFirst[s[at]]
		if node == 0 {
			continue
		}
		if token = m.longest(s[at+1:], node); token != nil {
			return at, token
		}
	}
	return at, nil
}

// longest is the longest token whose bytes after the node's are the beginning of rest.
func (m *matcher) longest(rest string, node int32) (token *Added) {
	for i := 0; ; i++ {
		n := &m.nodes[node]
		if n.token != nil {
			token = n.token
		}
		if i == len(rest) {
			return token
		}
		at := strings.IndexByte(n.bytes, rest[i])
		if at < 0 {
			return token
		}
		node = n.children[at]
	}
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
