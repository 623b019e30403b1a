package wire

import "sync"

// keptBlock is the piece in which room for the beginnings of bodies is given.
const keptBlock = 64 << 10

// keptLeast is the least that is worth a block.
const keptLeast = keptBlock / 2

// keptRoom is the room in which all streams of a client keep the beginnings of their bodies. Who finds
// none keeps nothing, and gathers his bytes anew: room is not taken from one stream for another, because
// streams take turns, and each would find that its own had just gone.
type keptRoom struct {
	mutex sync.Mutex
	left  int // blocks that have not been made yet
	free  [][]byte
}

func newKeptRoom(bytes int64) *keptRoom { return &keptRoom{left: int(max(bytes, 0) / keptBlock)} }

// take gives a block, nil where there is none.
func (r *keptRoom) take() []byte {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if last := len(r.free) - 1; last >= 0 {
		block := r.free[last]
		r.free[last] = nil
		r.free = r.free[:last]
		return block
	}
	if r.left == 0 {
		return nil
	}
	r.left--
	return make([]byte, keptBlock)
}

func (r *keptRoom) giveBack(blocks [][]byte) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.free = append(r.free, blocks...)
}

// keptText is the beginning of a stream's bodies.
type keptText struct {
	room   *keptRoom
	blocks [][]byte
	length int64 // bytes of the body that blocks hold
	until  int64 // bytes that the next body begins with
	full   bool  // there was no room for more
}

func (t *keptText) begin(room *keptRoom, length, kept int64) {
	t.room, t.until, t.full = room, min(kept, length), false
	if t.length > length { // it is not the body that was announced
		t.drop()
	}
	if t.until < keptLeast {
		t.until = 0
	}
}

// writeAt takes of the bytes that begin at offset those that come next.
func (t *keptText) writeAt(offset int64, p []byte) {
	end := min(offset+int64(len(p)), t.until)
	if t.full || t.length < offset || t.length >= end {
		return
	}
	for p = p[t.length-offset : end-offset]; len(p) > 0; {
		block, at := int(t.length/keptBlock), int(t.length%keptBlock)
		if block == len(t.blocks) {
			fresh := t.room.take()
			if fresh == nil {
				t.full = true
				return
			}
			t.blocks = append(t.blocks, fresh)
		}
		n := copy(t.blocks[block][at:], p)
		t.length += int64(n)
		p = p[n:]
	}
}

// at gives the kept bytes of the body from offset on that lie in one piece; none at the end.
func (t *keptText) at(offset int64) []byte {
	if offset >= t.length {
		return nil
	}
	block := offset / keptBlock
	return t.blocks[block][offset%keptBlock : min(t.length-block*keptBlock, keptBlock)]
}

// end gives back what the next body does not begin with.
func (t *keptText) end() {
	t.length = min(t.length, t.until)
	needed := int((t.length + keptBlock - 1) / keptBlock)
	if needed < len(t.blocks) {
		t.room.giveBack(t.blocks[needed:])
		clear(t.blocks[needed:])
		t.blocks = t.blocks[:needed]
	}
}

func (t *keptText) drop() {
	t.until = 0
	if t.room != nil {
		t.end()
	}
	t.blocks = nil
}
