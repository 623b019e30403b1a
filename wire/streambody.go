package wire

import "sync"

// StreamBody is what is kept from one body of a stream to the next, for turns of a stream begin alike
// (Body.KeptMessages): the state of the body's BLAKE3 and, while the client has room, the bytes
// themselves, which lie scattered over the caller's texts. Keep one per stream, which has one exchange at
// a time; Release it when the stream ends. The zero value is ready.
type StreamBody struct {
	mutex    sync.Mutex // guards the two below it
	busy     bool       // an exchange is under way
	released bool

	digest bodyDigest
	text   keptText
}

// begin starts a body of the given length whose first kept bytes the stream's next body begins with.
func (s *StreamBody) begin(room *keptRoom, length, kept int64) {
	s.mutex.Lock()
	s.busy = true
	released := s.released
	s.mutex.Unlock()
	if released { // it goes on all the same, and keeps nothing
		kept = 0
	}
	s.digest.begin(length, kept)
	s.text.begin(room, length, kept)
}

// writeAt takes the bytes of the body that begin at offset; see bodyDigest.writeAt.
func (s *StreamBody) writeAt(offset int64, p []byte) {
	s.digest.writeAt(offset, p)
	s.text.writeAt(offset, p)
}

// end gives up what the next body does not begin with.
func (s *StreamBody) end() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.text.end()
	if s.busy = false; s.released {
		s.text.drop()
	}
}

// Release gives the room back, at the end of an exchange that is under way.
func (s *StreamBody) Release() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.released = true; !s.busy {
		s.text.drop()
	}
}
