package chat

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// walker goes through one JSON text. After a fault bad is set and every further step does nothing.
type walker struct {
	text    []byte
	at      int
	bad     bool
	scratch []byte // unescaped strings of this text; never moved while slices of it are in use: it only grows
}

func (w *walker) space() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\n', '\r', '\t':
			w.at++
		default:
			return
		}
	}
}

// peek is the first byte of the next value or sign, 0 at the end of the text.
func (w *walker) peek() byte {
	w.space()
	if w.bad || w.at >= len(w.text) {
		return 0
	}
	return w.text[w.at]
}

func (w *walker) fail() { w.bad, w.at = true, len(w.text) }

// open steps into an object or array.
func (w *walker) open(sign byte) bool {
	if w.peek() != sign {
		w.fail()
		return false
	}
	w.at++
	return true
}

// more steps to the next member of the object or array that sign closes; first is true before the first
// one. It gives false after the closing sign.
func (w *walker) more(sign byte, first *bool) bool {
	next := w.peek()
	switch {
	case next == sign:
		w.at++
		return false
	case *first:
		*first = false
		if next == 0 {
			w.fail()
		}
		return !w.bad
	case next != ',':
		w.fail()
		return false
	}
	w.at++
	if w.peek() == sign { // a comma with nothing after it
		w.fail()
	}
	return !w.bad
}

// key reads a member's name and its colon.
func (w *walker) key() []byte {
	name := w.text0()
	if w.peek() != ':' {
		w.fail()
		return nil
	}
	w.at++
	return name
}

// raw reads a string and gives what stands between its quotes.
func (w *walker) raw() (inside []byte, escaped bool) {
	if w.peek() != '"' {
		w.fail()
		return nil, false
	}
	start := w.at + 1
	for end := start; ; {
		quote := bytes.IndexByte(w.text[end:], '"')
		if quote < 0 {
			w.fail()
			return nil, false
		}
		end += quote
		backslashes := 0
		for end-1-backslashes >= start && w.text[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			w.at = end + 1
			inside = w.text[start:end]
			return inside, bytes.IndexByte(inside, '\\') >= 0
		}
		end++
	}
}

// text0 reads a string; the slice is valid until the walker's next text.
func (w *walker) text0() []byte {
	inside, escaped := w.raw()
	if !escaped {
		return inside
	}
	start := len(w.scratch)
	w.unescape(inside)
	return w.scratch[start:len(w.scratch):len(w.scratch)]
}

// textOrSkip reads a string, or passes over another value and gives nil.
func (w *walker) textOrSkip() []byte {
	if w.peek() == '"' {
		return w.text0()
	}
	w.skip()
	return nil
}

// join gives a followed by b, in scratch where both have bytes.
func (w *walker) join(a, b []byte) []byte {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	start := len(w.scratch)
	w.scratch = append(append(w.scratch, a...), b...)
	return w.scratch[start:len(w.scratch):len(w.scratch)]
}

func (w *walker) unescape(inside []byte) {
	for {
		cut := bytes.IndexByte(inside, '\\')
		if cut < 0 || cut+1 >= len(inside) {
			w.scratch = append(w.scratch, inside...)
			return
		}
		w.scratch = append(w.scratch, inside[:cut]...)
		sign := inside[cut+1]
		inside = inside[cut+2:]
		switch sign {
		case '"', '\\', '/':
			w.scratch = append(w.scratch, sign)
		case 'n':
			w.scratch = append(w.scratch, '\n')
		case 't':
			w.scratch = append(w.scratch, '\t')
		case 'r':
			w.scratch = append(w.scratch, '\r')
		case 'b':
			w.scratch = append(w.scratch, '\b')
		case 'f':
			w.scratch = append(w.scratch, '\f')
		case 'u':
			inside = w.unicode(inside)
		default:
			w.fail()
			return
		}
	}
}

// unicode takes the digits after \u, and a second escape where the two are a surrogate pair. Half a pair
// becomes U+FFFD.
func (w *walker) unicode(rest []byte) []byte {
	r, ok := hex4(rest)
	if !ok {
		w.fail()
		return nil
	}
	rest = rest[4:]
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
			if low, ok := hex4(rest[2:]); ok {
				pair = utf16.DecodeRune(r, low)
			}
		}
		if pair != utf8.RuneError {
			rest = rest[6:]
		}
		r = pair
	}
	w.scratch = utf8.AppendRune(w.scratch, r)
	return rest
}

func hex4(digits []byte) (r rune, ok bool) {
	if len(digits) < 4 {
		return 0, false
	}
	for _, c := range digits[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
