package token

import (
	"strings"
	"unicode/utf8"
)

// decoder turns token texts back into text.
type decoder int

const (
	decodeBytes      decoder = iota // byte-level
	decodeCodePoints                // blank signs, byte fallback
	decodeStripped                  // the same, less one blank at the start
)

// Decode is the text of the tokens. Ids without a token are left out, and special tokens too with
// skipSpecial. Bytes that are not UTF-8 become U+FFFD: byte-level tokenizers write one for every
// maximal piece that could have begun a character, byte fallback one for every byte of the run.
func (t *Tokenizer) Decode(ids []ID, skipSpecial bool) string {
	if t.decode == decodeBytes {
		return t.decodeByteLevel(ids, skipSpecial)
	}
	return t.decodeFallback(ids, skipSpecial)
}

func (t *Tokenizer) decodeByteLevel(ids []ID, skipSpecial bool) string {
	var raw []byte
	table := byteOfRune()
	for _, id := range ids {
		if added, ok := t.surface[id]; ok {
			if !added.Special || !skipSpecial {
				text, _ := rawBytes(added.Content, table)
				raw = append(raw, text...)
			}
			continue
		}
		if text, ok := t.words.raw(id); ok {
			raw = append(raw, text...)
		}
	}
	return lossy(raw)
}

// lossy reads bytes as UTF-8, each maximal invalid subpart as one U+FFFD (Unicode, chapter 3.9,
// "U+FFFD Substitution of Maximal Subparts").
func lossy(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	var text strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r != utf8.RuneError || size > 1 {
			text.Write(raw[:size])
			raw = raw[size:]
			continue
		}
		text.WriteString("\ufffd")
		raw = raw[invalidSubpart(raw):]
	}
	return text.String()
}

// invalidSubpart is the length of the longest beginning of raw that begins some character, at least
// 1. raw does not begin with a whole character.
func invalidSubpart(raw []byte) int {
	lowest, highest, follow := byte(0x80), byte(0xBF), 0
	switch c := raw[0]; {
	case 0xC2 <= c && c <= 0xDF:
		follow = 1
	case 0xE0 <= c && c <= 0xEF:
		follow = 2
		if c == 0xE0 {
			lowest = 0xA0
		} else if c == 0xED {
			highest = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		follow = 3
		if c == 0xF0 {
			lowest = 0x90
		} else if c == 0xF4 {
			highest = 0x8F
		}
	}
	n := 1
	for n <= follow && n < len(raw) && lowest <= raw[n] && raw[n] <= highest {
		lowest, highest = 0x80, 0xBF
		n++
	}
	return n
}

func (t *Tokenizer) decodeFallback(ids []ID, skipSpecial bool) string {
	model := t.words.(*codePoint)
	var text strings.Builder
	var run []byte // byte tokens in a row
	flush := func() {
		if utf8.Valid(run) {
			text.Write(run)
		} else {
			text.WriteString(strings.Repeat("\ufffd", len(run)))
		}
		run = run[:0]
	}
	for _, id := range ids {
		form := ""
		if added, ok := t.surface[id]; ok {
			if added.Special && skipSpecial {
				continue
			}
			form = added.Content
		} else if int(id) < len(model.tokens) {
			form = model.tokens[id]
		}
		if b, ok := model.isByte[id]; ok {
			run = append(run, b)
			continue
		}
		if form == "" {
			continue
		}
		flush()
		text.WriteString(strings.ReplaceAll(form, blankSign, " "))
	}
	flush()
	if t.decode == decodeStripped {
		return strings.TrimPrefix(text.String(), " ")
	}
	return text.String()
}
