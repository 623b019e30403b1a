package sse

import "sync"

// Spare keeps the largest buffer that a long line has needed, for the next long line of any scanner that shares
// it. Megabytes made anew for every such line keep the garbage collector running, which makes all requests of the
// process late.
type Spare struct {
	mu     sync.Mutex
	buffer []byte
}

// take gives the buffer, nil where there is none of that size.
func (s *Spare) take(size int) []byte {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(s.buffer) < size {
		return nil
	}
	buffer := s.buffer
	s.buffer = nil
	return buffer
}

// give keeps the buffer, if it is larger than what is kept.
func (s *Spare) give(buffer []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cap(buffer) > cap(s.buffer) {
		s.buffer = buffer[:0]
	}
}

// copyStretch is how much is copied at once: a goroutine cannot be stopped while it copies, and who stops all, as
// the collector does, would wait for a copy of megabytes into fresh memory.
const copyStretch = 128 << 10

// grown is the carried line with room for n more bytes.
func (s *Scanner) grown(n int) []byte {
	size := len(s.carry) + n
	if size <= cap(s.carry) {
		return s.carry
	}
	var larger []byte
	if size > keepBuffer {
		larger = s.Spare.take(size)
	}
	if larger == nil {
		larger = make([]byte, 0, max(2*cap(s.carry), size))
	}
	larger = larger[:len(s.carry)]
	for at := 0; at < len(s.carry); at += copyStretch {
		copy(larger[at:], s.carry[at:min(at+copyStretch, len(s.carry))])
	}
	return larger
}

// letGo empties the carry, and gives up a buffer that a long line made large. Nothing points into it any more.
func (s *Scanner) letGo() {
	if cap(s.carry) > keepBuffer {
		s.Spare.give(s.carry)
		s.carry = nil
	}
	s.carry = s.carry[:0]
}
