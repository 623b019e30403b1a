package filler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentx/internal/synth/token"
)

// sharedTokens is the length of beginning that no two starts share: the unit in which servers
// recognise cached prefixes.
const sharedTokens = 16

// Windows are the legal windows of one filler text. They are immutable.
type Windows struct {
	Text string
	Ends []uint32 // byte offset at which each token ends

	isStart []bool // rules 1 and 4 hold for a window that begins at this token
	isBreak []bool // rule 2 holds for a window that ends before this token
	starts  map[int][]uint32
}

// Find returns the legal windows of text for each of the block sizes.
//
// A window of n tokens at token i is legal when
//
//  1. token i is one blank and then ASCII letters, at the start of a pre-token (tokenizers without
//     pre-tokens: any token of this form), and is bare-safe: without the blank it begins a text, and a
//     line, with the same count of tokens;
//  2. its last byte is an ASCII letter or digit, and token i+n begins a pre-token (without
//     pre-tokens: begins with a blank or newline, and no token of the vocabulary can reach across);
//  3. the text is printable ASCII, newline and tab, and holds no forbidden string;
//  4. no start before it has the same first 16 tokens.
//
// Then windows in a row encode to the sum of their parts, at the start of a text or after a newline or
// a blank, with the blank of the first left out, and before newlines, blanks and control tokens. The end of
// ctx is an error.
func Find(ctx context.Context, text string, marked token.Marked, tokenizer *token.Tokenizer, blockSizes []int) (*Windows, error) {
	if err := assertText(text, marked, tokenizer); err != nil {
		return nil, err
	}
	w := &Windows{Text: text, Ends: marked.Ends, starts: map[int][]uint32{}}
	w.findBreaks(marked, tokenizer)
	w.findStarts(ctx, marked, tokenizer, blockSizes)
	return w, w.assertSums(ctx, tokenizer, blockSizes)
}

// assertText checks rule 3, and that a token's length fits the byte in which bundles store it.
func assertText(text string, marked token.Marked, tokenizer *token.Tokenizer) error {
	if !isPlain(text) {
		return errors.New("the filler text has other characters than printable ASCII, newline and tab")
	}
	if found, at, ok := newFinder(Forbidden(tokenizer.AddedTokens())).in(text); ok {
		return fmt.Errorf("the filler text holds the control string %q at byte %d", found, at)
	}
	from := uint32(0)
	for i, end := range marked.Ends {
		if end-from > 255 || end == from {
			return fmt.Errorf("token %d of the filler text has %d bytes", i, end-from)
		}
		from = end
	}
	return nil
}

// Tokens is the length of the text in tokens.
func (w *Windows) Tokens() int { return len(w.Ends) }

// offset is the byte at which a token begins.
func (w *Windows) offset(tokenIndex int) uint32 {
	if tokenIndex == 0 {
		return 0
	}
	return w.Ends[tokenIndex-1]
}

// Bytes is the text of the window of n tokens at start.
func (w *Windows) Bytes(start uint32, n int) string {
	return w.Text[w.offset(int(start)):w.offset(int(start)+n)]
}

// Legal reports whether the window of n tokens at start is legal.
func (w *Windows) Legal(start uint32, n int) bool {
	return w.isStart[start] && int(start)+n < len(w.isBreak) && w.isBreak[int(start)+n]
}

// Starts lists, in ascending order, where windows of a whole block may begin. blockSize is one of
// those given to Find.
func (w *Windows) Starts(blockSize int) []uint32 { return w.starts[blockSize] }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }

func (w *Windows) findBreaks(marked token.Marked, tokenizer *token.Tokenizer) {
	var ends [256]bool
	for c := range 256 {
		b := byte(c)
		ends[c] = isAlphanumeric(b) && (tokenizer.PreTokened() || !tokenizer.Crossing(b, ' ') && !tokenizer.Crossing(b, '\n'))
	}
	w.isBreak = make([]bool, len(marked.IDs))
	for i := 1; i < len(marked.IDs); i++ {
		w.isBreak[i] = marked.Starts[i] && ends[w.Text[w.Ends[i-1]-1]]
	}
}

