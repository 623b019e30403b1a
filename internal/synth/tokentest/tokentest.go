// Package tokentest makes small tokenizer.json files for tests: the real ones have megabytes and
// cannot be committed. A file knows the given words and otherwise single characters, so its tokens
// are easy to tell by hand.
package tokentest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// File is the content of a tokenizer.json; tests change it before they write it.
type File map[string]any

// JSON is the file's text.
func (f File) JSON() []byte {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return bytes.Clone(text)
}

// Model is the file's "model" object.
func (f File) Model() map[string]any { return f["model"].(map[string]any) }

// CL100KPattern is a split pattern of the cl100k family, numbers in threes.
const CL100KPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// ByteLevel is a byte-level BPE file whose vocabulary is the 256 bytes (ids 0 to 255) and every
// beginning of the words; a word may begin with a blank. Added tokens: <|end|> (special) and <tool>.
func ByteLevel(words []string) File {
	b := builder{vocabulary: map[string]int{}, merges: []string{}}
	for c := range 256 {
		b.add(byteForm(byte(c)))
	}
	for _, word := range words {
		var symbols []string
		for i := range len(word) {
			symbols = append(symbols, byteForm(word[i]))
		}
		b.word(symbols)
	}
	byteLevel := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}
	split := map[string]any{"type": "Split", "pattern": map[string]any{"Regex": CL100KPattern}, "behavior": "Isolated", "invert": false}
	return File{
		"version":       "1.0",
		"added_tokens":  []any{added(len(b.vocabulary), "<|end|>", true), added(len(b.vocabulary)+1, "<tool>", false)},
		"normalizer":    nil,
		"pre_tokenizer": map[string]any{"type": "Sequence", "pretokenizers": []any{split, byteLevel}},
		"decoder":       byteLevel,
		"model":         map[string]any{"type": "BPE", "dropout": nil, "vocab": b.vocabulary, "merges": b.merges},
	}
}

// CodePoint is a file of BPE over characters with byte fallback: ids 0 to 255 are the bytes, then
// the printable ASCII characters and the blank sign, then every beginning of the words. With prepend,
// a blank sign goes before every text. Added tokens: <s> (special).
func CodePoint(words []string, prepend bool) File {
	b := builder{vocabulary: map[string]int{}, merges: []string{}}
	for c := range 256 {
		b.add(fmt.Sprintf("<0x%02X>", c))
	}
	b.add("▁")
	for c := '!'; c <= '~'; c++ {
		b.add(string(c))
	}
	for _, word := range words {
		b.word(strings.Split(strings.ReplaceAll(word, " ", "▁"), ""))
	}
	steps := []any{map[string]any{"type": "Replace", "pattern": map[string]any{"String": " "}, "content": "▁"}}
	decoders := []any{
		map[string]any{"type": "Replace", "pattern": map[string]any{"String": "▁"}, "content": " "},
		map[string]any{"type": "ByteFallback"}, map[string]any{"type": "Fuse"},
	}
	if prepend {
		steps = append([]any{map[string]any{"type": "Prepend", "prepend": "▁"}}, steps...)
		decoders = append(decoders, map[string]any{"type": "Strip", "content": " ", "start": 1, "stop": 0})
	}
	return File{
		"added_tokens": []any{added(len(b.vocabulary), "<s>", true)},
		"normalizer":   map[string]any{"type": "Sequence", "normalizers": steps},
		"decoder":      map[string]any{"type": "Sequence", "decoders": decoders},
		"model":        map[string]any{"type": "BPE", "byte_fallback": true, "fuse_unk": true, "unk_token": nil, "vocab": b.vocabulary, "merges": b.merges},
	}
}

func added(id int, content string, special bool) map[string]any {
	return map[string]any{"id": id, "content": content, "special": special, "normalized": false, "single_word": false, "lstrip": false, "rstrip": false}
}

type builder struct {
	vocabulary map[string]int
	merges     []string
}

func (b *builder) add(token string) {
	if _, known := b.vocabulary[token]; !known {
		b.vocabulary[token] = len(b.vocabulary)
	}
}

// word adds the merges that make a word from left to right.
func (b *builder) word(symbols []string) {
	left := symbols[0]
	for _, symbol := range symbols[1:] {
		if _, known := b.vocabulary[left+symbol]; !known {
			b.add(left + symbol)
			b.merges = append(b.merges, left+" "+symbol)
		}
		left += symbol
	}
}

// byteForm is a byte in the printable alphabet of byte-level files (GPT-2's table).
func byteForm(c byte) string {
	shifted := 0
	for other := range 256 {
		visible := '!' <= other && other <= '~' || 0xA1 <= other && other <= 0xAC || 0xAE <= other
		switch {
		case other == int(c) && visible:
			return string(rune(c))
		case other == int(c):
			return string(rune(256 + shifted))
		case !visible:
			shifted++
		}
	}
	return ""
}
