package token

import (
	"context"
	"strings"
	"unicode/utf8"
)

// encoder holds the working memory of one encoding. Word results are remembered: text repeats its
// words, and merging one anew costs ten times the look-up.
type encoder struct {
	tokenizer *Tokenizer
	ids       []ID
	starts    []bool
	spare     []ID
	phantoms  []int
	marking   bool
	until     context.Context // when marking: nothing is encoded any more once it has ended
	called    bool            // it has
	words     int             // looked at when marking
	ends      [][]int         // one buffer per pre-tokenizer stage
	cache     *cache
	scratch   scratch
}

// text encodes a whole text.
func (e *encoder) text(s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	e.tokenizer.first.split(s, func(piece string, at int, added *Added) {
		if added != nil {
			e.one(added.ID)
			return
		}
		e.stretch(piece, at == 0)
	})
}

// stretch encodes text that holds no added token. atStart: it begins the whole text.
func (e *encoder) stretch(s string, atStart bool) {
	t := e.tokenizer
	before, given := len(e.ids), s
	for _, step := range t.normalize {
		s = step(s, atStart)
	}
	if t.second.empty() {
		e.piece(s, 0)
	} else {
		t.second.split(s, func(piece string, _ int, added *Added) {
			if added != nil {
				e.one(added.ID)
				return
			}
			e.piece(piece, 0)
		})
	}
	// Normalizers that put a character in front are the only ones that change the length of ASCII text.
	if e.marking && len(e.ids) > before && utf8.RuneCountInString(s) > len(given) {
		e.phantoms = append(e.phantoms, before)
	}
}

// piece cuts normalized text by the stages from level on and encodes what comes out.
func (e *encoder) piece(s string, level int) {
	stages := e.tokenizer.stages
	if level == len(stages) {
		e.word(s)
		return
	}
	for len(e.ends) <= level {
		e.ends = append(e.ends, nil)
	}
	ends := stages[level](e.ends[level][:0], s)
	from := 0
	for _, end := range ends {
		e.piece(s[from:end], level+1)
		from = end
	}
	e.ends[level] = ends
}

// word encodes one pre-token.
func (e *encoder) word(s string) {
	if s == "" || e.marking && e.ended() {
		return
	}
	before := len(e.ids)
	if known, ok := e.cache.get(s); ok {
		e.ids = append(e.ids, known...)
	} else {
		e.ids = e.tokenizer.words.appendWord(e.ids, s, &e.scratch)
		e.cache.put(s, e.ids[before:])
	}
	e.marks(before)
}

// ended reports, now and then, whether the marking has been called off.
func (e *encoder) ended() bool {
	const often = 1 << 12
	if e.words++; e.words%often == 0 && !e.called {
		e.called = e.until.Err() != nil
	}
	return e.called
}

func (e *encoder) one(id ID) {
	e.ids = append(e.ids, id)
	e.marks(len(e.ids) - 1)
}

// marks notes that the token numbered from begins a pre-token and those after it do not.
func (e *encoder) marks(from int) {
	if !e.marking {
		return
	}
	for i := from; i < len(e.ids); i++ {
		e.starts = append(e.starts, i == from)
	}
}

// The cache is direct-mapped and of fixed size, so that no text can make it grow.
const (
	cacheSlots   = 1 << 13
	cacheMaxWord = 32 // bytes; longer words hardly repeat
	cacheMaxIDs  = 12
)

type cache struct{ slots []cacheSlot }

type cacheSlot struct {
	word string
	size int8
	ids  [cacheMaxIDs]ID
}

func newCache() *cache { return &cache{slots: make([]cacheSlot, cacheSlots)} }

func (c *cache) slot(word string) *cacheSlot {
	// FNV-1a; the words are short.
	hash := uint32(2166136261)
	for i := range len(word) {
		hash = (hash ^ uint32(word[i])) * 16777619
	}
	return &c.slots[(hash^hash>>15)%cacheSlots]
}

func (c *cache) get(word string) ([]ID, bool) {
	if len(word) > cacheMaxWord {
		return nil, false
	}
	slot := c.slot(word)
	if slot.word != word {
		return nil, false
	}
	return slot.ids[:slot.size], true
}

func (c *cache) put(word string, ids []ID) {
	if len(word) > cacheMaxWord || len(ids) > cacheMaxIDs {
		return
	}
	slot := c.slot(word)
	slot.word = strings.Clone(word) // must not keep the whole text alive
	slot.size = int8(copy(slot.ids[:], ids))
}
