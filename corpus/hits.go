package corpus

import (
	"cmp"
	"slices"
)

// record is a turn in the order in which its request began.
type record struct {
	call   *call
	number int // stream number of spec reconstruction 6.2
	stream int
	turn   int
}

// recordOrder lists all turns of the trace by time, place in the file and stream (spec reconstruction
// 6.2). Turns of one stream keep their order.
func (b *builder) recordOrder() []record {
	var records []record
	for s := range b.streams {
		for k := range b.streams[s].calls {
			records = append(records, record{&b.streams[s].calls[k], b.streams[s].number, s, k})
		}
	}
	slices.SortStableFunc(records, func(x, y record) int {
		return cmp.Or(cmp.Compare(x.call.t, y.call.t), cmp.Compare(x.call.row, y.call.row),
			cmp.Compare(x.number, y.number), cmp.Compare(x.turn, y.turn))
	})
	return records
}

// hits computes the theoretical prefix-cache hits of every turn: the longest beginning that its
// covered ids share with those of any earlier request (spec reconstruction 6.3, "ours"). On the way it
// numbers the distinct ids that need a window by first appearance.
func (b *builder) hits() {
	var known prefixTree
	known.grow(noBlock)
	// Of each stream's latest prompt, by time: its blocks and their nodes. A worker's turns need not be in
	// order of time where two began at once.
	latest := make([][]Block, len(b.streams))
	paths := make([][]uint32, len(b.streams))
	b.ranks = make([]Rank, b.trace.Blocks)
	ranked := make([]bool, b.trace.Blocks)
	for _, r := range b.recordOrder() {
		turn := &b.plan.Conversations[r.stream].Turns[r.turn]
		request := r.call.Request
		blocks := request.Blocks[:coveredBlocks(request, b.block)]
		start := commonPrefix(latest[r.stream], blocks)
		path := paths[r.stream][:start]
		node := uint32(0)
		if start > 0 {
			node = path[start-1]
		}
		hits := start
		for _, block := range blocks[start:] {
			next, found := known.child(node, block)
			if found && hits == len(path) {
				hits++
			}
			if !found {
				next = known.add(node, block)
			}
			if !ranked[block] {
				ranked[block] = true
				b.ranks[block] = Rank(b.layout.IDs)
				b.layout.IDs++
			}
			node = next
			path = append(path, node)
		}
		latest[r.stream], paths[r.stream] = blocks, path
		turn.HitBlocks, turn.TotalBlocks = hits, len(request.Blocks)
		turn.HitTokens = min(int64(hits), request.In/int64(b.block)) * int64(b.block)
		b.facts.HitBlocks += int64(hits)
		b.facts.TotalBlocks += int64(turn.TotalBlocks)
		b.facts.HitTokens += turn.HitTokens
	}
}

// noBlock stands in the tree where there is no block: no trace has so many ids.
const noBlock = ^Block(0)

// prefixTree holds block lists by their beginnings; node 0 is the empty one. Most nodes have one child,
// which is kept beside the node.
type prefixTree struct {
	block  []Block  // of the first child
	first  []uint32 // the first child
	others map[edge]uint32
}

type edge struct {
	node  uint32
	block Block
}

func (t *prefixTree) grow(block Block) uint32 {
	t.block = append(t.block, block)
	t.first = append(t.first, 0)
	return uint32(len(t.first) - 1)
}

func (t *prefixTree) child(node uint32, block Block) (uint32, bool) {
	if t.first[node] != 0 && t.block[node] == block {
		return t.first[node], true
	}
	child, found := t.others[edge{node, block}]
	return child, found
}

func (t *prefixTree) add(node uint32, block Block) uint32 {
	child := t.grow(noBlock)
	if t.first[node] == 0 {
		t.first[node], t.block[node] = child, block
		return child
	}
	if t.others == nil {
		t.others = map[edge]uint32{}
	}
	t.others[edge{node, block}] = child
	return child
}
