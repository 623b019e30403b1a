package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Redactor masks known secrets wherever they occur in a text.
type Redactor struct {
	secrets [][]byte // as given
	forms   [][]byte // and as they may be written, longest first, so that one that contains another is masked whole
}

// minSecret is the shortest secret that is looked for: shorter ones would hit ordinary words.
const minSecret = 6

// NewRedactor masks these secrets: as written, with any of their characters escaped as in JSON, in base64
// wherever they stand in the encoded text, percent-encoded, and as UTF-8 that was read as Latin-1. Empty
// and very short ones (below six bytes) are passed over.
func NewRedactor(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		r.secrets = add(r.secrets, []byte(secret))
		r.addForms(secret)
		if misread := asLatin1(secret); misread != secret {
			r.secrets = add(r.secrets, []byte(misread))
			r.addForms(misread)
		}
	}
	longestFirst(r.secrets)
	longestFirst(r.forms)
	return r
}

func longestFirst(list [][]byte) {
	sort.SliceStable(list, func(i, j int) bool { return len(list[i]) > len(list[j]) })
}

func add(list [][]byte, secret []byte) [][]byte {
	if slices.ContainsFunc(list, func(known []byte) bool { return bytes.Equal(known, secret) }) {
		return list
	}
	return append(list, secret)
}

func (r *Redactor) addForms(secret string) {
	for _, form := range []string{
		secret, string(AppendEscaped(nil, secret)), strings.ReplaceAll(secret, "/", `\/`),
		url.QueryEscape(secret), url.PathEscape(secret),
	} {
		r.forms = add(r.forms, []byte(form))
	}
	for offset := range 3 {
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			r.forms = add(r.forms, base64Core(encoding, secret, offset))
		}
	}
}

// base64Core is what of a text's base64 form depends on the text alone where offset bytes (modulo 3) stand
// before it: without the characters that it shares with its neighbours.
func base64Core(encoding *base64.Encoding, text string, offset int) []byte {
	encoded := encoding.WithPadding(base64.NoPadding).AppendEncode(nil, append(make([]byte, offset), text...))
	return encoded[(offset*8+5)/6 : (offset+len(text))*8/6]
}

// asLatin1 is a text whose UTF-8 bytes were taken for characters of their own, as servers that follow the
// letter of HTTP read a header's value.
func asLatin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// Bytes gives text with the secrets masked; text itself where it has none.
func (r *Redactor) Bytes(text []byte) []byte {
	for _, form := range r.forms {
		if bytes.Contains(text, form) {
			text = bytes.ReplaceAll(text, form, []byte(Masked))
		}
	}
	if len(r.secrets) > 0 && bytes.Contains(text, []byte(`\u`)) {
		text = r.escaped(text)
	}
	return text
}

// Text is Bytes for strings.
func (r *Redactor) Text(text string) string {
	masked := r.Bytes([]byte(text))
	if string(masked) == text {
		return text
	}
	return string(masked)
}

// escaped masks secrets of which any characters are written as JSON escapes.
func (r *Redactor) escaped(text []byte) []byte {
	var out []byte
	kept := 0 // of text in out
	for i := 0; i < len(text); {
		length := 0
		for _, secret := range r.secrets {
			if text[i] != '\\' && text[i] != secret[0] {
				continue
			}
			if length = escapedLength(text[i:], secret); length > 0 {
				break
			}
		}
		if length == 0 {
			i++
			continue
		}
		out = append(append(out, text[kept:i]...), Masked...)
		i += length
		kept = i
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// escapedLength is how many bytes of text write the secret, escaped or not; 0 where it does not begin with it.
func escapedLength(text, secret []byte) int {
	var plain [utf8.UTFMax]byte
	at := 0
	for len(secret) > 0 {
		if at >= len(text) {
			return 0
		}
		unit, used := text[at:at+1], 1
		if text[at] == '\\' {
			unit, used = unescaped(plain[:0], text[at:])
		}
		if used == 0 || !bytes.HasPrefix(secret, unit) {
			return 0
		}
		secret, at = secret[len(unit):], at+used
	}
	return at
}

// unescaped appends what the JSON escape at the beginning of text stands for, and tells its length; 0: it is none.
func unescaped(to, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return nil, 0
	}
	if at := strings.IndexByte(`"\/bfnrt`, text[1]); at >= 0 {
		return append(to, "\"\\/\b\f\n\r\t"[at]), 2
	}
	first, ok := hexUnit(text)
	if !ok {
		return nil, 0
	}
	if second, ok := hexUnit(text[6:]); ok && utf16.IsSurrogate(first) {
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			return utf8.AppendRune(to, pair), 12
		}
	}
	return utf8.AppendRune(to, first), 6
}

// hexUnit reads \uXXXX.
func hexUnit(text []byte) (rune, bool) {
	var code [2]byte
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	if _, err := hex.Decode(code[:], text[2:6]); err != nil {
		return 0, false
	}
	return rune(code[0])<<8 | rune(code[1]), true
}
