package measure

import (
	"encoding/binary"
	"iter"
)

// Trail is the list of content chunks of one answer, packed: a long run has tens of millions of them.
type Trail struct {
	packed []byte
	count  int
	start  int64 // what the offsets count from; the first gap counts from 0
}

// Piece is one content chunk.
type Piece struct {
	Offset    int64 // ns after the request's start
	TextBytes int64
	Tokens    Count // completion tokens so far, as the server reports them while streaming
}

// Append adds a chunk that came gap nanoseconds after the one before (after the request's start for
// the first).
func (t *Trail) Append(gap, textBytes int64, tokens Count) {
	t.packed = binary.AppendVarint(t.packed, gap)
	size := uint64(max(textBytes, 0)) << 1
	if tokens.Known() {
		size |= 1
	}
	t.packed = binary.AppendUvarint(t.packed, size)
	if tokens.Known() {
		t.packed = binary.AppendUvarint(t.packed, uint64(max(tokens, 0)))
	}
	t.count++
}

// Len is the number of chunks.
func (t Trail) Len() int { return t.count }

// All yields the chunks in order.
func (t Trail) All() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		walker := t.walk()
		for walker.next() {
			if !yield(walker.piece) {
				return
			}
		}
	}
}

// Gaps yields the times between neighbouring chunks, in ns.
func (t Trail) Gaps() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		walker := t.walk()
		walker.next()
		for walker.next() {
			if !yield(walker.gap) {
				return
			}
		}
	}
}

// nonZeroGaps counts the neighbouring chunks that did not come in one read.
func (t Trail) nonZeroGaps() int {
	count := 0
	walker := t.walk()
	walker.next()
	for walker.next() {
		if walker.gap > 0 {
			count++
		}
	}
	return count
}

func (t Trail) walk() trailWalker {
	return trailWalker{rest: t.packed, piece: Piece{Offset: -t.start}}
}

// trailWalker reads a trail chunk by chunk.
type trailWalker struct {
	rest  []byte
	gap   int64
	piece Piece
}

func (w *trailWalker) next() bool {
	if len(w.rest) == 0 {
		return false
	}
	gap, n := binary.Varint(w.rest)
	w.rest = w.rest[n:]
	size, n := binary.Uvarint(w.rest)
	w.rest = w.rest[n:]
	w.gap = gap
	w.piece = Piece{Offset: w.piece.Offset + gap, TextBytes: int64(size >> 1), Tokens: NoCount}
	if size&1 != 0 {
		tokens, n := binary.Uvarint(w.rest)
		w.rest = w.rest[n:]
		w.piece.Tokens = Count(tokens)
	}
	return true
}
