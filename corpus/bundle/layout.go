package bundle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"agentx/corpus"
)

// PackedLayout is the layout of a trace's messages in the form of its text frame: everything but
// where the windows lie. Building keeps it between two passes, because it is small.
type PackedLayout []byte

// PackLayout writes a layout as varints: the counts of ids and unique windows and the lengths of the
// latter; then conversations, turns, messages; of a message twice the number of spans plus one if it
// has a tail, of a span its first rank less the rank that follows the span before it (zigzag) and its
// count, of a tail the same difference.
func PackLayout(layout *corpus.Layout) PackedLayout {
	dst := binary.AppendUvarint(nil, uint64(layout.IDs))
	dst = binary.AppendUvarint(dst, uint64(len(layout.Unique)))
	for _, tokens := range layout.Unique {
		dst = binary.AppendUvarint(dst, uint64(tokens))
	}
	next := int64(0)
	dst = binary.AppendUvarint(dst, uint64(len(layout.Messages)))
	for _, turns := range layout.Messages {
		dst = binary.AppendUvarint(dst, uint64(len(turns)))
		for _, messages := range turns {
			dst = binary.AppendUvarint(dst, uint64(len(messages)))
			for i := range messages {
				dst, next = appendContent(dst, &messages[i], next)
			}
		}
	}
	return dst
}

func appendContent(dst []byte, content *corpus.Content, next int64) ([]byte, int64) {
	head := uint64(len(content.Spans)) * 2
	if content.HasTail {
		head++
	}
	dst = binary.AppendUvarint(dst, head)
	for _, span := range content.Spans {
		dst = binary.AppendVarint(dst, int64(span.First)-next)
		dst = binary.AppendUvarint(dst, uint64(span.Count))
		next = int64(span.First) + int64(span.Count)
	}
	if content.HasTail {
		dst = binary.AppendVarint(dst, int64(content.Tail)-next)
		next = int64(content.Tail) + 1
	}
	return dst, next
}

// layoutReader reads a packed layout. Every count is checked against the bytes that are left before
// memory is taken for it.
type layoutReader struct {
	data   []byte
	next   int64 // rank after the one read last
	ranks  int64
	layout *corpus.Layout
	spans  []corpus.Span // one allocation for many messages
}

var errCutLayout = errors.New("the layout is cut off")

func (r *layoutReader) number() (uint64, error) {
	value, n := binary.Uvarint(r.data)
	if n <= 0 {
		return 0, errCutLayout
	}
	r.data = r.data[n:]
	return value, nil
}

// count reads how many items follow; an item takes at least size bytes.
func (r *layoutReader) count(size int) (int, error) {
	value, err := r.number()
	if err == nil && value > uint64(len(r.data)/size) {
		err = errCutLayout
	}
	return int(value), err
}

// unpackLayout reads a layout and checks it against the plan: the same shape, every rank in range,
// every message of exactly the planned tokens.
func unpackLayout(packed PackedLayout, plan *corpus.Plan) (*corpus.Layout, error) {
	r := &layoutReader{data: packed, layout: &corpus.Layout{}}
	if err := r.readWindows(plan.BlockSize); err != nil {
		return nil, err
	}
	conversations, err := r.count(1)
	if err == nil && conversations != len(plan.Conversations) {
		err = fmt.Errorf("%d conversations, the plan has %d", conversations, len(plan.Conversations))
	}
	if err != nil {
		return nil, err
	}
	r.layout.Messages = make([][][]corpus.Content, conversations)
	for c := range plan.Conversations {
		if r.layout.Messages[c], err = r.readTurns(&plan.Conversations[c], plan.BlockSize); err != nil {
			return nil, fmt.Errorf("conversation %d: %w", c, err)
		}
	}
	if len(r.data) > 0 {
		return nil, fmt.Errorf("%d bytes follow the layout", len(r.data))
	}
	return r.layout, nil
}

