package wire

// sending is what an exchange needs while it writes its request: some 100 KiB with a large prompt. It is
// given back as soon as the request is written, so that thousands of waiting exchanges stay small.
type sending struct {
	plan    bodyPlan
	headers []Header
	gather  []byte // what the next write carries
}

func newSending() *sending { return &sending{gather: make([]byte, 0, gatherSize)} }

// layOut makes the request ready to be written, and refuses what cannot be sent.
func (x *exchange) layOut() error {
	x.send = x.client.sendings.Get().(*sending)
	x.send.plan.plan(x.options, &x.request.Body)
	x.send.headers = appendHeaders(x.send.headers[:0], x.target.headers, x.request)
	return x.send.plan.fault
}

// letGo gives back what only writing needs, and lets go of the caller's bytes.
func (x *exchange) letGo() {
	if x.send == nil {
		return
	}
	clear(x.send.plan.segments)
	clear(x.send.headers)
	x.client.sendings.Put(x.send)
	x.send = nil
}

// segmentReader gathers a body from its segments, some bytes at a time.
type segmentReader struct {
	segments [][]byte
	used     int // bytes taken of the first segment
}

// take appends up to room bytes to buffer.
func (s *segmentReader) take(buffer []byte, room int) []byte {
	for room > 0 && len(s.segments) > 0 {
		piece := s.segments[0][s.used:]
		n := min(room, len(piece))
		buffer = append(buffer, piece[:n]...)
		room -= n
		if s.used += n; n == len(piece) {
			s.segments, s.used = s.segments[1:], 0
		}
	}
	return buffer
}
