package corpus

import "fmt"

// A trace may need so much different text at most. The recordings that exist need 37,200 windows; without
// a bound one slip in an input length asks for memory without end, and text of more than 4 GiB cannot be
// addressed. No filler text has many more windows.
const (
	MaxWindows    = 1 << 21
	MaxTextTokens = MaxWindows * 64
)

// volume is an upper bound of the different text that a trace needs: its ids, and fills and tails, which
// are text without ids.
type volume struct {
	windows, tokens int64
	// most is the request with most text of its own, ownTokens of it.
	most      *Request
	mostPlace string
	ownTokens int64
}

func (t *Trace) volume(blockSize int) volume {
	v := volume{windows: int64(t.Blocks), tokens: int64(t.Blocks) * int64(blockSize)}
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.Subagent == nil {
			v.add(&row.Request, blockSize, func() string { return fmt.Sprintf("requests[%d].in", i) })
			continue
		}
		for r := range row.Subagent.Requests {
			v.add(&row.Subagent.Requests[r], blockSize, func() string { return fmt.Sprintf("requests[%d].requests[%d].in", i, r) })
		}
	}
	return v
}

// add adds what the request needs beyond its ids. Sums beyond the bounds stay just beyond them.
func (v *volume) add(r *Request, blockSize int, place func() string) {
	tokens := r.In - int64(int64(coveredBlocks(r, blockSize))*int64(blockSize))
	if tokens > v.ownTokens {
		v.most, v.mostPlace, v.ownTokens = r, place(), tokens
	}
	v.tokens = min(v.tokens+tokens, 1<<62)
	v.windows = min(v.windows+(tokens+int64(blockSize)-1)/int64(blockSize), 1<<62)
}

// checkVolume refuses a trace that needs more text than there can be.
func (b *builder) checkVolume() error {
	v := b.trace.volume(b.block)
	if v.windows <= MaxWindows && v.tokens <= MaxTextTokens {
		return nil
	}
	need := fmt.Sprintf("the trace needs %d tokens of different text in %d windows of up to %d; the most are %d tokens in %d windows",
		v.tokens, v.windows, b.block, MaxTextTokens, MaxWindows)
	if v.most != nil && v.ownTokens > MaxTextTokens/16 {
		return b.fail(v.mostPlace, fmt.Sprintf("is %d with %d hash ids of blocks of %d, which leaves %d tokens to be made up: %s",
			v.most.In, len(v.most.Blocks), b.block, v.ownTokens, need), "correct the input length or the block size, or leave the trace out")
	}
	return b.fail("requests", "are too many: "+need, "split the trace, or leave it out")
}