func (r *layoutReader) readWindows(blockSize int) error {
	ids, err := r.number()
	if err == nil && ids > math.MaxInt32 {
		err = fmt.Errorf("%d ids", ids)
	}
	if err != nil {
		return err
	}
	unique, err := r.count(1)
	if err != nil {
		return err
	}
	r.layout.IDs, r.layout.Unique = int(ids), make([]uint16, unique)
	r.ranks = int64(ids) + int64(unique)
	for i := range r.layout.Unique {
		tokens, err := r.number()
		if err != nil {
			return err
		}
		if tokens == 0 || tokens > uint64(blockSize) {
			return fmt.Errorf("a window of %d tokens where blocks have %d", tokens, blockSize)
		}
		r.layout.Unique[i] = uint16(tokens)
	}
	return nil
}

func (r *layoutReader) readTurns(conversation *corpus.Conversation, blockSize int) ([][]corpus.Content, error) {
	count, err := r.count(1)
	if err == nil && count != len(conversation.Turns) {
		err = fmt.Errorf("%d turns, the plan has %d", count, len(conversation.Turns))
	}
	if err != nil {
		return nil, err
	}
	turns := make([][]corpus.Content, count)
	for t := range turns {
		planned := conversation.Turns[t].New
		count, err := r.count(1)
		if err == nil && count != len(planned) {
			err = fmt.Errorf("%d messages, the plan has %d", count, len(planned))
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", t, err)
		}
		turns[t] = make([]corpus.Content, count)
		for m := range turns[t] {
			tokens, err := r.readContent(&turns[t][m], blockSize)
			if err == nil && tokens != planned[m].Tokens {
				err = fmt.Errorf("%d tokens, the plan has %d", tokens, planned[m].Tokens)
			}
			if err != nil {
				return nil, fmt.Errorf("turn %d, message %d: %w", t, m, err)
			}
		}
	}
	return turns, nil
}

func (r *layoutReader) readContent(content *corpus.Content, blockSize int) (tokens int64, err error) {
	head, err := r.number()
	if err != nil {
		return 0, err
	}
	spans := head / 2
	if spans > uint64(len(r.data)/2) {
		return 0, errCutLayout
	}
	if uint64(cap(r.spans)-len(r.spans)) < spans {
		r.spans = make([]corpus.Span, 0, max(1024, spans))
	}
	from := len(r.spans)
	for range spans {
		first, err := r.rank()
		if err != nil {
			return 0, err
		}
		count, err := r.number()
		if err != nil {
			return 0, err
		}
		if count == 0 || count > uint64(r.ranks-first) {
			return 0, fmt.Errorf("a span of %d windows from rank %d of %d", count, first, r.ranks)
		}
		r.next = first + int64(count)
		for rank := max(first, int64(r.layout.IDs)); rank < r.next; rank++ {
			if int(r.layout.Unique[rank-int64(r.layout.IDs)]) != blockSize {
				return 0, fmt.Errorf("rank %d is in a span and is not a whole block", rank)
			}
		}
		tokens += int64(count) * int64(blockSize)
		r.spans = append(r.spans, corpus.Span{First: corpus.Rank(first), Count: uint32(count)})
	}
	if spans > 0 {
		content.Spans = r.spans[from:len(r.spans):len(r.spans)]
	}
	if content.HasTail = head%2 == 1; content.HasTail {
		tail, err := r.rank()
		if err != nil {
			return 0, err
		}
		if tail < int64(r.layout.IDs) {
			return 0, fmt.Errorf("the tail has rank %d, which is a block", tail)
		}
		r.next = tail + 1
		content.Tail = corpus.Rank(tail)
		tokens += int64(r.layout.Unique[tail-int64(r.layout.IDs)])
	}
	if tokens == 0 {
		return 0, errors.New("no text")
	}
	return tokens, nil
}

// rank reads a rank, stored as the difference to the one that is expected next.
func (r *layoutReader) rank() (int64, error) {
	difference, n := binary.Varint(r.data)
	if n <= 0 {
		return 0, errCutLayout
	}
	r.data = r.data[n:]
	// Both are below 2^33, or the sum is out of range whatever it is.
	if difference > math.MaxInt32 || difference < -math.MaxInt32 {
		return 0, fmt.Errorf("a rank %d away", difference)
	}
	if rank := r.next + difference; rank >= 0 && rank < r.ranks {
		return rank, nil
	}
	return 0, fmt.Errorf("rank %d of %d", r.next+difference, r.ranks)
}
