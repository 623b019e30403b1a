package measure

import (
	"cmp"
	"slices"
)

// The curves of a run: step functions of time built from the records (spec metrics 4).
const (
	curveConcurrency = iota
	curveDecodeConcurrency
	curvePrefillConcurrency
	curvePrefill  // tokens/s
	curveDecode   // tokens/s
	curveTotal    // tokens/s
	curveTokens   // tokens in flight
	curveEveryone // requests in flight, those that the peer does not count included
	curveCount
)

// curves are the values of all curves between two events.
type curves [curveCount]float64

// sweepRequest is one request as the curves see it.
type sweepRequest struct {
	start, first, end int64 // first is start where there was no first token
	decoding          bool  // first is known
	counted           bool  // valid or failed: the peer's population
	input, output     float64
	prefillRate       float64 // tokens/s between start and first
	spreadRate        float64 // output but the first token, evenly between first and end
	trail             Trail
	gaps, nonZero     int
}

// sweepRequests prepares records for a sweep, sorted by start. Where chunks is false, decode
// throughput is spread evenly: the fallback of metrics 4.
func sweepRequests(records []*Record, chunks bool, basis *Basis) []sweepRequest {
	requests := make([]sweepRequest, 0, len(records))
	for _, r := range records {
		if !r.Times.Start.Known() {
			continue
		}
		q := sweepRequest{start: int64(r.Times.Start), first: int64(r.Times.Start), end: int64(r.AxisEnd())}
		q.counted = r.Valid() || basis.IsError(r)
		if r.Valid() && r.Streams && r.Times.First.Known() {
			q.decoding, q.first = true, min(int64(r.Times.First), q.end)
			q.input, q.output = float64(r.Tokens.Input.Or(0)), float64(r.OSL().Or(0))
			q.rates()
			if chunks {
				q.trail, q.gaps, q.nonZero = r.Trail, max(r.Trail.Len()-1, 0), r.Trail.nonZeroGaps()
			}
		}
		requests = append(requests, q)
	}
	slices.SortStableFunc(requests, func(a, b sweepRequest) int { return cmp.Compare(a.start, b.start) })
	return requests
}

func (q *sweepRequest) rates() {
	if q.first > q.start {
		q.prefillRate = q.input / (float64(q.first-q.start) / nsPerSec)
	}
	if q.output >= 1 && q.end > q.first {
		q.spreadRate = (q.output - 1) / (float64(q.end-q.first) / nsPerSec)
	}
}

// active is a request in flight: the walk along its chunks and what it adds to each curve right now.
type active struct {
	request *sweepRequest
	walker  trailWalker
	stage   stage
	at      int64 // next event
	tokens  float64
	rate    float64
}

type stage int

const (
	stageFirst stage = iota // waits for the first token
	stageChunk              // between two chunks
	stageEnd                // after the last chunk
)

// sweeper walks along all events of a set of requests in time order.
type sweeper struct {
	requests []sweepRequest
	chunks   bool
	next     int // first request that has not started
	heap     []upcoming
	values   curves
	holding  int             // requests in flight that hold tokens
	dirty    uint32          // curves that changed since the last call
	rates    [curveCount]int // contributors to the curves that are sums of rates
}

func newSweeper(requests []sweepRequest, chunks bool) *sweeper {
	return &sweeper{requests: requests, chunks: chunks}
}

// walk calls change at every moment at which a curve changes, in order, with the values from then on.
func (s *sweeper) walk(change func(at int64, values *curves, dirty uint32)) {
	for {
		at, any := s.nextEvent()
		if !any {
			return
		}
		for len(s.heap) > 0 && s.heap[0].at == at {
			s.advance(s.heap[0].active)
		}
		for s.next < len(s.requests) && s.requests[s.next].start == at {
			s.begin(&s.requests[s.next])
			s.next++
		}
		if s.dirty != 0 {
			change(at, &s.values, s.dirty)
			s.dirty = 0
		}
	}
}

// move changes a curve by delta.
func (s *sweeper) move(curve int, delta float64) {
	s.values[curve] += delta
	s.dirty |= 1 << curve
}

func (s *sweeper) nextEvent() (int64, bool) {
	switch {
	case len(s.heap) == 0 && s.next == len(s.requests):
		return 0, false
	case len(s.heap) == 0:
		return s.requests[s.next].start, true
	case s.next == len(s.requests):
		return s.heap[0].at, true
	default:
		return min(s.heap[0].at, s.requests[s.next].start), true
	}
}

