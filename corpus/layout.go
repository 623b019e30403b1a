package corpus

// Rank numbers the distinct windows of a trace. Ranks 0 … IDs-1 are its hash ids in order of first
// appearance (rows in the order of spec reconstruction 6.2); the ranks after them are fills and tails
// in (conversation, turn) order.
type Rank uint32

// Layout says which windows each message of a Plan is made of. It holds ranks only: which place of
// the filler text a rank stands for is decided when the bundle is made.
type Layout struct {
	IDs int // count of distinct hash ids; each is a full window
	// Unique lists the token counts of the ranks IDs, IDs+1, …: BlockSize for a fill (a full window of
	// text that has no id), less for a tail.
	Unique []uint16
	// Messages[c][t][m] is the content of Plan.Conversations[c].Turns[t].New[m].
	Messages [][][]Content
}

// Ranks is the number of windows that the trace needs.
func (l *Layout) Ranks() int { return l.IDs + len(l.Unique) }

// TokensOf is the length in tokens of the window with the given rank.
func (l *Layout) TokensOf(rank Rank, blockSize int) int {
	if int(rank) < l.IDs {
		return blockSize
	}
	return int(l.Unique[int(rank)-l.IDs])
}

// Span is a run of consecutive ranks, all full windows.
type Span struct {
	First Rank
	Count uint32
}

// Content is the text of one message: full windows, then at most one tail.
type Content struct {
	Spans []Span
	// HasTail says that the window Tail, with fewer tokens than a block, ends the message.
	HasTail bool
	Tail    Rank
}
