package token

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// codePoint merges characters, as the SentencePiece family does; a character without a token is
// written as its bytes. There are no pre-tokens: a stretch is one problem of merging. It is cut all
// the same, before a blank sign after which no token can reach over from the left, because no merge
// makes anything that is not a token: the pieces are independent, and small.
type codePoint struct {
	tokens []string
	ids    map[string]ID
	bytes  [256]ID
	isByte map[ID]byte
	ranks  *pairTable
	whole  bool // a stretch that is a token is taken as it is (ignore_merges)
	// joined holds, for ASCII bytes, whether some token has the two side by side; blanks are ' '.
	joined [128][128]bool
	// beforeBlank: some token has this character directly before a blank sign.
	beforeBlank map[rune]bool
}

func (c *codePoint) appendWord(dst []ID, text string, s *scratch) []ID {
	if c.whole {
		if id, ok := c.ids[text]; ok {
			return append(dst, id)
		}
	}
	from := 0
	before := rune(-1)
	for at, r := range text {
		if string(r) == blankSign && before >= 0 && before != r && !c.beforeBlank[before] {
			dst = c.appendPiece(dst, text[from:at], s)
			from = at
		}
		before = r
	}
	return c.appendPiece(dst, text[from:], s)
}

func (c *codePoint) appendPiece(dst []ID, piece string, s *scratch) []ID {
	symbols := s.symbols[:0]
	for at, r := range piece {
		size := utf8.RuneLen(r)
		if id, ok := c.ids[piece[at:at+size]]; ok {
			symbols = append(symbols, symbol{id: id, at: int32(at)})
			continue
		}
		for i := range size {
			symbols = append(symbols, symbol{id: c.bytes[piece[at+i]], at: int32(at + i)})
		}
	}
	s.symbols = symbols
	return mergeAll(dst, piece, symbols, c.ranks, s)
}

func (c *codePoint) raw(id ID) (string, bool) {
	if int(id) >= len(c.tokens) || c.tokens[id] == "" {
		return "", false
	}
	if b, ok := c.isByte[id]; ok {
		return string([]byte{b}), true
	}
	return strings.ReplaceAll(c.tokens[id], blankSign, " "), true
}

func (c *codePoint) crossing(left, right byte) bool {
	return left >= utf8.RuneSelf || right >= utf8.RuneSelf || c.joined[left][right]
}

// learn fills the tables that are derived from the vocabulary.
func (c *codePoint) learn() error {
	c.isByte = make(map[ID]byte, 256)
	for b := range 256 {
		id, ok := c.ids[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			return unsupported("byte fallback without a token for byte 0x%02X", b)
		}
		c.bytes[b], c.isByte[id] = id, byte(b)
	}
	c.beforeBlank = make(map[rune]bool)
	for _, token := range c.tokens {
		before := rune(-1)
		for _, r := range token {
			if before >= 0 && string(r) == blankSign {
				c.beforeBlank[before] = true
			}
			if left, right := asciiOf(before), asciiOf(r); left < utf8.RuneSelf && right < utf8.RuneSelf {
				c.joined[left][right] = true
			}
			before = r
		}
	}
	return nil
}

// asciiOf is the byte of text that a character of a token stands for, 0x80 if that is not ASCII.
func asciiOf(r rune) byte {
	switch {
	case string(r) == blankSign:
		return ' '
	case 0 <= r && r < utf8.RuneSelf:
		return byte(r)
	}
	return utf8.RuneSelf
}
