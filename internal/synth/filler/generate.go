package filler

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentx/internal/synth/draw"
	"agentx/internal/synth/token"
)

// Version names the generator, the legal-window rule and the permutation. A change of what any of
// them makes of the same input needs a new version: it is part of a bundle's key.
const Version = 1

// Style is a kind of text.
type Style string

// The styles.
const (
	Coding Style = "coding" // what coding agents send
	Words  Style = "words"  // words and full stops
)

// Styles lists them.
func Styles() []Style { return []Style{Coding, Words} }

// controls are strings that servers take for control tokens whatever the tokenizer says.
var controls = []string{"<|", "</s>", "[INST]", "<think>", "</think>", "<tool_call>", "<start_of_turn>"}

// Forbidden lists the strings that filler for the tokenizer must not hold: the controls and the
// tokenizer's added tokens. Added tokens of white space alone, which are plain text to everyone
// (Gemma-3 has its newlines there), are allowed.
func Forbidden(added []token.Added) []string {
	forbidden := slices.Clone(controls)
	for _, a := range added {
		if strings.TrimSpace(a.Content) != "" && isPlain(a.Content) {
			forbidden = append(forbidden, a.Content)
		}
	}
	return forbidden
}

// isPlain reports whether text is of the characters that filler is made of.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// finder looks for forbidden strings.
type finder struct{ byFirst [256][]string }

func newFinder(forbidden []string) *finder {
	f := &finder{}
	for _, text := range forbidden {
		f.byFirst[text[0]] = append(f.byFirst[text[0]], text)
	}
	return f
}

// in returns the first forbidden string in text.
func (f *finder) in(text string) (found string, at int, ok bool) {
	for at := range len(text) {
		for _, candidate := range f.byFirst[text[at]] {
			if strings.HasPrefix(text[at:], candidate) {
				return candidate, at, true
			}
		}
	}
	return "", 0, false
}

// maxBytesPerToken bounds the search for text of a wanted length.
const maxBytesPerToken = 16

// Generate makes text of at most tokens tokens, and only a few lines less. The end of ctx is an error.
func Generate(ctx context.Context, style Style, seed int64, tokenizer *token.Tokenizer, tokens int) (string, token.Marked, error) {
	w := &writer{Generator: draw.New(seed, "filler", string(style))}
	kinds, err := w.kinds(style)
	if err != nil {
		return "", token.Marked{}, err
	}
	finder := newFinder(Forbidden(tokenizer.AddedTokens()))
	var text strings.Builder
	for goal := tokens * 17 / 4; ; goal += tokens / 4 {
		for text.Len() < goal && ctx.Err() == nil {
			w.text.Reset()
			w.begin()
			kinds[w.Below(len(kinds))]()
			clean(&text, w.text.String(), finder)
		}
		marked, err := tokenizer.Mark(ctx, text.String())
		if err != nil {
			return "", token.Marked{}, fmt.Errorf("encoding filler text: %w", err)
		}
		if len(marked.IDs) >= tokens {
			return cut(ctx, text.String(), marked, tokenizer, tokens)
		}
		if text.Len() > tokens*maxBytesPerToken {
			return "", token.Marked{}, fmt.Errorf("filler text of %d bytes has only %d tokens; the tokenizer takes more than %d bytes for a token", text.Len(), len(marked.IDs), maxBytesPerToken)
		}
	}
}

// kinds lists the fragments of a style, the frequent ones several times.
func (w *writer) kinds(style Style) ([]func(), error) {
	switch style {
	case Coding:
		return []func(){
			w.goCode, w.goCode, w.pythonCode, w.pythonCode, w.webCode, w.rustCode, w.diff, w.diff, w.sql,
			w.prose, w.prose, w.prose, w.logLines, w.testOutput, w.traceback, w.search, w.jsonResult, w.settings,
		}, nil
	case Words:
		return []func(){w.plainWords}, nil
	}
	return nil, fmt.Errorf("there is no filler style %q; the styles are %v", style, Styles())
}

// clean appends a fragment, leaving out lines that hold a forbidden string.
func clean(text *strings.Builder, fragment string, finder *finder) {
	for line := range strings.Lines(fragment) {
		if _, _, found := finder.in(line); !found {
			text.WriteString(line)
		}
	}
}

// cut shortens text to its last whole line within the wanted tokens.
func cut(ctx context.Context, text string, marked token.Marked, tokenizer *token.Tokenizer, tokens int) (string, token.Marked, error) {
	text = text[:marked.Ends[tokens-1]]
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return "", token.Marked{}, fmt.Errorf("filler text of %d tokens has no line end", tokens)
	}
	text = strings.TrimRight(text[:end], "\n") + "\n"
	marked, err := tokenizer.Mark(ctx, text)
	if err != nil {
		return "", token.Marked{}, fmt.Errorf("encoding filler text: %w", err)
	}
	return text, marked, nil
}