func (w *Windows) findStarts(ctx context.Context, marked token.Marked, tokenizer *token.Tokenizer, blockSizes []int) {
	w.isStart = make([]bool, len(marked.IDs))
	safe := map[string]bool{}
	seen := map[uint64]struct{}{}
	sizes := slices.Compact(slices.Sorted(slices.Values(blockSizes)))
	for i := range marked.IDs {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return // assertSums says so
		}
		if !marked.Starts[i] || !blankAndLetters(w.Text[w.offset(i):w.Ends[i]]) || i+sharedTokens > len(marked.IDs) {
			continue
		}
		fits := slices.ContainsFunc(sizes, func(n int) bool { return i+n < len(w.isBreak) && w.isBreak[i+n] })
		if !fits || !w.bareSafe(i, tokenizer, safe) {
			continue
		}
		// Equal beginnings have equal hashes; a chance collision only loses a start.
		beginning := hashTokens(marked.IDs[i : i+sharedTokens])
		if _, taken := seen[beginning]; taken {
			continue
		}
		seen[beginning] = struct{}{}
		w.isStart[i] = true
	}
	for _, n := range sizes {
		for i := range w.isStart {
			if w.isStart[i] && w.Legal(uint32(i), n) {
				w.starts[n] = append(w.starts[n], uint32(i))
			}
		}
	}
}

func blankAndLetters(text string) bool {
	if len(text) < 2 || text[0] != ' ' {
		return false
	}
	for i := 1; i < len(text); i++ {
		if !isLetter(text[i]) {
			return false
		}
	}
	return true
}

// bareSafe checks the second half of rule 1 on the shortest beginning of the window that could be a
// window of its own: what follows it is counted apart. known remembers the beginnings seen.
func (w *Windows) bareSafe(i int, tokenizer *token.Tokenizer, known map[string]bool) bool {
	end := i + 1
	for end < len(w.isBreak) && !w.isBreak[end] {
		end++
	}
	if end == len(w.isBreak) {
		return false
	}
	beginning := w.Text[w.offset(i):w.offset(end)]
	safe, seen := known[beginning]
	if !seen {
		bare, n := beginning[1:], end-i
		safe = tokenizer.Count(bare) == n && tokenizer.Count("x\n"+bare) == n+tokenizer.Count("x\n") && tokenizer.Count("x"+beginning) == n+tokenizer.Count("x")
		known[beginning] = safe
	}
	return safe
}

// hashTokens is FNV-1a over the ids.
func hashTokens(ids []token.ID) uint64 {
	hash := uint64(14695981039346656037)
	for _, id := range ids {
		for shift := 0; shift < 32; shift += 8 {
			hash = (hash ^ uint64(id>>shift&0xFF)) * 1099511628211
		}
	}
	return hash
}

// assertSums encodes rows of windows and compares with the sums: the claim that everything rests on,
// tried with this very text and tokenizer before a bundle is made of it.
func (w *Windows) assertSums(ctx context.Context, tokenizer *token.Tokenizer, blockSizes []int) error {
	const rows, windows = 60, 6
	for _, n := range blockSizes {
		starts := w.Starts(n)
		if len(starts) == 0 {
			continue
		}
		for row := range rows {
			if ctx.Err() != nil {
				break
			}
			var text strings.Builder
			for i := range windows {
				text.WriteString(w.Bytes(starts[(row*7919+i*104729)%len(starts)], n)) // spread over the text
			}
			if err := assertSum(tokenizer, text.String()[1:], windows*n); err != nil {
				return fmt.Errorf("windows of %d tokens do not add up with this tokenizer (%w); text of exact length cannot be made for it", n, err)
			}
		}
	}
	return ctx.Err()
}

// assertSum checks that text, which begins with a bare window, has want tokens wherever it stands.
func assertSum(tokenizer *token.Tokenizer, text string, want int) error {
	for _, before := range []struct{ text, counted string }{{"", ""}, {"x\n", "x\n"}, {"x ", "x"}} {
		for _, after := range []string{"", "\n", "\n\n[rid:", " x"} {
			rest := tokenizer.Count("x"+after) - tokenizer.Count("x")
			got := tokenizer.Count(before.text + text + after)
			if sum := tokenizer.Count(before.counted) + want + rest; got != sum {
				return fmt.Errorf("between %q and %q there are %d tokens, not %d", before.text, after, got, sum)
			}
		}
	}
	return nil
}
