package token

import (
	"context"
	"fmt"
	"sync"
	"unicode/utf8"

	"agentx/internal/synth/pretoken"
)

// ID is the number of a token in its vocabulary.
type ID uint32

// Kind says in which form a tokenizer is stored.
type Kind string

// The kinds of stored tokenizers.
const (
	// KindHuggingFace is a tokenizer.json file as it is.
	KindHuggingFace Kind = "tokenizer.json"
	// KindRanks is a rank list in tiktoken's text form: lines of base64 token, blank, rank.
	KindRanks Kind = "tiktoken"
)

// Source is a tokenizer as a bundle carries it.
type Source struct {
	Kind    Kind
	Pattern string // KindRanks: name of the split pattern
	Special map[string]ID
	Data    []byte
}

// Unsupported is the error for a tokenizer that cannot be read exactly.
type Unsupported struct{ What string }

func (e *Unsupported) Error() string {
	return fmt.Sprintf("the tokenizer uses %s, which cannot be counted exactly here; use a byte-level BPE tokenizer.json, one of BPE with byte fallback, or leave --tokenizer out for the embedded o200k_base", e.What)
}

func unsupported(format string, arguments ...any) error {
	return &Unsupported{What: fmt.Sprintf(format, arguments...)}
}

// Added is a token that is looked for in the text before anything else.
type Added struct {
	Content string
	ID      ID
	Special bool
	// Normalized tokens are looked for in the normalized text, after the others.
	Normalized              bool
	SingleWord              bool // no letter, digit or underscore may touch it
	StripBefore, StripAfter bool // white space beside it is part of it
}

// Tokenizer encodes and decodes. It is immutable; all methods may be used by several goroutines.
type Tokenizer struct {
	added      []Added
	first      matcher // added tokens looked for in the text as given
	second     matcher // added tokens looked for in the normalized text
	normalize  []normalizer
	stages     []pretoken.Stage
	words      model
	decode     decoder
	surface    map[ID]Added // added tokens by id
	encoders   sync.Pool
	preTokened bool
	size       int
}

// model is the part that turns a pre-token into tokens.
type model interface {
	// appendWord appends the tokens of a pre-token.
	appendWord(dst []ID, word string, scratch *scratch) []ID
	// raw returns the bytes that a token stands for in encoded text.
	raw(id ID) (string, bool)
	// crossing reports whether some token has the two bytes of text side by side, where nothing but
	// the vocabulary keeps tokens from lying across.
	crossing(left, right byte) bool
}

// Load makes a tokenizer ready. Errors say what is wrong in the data; a kind of tokenizer that
// cannot be read exactly gives an *Unsupported.
func Load(source Source) (*Tokenizer, error) {
	switch source.Kind {
	case KindHuggingFace:
		return loadHuggingFace(source.Data)
	case KindRanks:
		return loadRanks(source)
	}
	return nil, unsupported("the storage form %q", source.Kind)
}

// Size is the count of token ids: one more than the highest.
func (t *Tokenizer) Size() int { return t.size }

// AddedTokens lists the tokens that are looked for in the text before anything else.
func (t *Tokenizer) AddedTokens() []Added { return t.added }

// PreTokened reports whether text is cut into pre-tokens before merging.
func (t *Tokenizer) PreTokened() bool { return t.preTokened }

// Crossing reports whether a token may begin before and end after the boundary between two
// neighbouring bytes of ASCII text, other than by its pre-tokens.
func (t *Tokenizer) Crossing(left, right byte) bool { return t.words.crossing(left, right) }

// Encode appends the tokens of text to dst.
func (t *Tokenizer) Encode(dst []ID, text string) []ID {
	e := t.encoder()
	defer t.encoders.Put(e)
	e.ids, e.starts = dst, nil
	e.marking = false
	e.text(text)
	ids := e.ids
	e.ids = nil
	return ids
}

// Count is the number of tokens of text.
func (t *Tokenizer) Count(text string) int {
	e := t.encoder()
	defer t.encoders.Put(e)
	e.ids, e.starts = e.spare[:0], nil
	e.marking = false
	e.text(text)
	e.spare = e.ids[:0]
	return len(e.ids)
}

func (t *Tokenizer) encoder() *encoder {
	if e, ok := t.encoders.Get().(*encoder); ok {
		return e
	}
	return &encoder{tokenizer: t, cache: newCache()}
}

// Marked is an encoded text with its places.
type Marked struct {
	IDs    []ID
	Ends   []uint32 // byte offset in the text at which each token ends
	Starts []bool   // the token begins a pre-token; without pre-tokens: begins with a blank or newline
}

// Mark encodes ASCII text and says where its tokens and pre-tokens lie. Text with other characters,
// and text in which places cannot be told (an added token took white space with it), is an error, and so
// is the end of ctx: megabytes take seconds.
func (t *Tokenizer) Mark(ctx context.Context, text string) (Marked, error) {
	for at := range len(text) {
		if text[at] >= utf8.RuneSelf {
			return Marked{}, fmt.Errorf("byte %d of the text is not ASCII", at)
		}
	}
	e := t.encoder()
	defer t.encoders.Put(e)
	// Four bytes a token is what real text has; the slices grow where it is less.
	e.ids, e.starts = make([]ID, 0, len(text)/4+16), make([]bool, 0, len(text)/4+16)
	e.marking, e.until, e.called = true, ctx, false
	e.phantoms = e.phantoms[:0]
	e.text(text)
	marked := Marked{IDs: e.ids, Starts: e.starts}
	e.ids, e.starts, e.until = nil, nil, nil
	if err := ctx.Err(); err != nil {
		return Marked{}, err
	}
	return marked, t.place(&marked, e.phantoms, text)
}

// place fills in Ends, and Starts where there are no pre-tokens. phantoms are the tokens that begin
// with a character that is not in the text.
func (t *Tokenizer) place(marked *Marked, phantoms []int, text string) error {
	marked.Ends = make([]uint32, len(marked.IDs))
	end := 0
	for i, id := range marked.IDs {
		raw, ok := t.words.raw(id)
		if !ok {
			raw = t.surface[id].Content
		}
		if raw == "" {
			return fmt.Errorf("token %d has no text", id)
		}
		if len(phantoms) > 0 && phantoms[0] == i {
			raw, phantoms = raw[1:], phantoms[1:]
		}
		if end+len(raw) > len(text) || text[end:end+len(raw)] != raw {
			return fmt.Errorf("token %d (%q) is not what stands at byte %d of the text", id, raw, end)
		}
		if !t.preTokened {
			marked.Starts[i] = raw != "" && (raw[0] == ' ' || raw[0] == '\n')
		}
		end += len(raw)
		marked.Ends[i] = uint32(end)
	}
	if end != len(text) {
		return fmt.Errorf("the tokens make %d bytes of a text of %d", end, len(text))
	}
	return nil
}
