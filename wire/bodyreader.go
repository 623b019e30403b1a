package wire

import "fmt"

// bodyError is that of a text which is not as long as it said. The request cannot be completed, for its
// length has been announced.
type bodyError struct{ announced int64 }

func (e *bodyError) Error() string {
	return fmt.Sprintf("the request's body: its texts are not as long as they said, which made %d bytes in all", e.announced)
}

// bodyReader gives a planned body, some bytes at a time: first what its stream kept of the body before,
// which lies in large pieces, then the caller's texts.
type bodyReader struct {
	plan    *bodyPlan
	kept    *keptText
	keptTo  int64    // bytes that come from kept
	skip    int64    // bytes of the segments still to be passed over: they were kept
	segment int      // the next one to open
	pieces  [][]byte // of the text that is open
	piece   int      // the next one to take
	rest    []byte   // of the piece, or of the framing, that is open
	given   int64
	most    int // pieces that one text had
}

// begin goes to the start of a plan's body; stream may be nil.
func (r *bodyReader) begin(plan *bodyPlan, stream *StreamBody) {
	*r = bodyReader{plan: plan, pieces: r.pieces[:0], most: r.most} // most: of an attempt before
	if stream != nil {
		r.kept, r.keptTo = &stream.text, stream.text.length
		r.skip = r.keptTo
	}
}

// takeKept gives up to room bytes that lie ready; none where the next byte is one of the caller's texts.
// They stay valid until the exchange ends.
func (r *bodyReader) takeKept(room int) []byte {
	if r.given >= r.keptTo {
		return nil
	}
	ready := r.kept.at(r.given)
	ready = ready[:min(int64(len(ready)), int64(room), r.keptTo-r.given)]
	r.given += int64(len(ready))
	return ready
}

// take appends up to room bytes to buffer; its error is a *bodyError.
func (r *bodyReader) take(buffer []byte, room int) ([]byte, error) {
	for room > 0 && r.given < r.keptTo {
		ready := r.takeKept(room)
		buffer = append(buffer, ready...)
		room -= len(ready)
	}
	for room > 0 && r.next() {
		n := min(room, len(r.rest))
		buffer = append(buffer, r.rest[:n]...)
		r.rest = r.rest[n:]
		room -= n
		r.given += int64(n)
	}
	missing := room > 0 && r.given < r.plan.length
	if missing || r.given > r.plan.length || r.done() && r.next() {
		return buffer, &bodyError{r.plan.length}
	}
	return buffer, nil
}

// next makes rest hold a byte, unless the body is at its end.
func (r *bodyReader) next() bool {
	for len(r.rest) == 0 {
		switch {
		case r.piece < len(r.pieces):
			r.rest = r.pieces[r.piece]
			r.piece++
		case r.segment < len(r.plan.segments):
			segment := &r.plan.segments[r.segment]
			r.segment++
			if r.skip >= segment.length {
				r.skip -= segment.length
				continue
			}
			r.rest, r.pieces, r.piece = segment.frame, r.pieces[:0], 0
			if segment.text != nil {
				r.pieces = segment.text.AppendPieces(r.pieces)
				r.most = max(r.most, len(r.pieces))
			}
		default:
			return false
		}
		if r.skip > 0 {
			n := min(r.skip, int64(len(r.rest)))
			r.rest, r.skip = r.rest[n:], r.skip-n
		}
	}
	return true
}

// done tells whether all has been taken.
func (r *bodyReader) done() bool { return r.given >= r.plan.length }

// letGo forgets the caller's bytes.
func (r *bodyReader) letGo() {
	clear(r.pieces[:r.most])
	r.plan, r.kept, r.rest, r.most = nil, nil, nil, 0
}