// begin starts a request; a request of no length passes at once.
func (s *sweeper) begin(q *sweepRequest) {
	a := &active{request: q, walker: q.trail.walk(), at: q.end, stage: stageEnd}
	s.move(curveEveryone, 1)
	if q.counted {
		s.move(curveConcurrency, 1)
	}
	if q.decoding {
		a.stage, a.at = stageFirst, q.first
		s.move(curvePrefillConcurrency, 1)
		s.holding++
		s.addRate(curvePrefill, q.prefillRate)
		s.addRate(curveTotal, q.prefillRate)
		s.addTokens(a, q.input)
	}
	s.push(a)
	for len(s.heap) > 0 && s.heap[0].at <= q.start {
		s.advance(s.heap[0].active)
	}
}

// advance applies the next event of the request on top of the heap.
func (s *sweeper) advance(a *active) {
	switch a.stage {
	case stageFirst:
		s.firstToken(a)
	case stageChunk:
		s.chunk(a)
	case stageEnd:
		s.finish(a)
		return
	}
	s.heap[0].at = a.at
	s.sink()
}

func (s *sweeper) firstToken(a *active) {
	q := a.request
	s.move(curvePrefillConcurrency, -1)
	s.move(curveDecodeConcurrency, 1)
	s.dropRate(curvePrefill, q.prefillRate)
	s.dropRate(curveTotal, q.prefillRate)
	s.addRate(curveTotal, q.spreadRate)
	a.walker.next()
	switch {
	case q.gaps > 0:
		s.addTokens(a, min(q.output, 1))
		s.enterGap(a)
	case s.chunks && q.trail.Len() > 0: // one chunk: no gap has a rate, and as the peer has it no token is added
		a.stage, a.at = stageEnd, q.end
	default:
		s.addTokens(a, q.output)
		s.addRate(curveDecode, q.spreadRate)
		a.rate, a.stage, a.at = q.spreadRate, stageEnd, q.end
	}
}

// enterGap goes to the next gap that has a length; chunks that came together count at once.
func (s *sweeper) enterGap(a *active) {
	q := a.request
	for a.walker.next() {
		if a.walker.gap <= 0 {
			s.addTokens(a, q.perGap())
			continue
		}
		if q.output >= 1 {
			a.rate = (q.output - 1) / float64(q.nonZero) / (float64(a.walker.gap) / nsPerSec)
			s.addRate(curveDecode, a.rate)
		}
		a.stage, a.at = stageChunk, min(q.start+a.walker.piece.Offset, q.end)
		return
	}
	a.stage, a.at = stageEnd, q.end
}

func (q *sweepRequest) perGap() float64 { return max(q.output-1, 0) / float64(q.gaps) }

func (s *sweeper) chunk(a *active) {
	s.dropRate(curveDecode, a.rate)
	a.rate = 0
	s.addTokens(a, a.request.perGap())
	s.enterGap(a)
}

func (s *sweeper) finish(a *active) {
	q := a.request
	s.move(curveEveryone, -1)
	if q.counted {
		s.move(curveConcurrency, -1)
	}
	if q.decoding {
		s.move(curveDecodeConcurrency, -1)
		s.dropRate(curveTotal, q.spreadRate)
		s.dropRate(curveDecode, a.rate)
		s.move(curveTokens, -a.tokens)
		if s.holding--; s.holding == 0 {
			s.values[curveTokens] = 0 // rounding leaves no residue
		}
	}
	s.pop()
}

func (s *sweeper) addTokens(a *active, tokens float64) {
	a.tokens += tokens
	s.move(curveTokens, tokens)
}

// addRate and dropRate keep a curve that is a sum of rates. It is set to 0 when nobody contributes any
// more, so that rounding leaves no residue.
func (s *sweeper) addRate(curve int, rate float64) {
	if rate > 0 {
		s.move(curve, rate)
		s.rates[curve]++
	}
}

func (s *sweeper) dropRate(curve int, rate float64) {
	if rate <= 0 {
		return
	}
	s.rates[curve]--
	s.move(curve, -rate)
	if s.rates[curve] == 0 {
		s.values[curve] = 0
	}
}
