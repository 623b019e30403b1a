package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"agentx/corpus"
)

// Text is the text of one trace: for every new message of every turn, the windows of the filler that
// it consists of. It is immutable; all methods may be used by several goroutines.
//
// A message is named by conversation, turn and place in the turn's New. Its text is that of its windows,
// one after the other, less the leading blank of the first.
type Text struct {
	filler    *filler
	layout    *corpus.Layout
	blockSize int
	starts    []uint32 // by rank: the token of the filler at which its window begins
	// The escaped text of rank r is filler.escaped[at[r]:][:sums[r+1]-sums[r]].
	at   []uint32
	sums []uint32
}

// packText writes a text frame: counts of ranks and of layout bytes (u32 each), the layout, and the
// starts of the ranks as four planes of bytes, lowest first. parts are to be compressed one by one.
func packText(layout PackedLayout, starts []uint32) (parts [][]byte) {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(starts)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(layout)))
	parts = append(parts, append(head, layout...))
	for shift := 0; shift < 32; shift += 8 {
		plane := make([]byte, len(starts))
		for rank, start := range starts {
			plane[rank] = byte(start >> shift)
		}
		parts = append(parts, plane)
	}
	return parts
}

// unpackText reads a text frame.
func unpackText(data []byte, plan *corpus.Plan, filler *filler) (*Text, error) {
	if len(data) < 8 {
		return nil, errors.New("the frame is cut off")
	}
	ranks, packed := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:]))
	if want := 8 + packed + 4*ranks; uint64(len(data)) != want {
		return nil, fmt.Errorf("%d bytes, expected %d", len(data), want)
	}
	layout, err := unpackLayout(PackedLayout(data[8:8+packed]), plan)
	if err != nil {
		return nil, err
	}
	if uint64(layout.Ranks()) != ranks {
		return nil, fmt.Errorf("%d starts for %d ranks", ranks, layout.Ranks())
	}
	t := &Text{filler: filler, layout: layout, blockSize: plan.BlockSize, starts: make([]uint32, ranks), at: make([]uint32, ranks), sums: make([]uint32, ranks+1)}
	planes := data[8+packed:]
	for rank := range int(ranks) {
		start := uint32(0)
		for plane := range 4 {
			start |= uint32(planes[plane*int(ranks)+rank]) << (8 * plane)
		}
		_, escaped, err := filler.window(start, layout.TokensOf(corpus.Rank(rank), plan.BlockSize))
		if err == nil && uint64(t.sums[rank])+uint64(escaped.to-escaped.from) > math.MaxUint32 {
			err = errors.New("the windows have more than 4 GiB of text")
		}
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		t.starts[rank], t.at[rank] = start, escaped.from
		t.sums[rank+1] = t.sums[rank] + escaped.to - escaped.from
	}
	return t, nil
}

// Content is the windows of a message.
func (t *Text) Content(conversation, turn, message int) corpus.Content {
	return t.layout.Messages[conversation][turn][message]
}

// Layout is the layout of the trace; it must not be changed.
func (t *Text) Layout() *corpus.Layout { return t.layout }

// EscapedLen is the length in bytes of a message's JSON-escaped text: one subtraction a span.
func (t *Text) EscapedLen(conversation, turn, message int) int {
	content := &t.layout.Messages[conversation][turn][message]
	length := -1 // the leading blank
	for _, span := range content.Spans {
		length += int(t.sums[int(span.First)+int(span.Count)] - t.sums[span.First])
	}
	if content.HasTail {
		length += int(t.sums[content.Tail+1] - t.sums[content.Tail])
	}
	return length
}

// Pieces is the number of slices that AppendEscaped appends: one a window.
func (t *Text) Pieces(conversation, turn, message int) int {
	content := &t.layout.Messages[conversation][turn][message]
	pieces := 0
	for _, span := range content.Spans {
		pieces += int(span.Count)
	}
	if content.HasTail {
		pieces++
	}
	return pieces
}

// AppendEscaped appends a message's JSON-escaped text, without quotes, to dst as slices of the escaped
// filler: nothing is copied, and with room in dst nothing is allocated. The slices must not be written
// to.
func (t *Text) AppendEscaped(dst [][]byte, conversation, turn, message int) [][]byte {
	content := &t.layout.Messages[conversation][turn][message]
	first := len(dst)
	for _, span := range content.Spans {
		at := t.at[span.First:][:span.Count]
		sums := t.sums[span.First:][:span.Count+1]
		for i, from := range at {
			to := from + sums[i+1] - sums[i]
			dst = append(dst, t.filler.escaped[from:to:to])
		}
	}
	if content.HasTail {
		from := t.at[content.Tail]
		to := from + t.sums[content.Tail+1] - t.sums[content.Tail]
		dst = append(dst, t.filler.escaped[from:to:to])
	}
	dst[first] = dst[first][1:]
	return dst
}

// AppendPlain appends a message's text to dst.
func (t *Text) AppendPlain(dst []byte, conversation, turn, message int) []byte {
	content := &t.layout.Messages[conversation][turn][message]
	from := len(dst)
	add := func(rank corpus.Rank) {
		at, _, err := t.filler.window(t.starts[rank], t.layout.TokensOf(rank, t.blockSize))
		if err != nil {
			panic(err) // the windows were checked when the text was read
		}
		if len(dst) == from {
			at.from++ // the leading blank
		}
		dst = append(dst, t.filler.plain[at.from:at.to]...)
	}
	for _, span := range content.Spans {
		for rank := range corpus.Rank(span.Count) {
			add(span.First + rank)
		}
	}
	if content.HasTail {
		add(content.Tail)
	}
	return dst
}

// MessageRef names a message by the turn that brought it and its place in that turn's New.
type MessageRef struct{ Turn, Message int }

// AppendRefs appends the whole message array of a turn, as it is sent, to dst: the first Keep messages
// of the turn before, then the turn's own.
func AppendRefs(dst []MessageRef, conversation *corpus.Conversation, turn int) []MessageRef {
	last := &conversation.Turns[turn]
	want := last.Keep + len(last.New)
	from := len(dst)
	for range want {
		dst = append(dst, MessageRef{})
	}
	for t := turn; want > 0; t-- {
		// Of turn t's array the first want messages are wanted; those from Keep on are its own.
		keep := conversation.Turns[t].Keep
		for i := keep; i < want; i++ {
			dst[from+i] = MessageRef{t, i - keep}
		}
		want = min(want, keep)
	}
	return dst
}
