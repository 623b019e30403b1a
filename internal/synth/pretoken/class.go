package pretoken

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of character properties; one character may have several.
type class uint8

const (
	letter class = 1 << iota // \p{L}
	number                   // \p{N}
	space                    // \s
	mark                     // \p{M}
	upper                    // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lower                    // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
	sign                     // [\p{P}\p{S}]
)

// asciiClass answers classOf for the characters that make up nearly all text of coding agents.
var asciiClass = func() (table [utf8.RuneSelf]class) {
	for r := range rune(utf8.RuneSelf) {
		table[r] = slowClass(r)
	}
	return table
}()

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return asciiClass[r]
	}
	return slowClass(r)
}

func slowClass(r rune) class {
	switch {
	case unicode.Is(unicode.Ll, r):
		return letter | lower
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return letter | upper
	case unicode.Is(unicode.L, r):
		return letter | upper | lower
	case unicode.Is(unicode.N, r):
		return number
	case unicode.Is(unicode.M, r):
		return mark | upper | lower
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.P, r), unicode.Is(unicode.S, r):
		return sign
	}
	return 0
}

// first decodes the character that s begins with; s is not empty. Bytes that are not UTF-8 count as
// U+FFFD, one byte long.
func first(s string) (r rune, size int) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s)
}

// run is the length of the longest beginning of s whose characters all have a property of want.
func run(s string, want class) int {
	at := 0
	for at < len(s) {
		r, size := first(s[at:])
		if classOf(r)&want == 0 {
			break
		}
		at += size
	}
	return at
}

// runNot is the length of the longest beginning of s whose characters have no property of avoid.
func runNot(s string, avoid class) int {
	at := 0
	for at < len(s) {
		r, size := first(s[at:])
		if classOf(r)&avoid != 0 {
			break
		}
		at += size
	}
	return at
}

// newlines is the length of the longest beginning of s made of \r and \n, and of slashes where
// withSlash is set.
func newlines(s string, withSlash bool) int {
	at := 0
	for at < len(s) && (s[at] == '\n' || s[at] == '\r' || withSlash && s[at] == '/') {
		at++
	}
	return at
}

// numberRun is the length of up to limit number characters.
func numberRun(s string, limit int) int {
	at := 0
	for range limit {
		if at == len(s) {
			break
		}
		r, size := first(s[at:])
		if classOf(r)&number == 0 {
			break
		}
		at += size
	}
	return at
}

// blanks matches `\s*[\r\n]+|\s+(?!\S)|\s+`: white space up to its last line break, else all but the
// last blank of a run that a visible character follows, else the run. It returns 0 when s does not
// begin with white space.
func blanks(s string) int {
	all, lastBreak, lastSize := 0, 0, 0
	for all < len(s) {
		r, size := first(s[all:])
		if classOf(r)&space == 0 {
			break
		}
		all += size
		lastSize = size
		if r == '\n' || r == '\r' {
			lastBreak = all
		}
	}
	switch {
	case lastBreak > 0:
		return lastBreak
	case all < len(s) && all > lastSize:
		return all - lastSize
	}
	return all
}

// plainBlanks matches `\s+(?!\S)|\s+`.
func plainBlanks(s string) int {
	all, lastSize := 0, 0
	for all < len(s) {
		r, size := first(s[all:])
		if classOf(r)&space == 0 {
			break
		}
		all += size
		lastSize = size
	}
	if all < len(s) && all > lastSize {
		return all - lastSize
	}
	return all
}

// contraction is the length of one of 's 't 're 've 'm 'll 'd at the start of s, else 0. With fold
// set, case does not matter, and U+017F (long s) counts as s.
func contraction(s string, fold bool) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	if fold && len(s) >= 3 && s[1] == 0xC5 && s[2] == 0xBF {
		return 3
	}
	low := func(at int) byte {
		if at >= len(s) {
			return 0
		}
		if c := s[at]; fold && 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return s[at]
	}
	switch low(1) {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if low(2) == 'e' {
			return 3
		}
	case 'l':
		if low(2) == 'l' {
			return 3
		}
	}
	return 0
}
