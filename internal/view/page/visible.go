package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns text as it can be shown on a page, a picture or a terminal: what has no form of its
// own, or would change the direction or the state of what shows it, is written out. Control characters,
// separators and format characters become ‹U+001B›, ‹U+2028› and so on, bytes that are no UTF-8 become
// ‹FF›. (The Unicode pictures of controls are missing in common fonts.) Newlines and tabs are controls
// too: VisibleLines keeps them.
func Visible(text string) string { return visible(text, false) }

// VisibleLines is Visible for text of several lines: newlines and tabs stay.
func VisibleLines(text string) string { return visible(text, true) }

func visible(text string, lines bool) string {
	if !hasHidden(text, lines) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text) + 16)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, "‹%02X›", text[i])
		case !hidden(r, lines):
			out.WriteRune(r)
		default:
			fmt.Fprintf(&out, "‹U+%04X›", r)
		}
		i += size
	}
	return out.String()
}

func hasHidden(text string, lines bool) bool {
	for i, r := range text {
		if hidden(r, lines) {
			return true
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return true
			}
		}
	}
	return false
}

// hidden says whether r has no visible form: controls, format characters (bidirectional overrides,
// zero-width ones), line and paragraph separators, private and unassigned noncharacters.
func hidden(r rune, lines bool) bool {
	if lines && (r == '\n' || r == '\t') {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Noncharacter_Code_Point)
}
