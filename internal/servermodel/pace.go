package servermodel

import "math"

// pace is when the tokens of one answer come: stretches of equal steps. The last stretch goes on as
// long as nothing changes.
type pace struct {
	stretches []stretch
}

// stretch says that token number first+k comes at atNs + k × stepNs, for k from 0 on.
type stretch struct {
	first  int
	atNs   int64
	stepNs int64
}

// start is the first token.
func (p *pace) start(atNs, stepNs int64) {
	p.stretches = append(p.stretches, stretch{0, atNs, stepNs})
}

// emittedBy is the number of tokens at or before now.
func (p *pace) emittedBy(now int64) int {
	end := math.MaxInt // first token of the stretch after
	for i := len(p.stretches) - 1; i >= 0; i-- {
		s := p.stretches[i]
		if now >= s.atNs {
			return min(s.first+int((now-s.atNs)/s.stepNs)+1, end)
		}
		end = s.first
	}
	return 0
}

// tokenNs is when token i comes.
func (p *pace) tokenNs(i int) int64 {
	for k := len(p.stretches) - 1; k >= 0; k-- {
		if s := p.stretches[k]; i >= s.first {
			return s.atNs + int64(i-s.first)*s.stepNs
		}
	}
	return 0
}

// change sets the step after now: the interval after a token is the one in force right after its
// instant, so a token that is already on its way keeps its time.
func (p *pace) change(now, stepNs int64) {
	last := &p.stretches[len(p.stretches)-1]
	if last.stepNs == stepNs {
		return
	}
	done := p.emittedBy(now)
	if done == 0 {
		last.stepNs = stepNs
		return
	}
	next := p.tokenNs(done)
	if p.tokenNs(done-1) == now {
		next = now + stepNs
	}
	if last.first == done { // nothing of the last stretch has come yet
		last.atNs, last.stepNs = next, stepNs
		return
	}
	p.stretches = append(p.stretches, stretch{done, next, stepNs})
}
