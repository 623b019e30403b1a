package wire

import "fmt"

// bodyError is that of a text which is not as long as it said. The request cannot be completed, for its
// length has been announced.
type bodyError struct{ announced int64 }

func (e *bodyError) Error() string {
	return fmt.Sprintf("the request's body: its texts are not as long as they said, which made %d bytes in all", e.announced)
}

// bodyReader gives a planned body, some bytes at a time.
type bodyReader struct {
	plan    *bodyPlan
	segment int      // the next one to open
	pieces  [][]byte // of the text that is open
	piece   int      // the next one to take
	rest    []byte   // of the piece, or of the framing, that is open
	given   int64
}

// begin goes to the start of a plan's body.
func (r *bodyReader) begin(plan *bodyPlan) {
	r.plan, r.segment, r.pieces, r.piece, r.rest, r.given = plan, 0, r.pieces[:0], 0, nil, 0
}

// take appends up to room bytes to buffer; its error is a *bodyError.
func (r *bodyReader) take(buffer []byte, room int) ([]byte, error) {
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
			r.rest, r.pieces, r.piece = segment.frame, r.pieces[:0], 0
			if segment.text != nil {
				r.pieces = segment.text.AppendPieces(r.pieces)
			}
		default:
			return false
		}
	}
	return true
}

// done tells whether all has been taken.
func (r *bodyReader) done() bool { return r.given >= r.plan.length }

// letGo forgets the caller's bytes.
func (r *bodyReader) letGo() {
	clear(r.pieces[:cap(r.pieces)])
	r.plan, r.rest = nil, nil
}
