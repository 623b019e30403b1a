package wire

import "github.com/zeebo/blake3"

// digestBlock is the block that state is saved at and that bodies are hashed in: eight BLAKE3 chunks,
// which the hash takes at once without copying.
const digestBlock = 8192

// bodyDigest computes the BLAKE3 of the bodies of one stream. Turns of a stream begin alike, so after a
// body it keeps the hash's state at the last 8 KiB boundary of the bytes that the next turn begins with
// (Body.KeptMessages), and the next body's hash goes on from there. The zero value is ready.
type bodyDigest struct {
	saved       *blake3.Hasher
	savedLength int64 // bytes that saved has taken; a multiple of digestBlock; 0: nothing saved
	running     *blake3.Hasher
	taken       int64 // bytes of the body under way that running has taken
	saveAt      int64 // where to save; 0: nowhere
}

// begin starts a body of the given length whose first kept bytes the stream's next body begins with.
func (d *bodyDigest) begin(length, kept int64) {
	if d.savedLength > length {
		d.savedLength = 0
	}
	if d.running == nil {
		d.running = blake3.New()
	}
	if d.savedLength > 0 {
		*d.running = *d.saved
	} else {
		d.running.Reset()
	}
	d.taken = d.savedLength
	d.saveAt = min(kept, length) / digestBlock * digestBlock
	if d.saveAt < d.taken {
		d.savedLength = 0 // the state is ahead of what stays: the next body is hashed whole
	}
}

// writeAt takes the bytes of the body that begin at offset; what was taken already, from the saved state
// or in an earlier attempt to send, is passed over. Offsets leave no gap.
func (d *bodyDigest) writeAt(offset int64, p []byte) {
	if over := d.taken - offset; over >= int64(len(p)) {
		return
	} else if over > 0 {
		p = p[over:]
	}
	if d.saveAt > d.taken && d.saveAt-d.taken <= int64(len(p)) {
		cut := d.saveAt - d.taken
		d.update(p[:cut])
		if d.saved == nil {
			d.saved = new(blake3.Hasher)
		}
		*d.saved, d.savedLength = *d.running, d.taken
		p = p[cut:]
	}
	d.update(p)
}

func (d *bodyDigest) update(p []byte) {
	d.running.Write(p) // never fails
	d.taken += int64(len(p))
}

// sum is the digest of what was taken. It ends the body: the library's Sum changes the running state.
func (d *bodyDigest) sum() (digest [32]byte) {
	d.running.Sum(digest[:0])
	return digest
}
