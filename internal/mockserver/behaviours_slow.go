package mockserver

import "time"

// slowBehaviours are late, or never done.
func slowBehaviours() []Behaviour {
	return []Behaviour{
		{"delay_head", "a whole answer, its head delay_ms late", "ok", "", afterBody, 0, func(p *play) { p.delay(); p.answer() }},
		{"delay_first_token", "head and role at once, the first token delay_ms later", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			p.delay()
			p.tokens(0, p.count())
			p.closing()
		}},
		{"delay_between", "delay_ms between one token and the next", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			for i := range p.count() {
				p.delay()
				p.tokens(i, i+1)
			}
			p.closing()
		}},
		{"drip_head", "the response head byte by byte, 1 ms apart, then a whole answer", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.drip(len(p.steps) - 1)
			p.role()
			p.tokens(0, p.count())
			p.closing()
		}},
		{"drip_body", "every body byte in a write of its own, 0.1 ms apart", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			first := len(p.steps)
			p.role()
			p.tokens(0, p.count())
			p.closing()
			p.drip(first)
		}},
		{"stall_before_head", "nothing, for ever", "error", "timeout", afterBody, 0, func(p *play) { p.ending = endHang }},
		{"stall_mid_head", "half a response head, then nothing", "error", "timeout", afterBody, 0, func(p *play) {
			p.raw("HTTP/1.1 200 OK\r\nContent-Type: text/ev")
			p.ending = endHang
		}},
		{"stall_after_head", "a response head, then nothing", "error", "timeout", afterBody, 0, func(p *play) { p.streamHead(); p.ending = endHang }},
		{"stall_mid_stream", "half of the tokens, then nothing", "error", "timeout", afterBody, 0, func(p *play) { p.opening(); p.ending = endHang }},
		{"stall_mid_event", "half of the tokens and half an event, then nothing", "error", "timeout", afterBody, 0, func(p *play) {
			p.opening()
			p.text(`data: {"choices":[{"index":0,"del`)
			p.ending = endHang
		}},
		{"split_chunk", "one HTTP chunk with two events, the second delay_ms after the first", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			first, second := p.tokenEvent(0), p.tokenEvent(1)
			p.raw(hexLength(len(first)+len(second)) + first)
			p.delay()
			p.raw(second + "\r\n")
			p.tokens(2, max(2, p.count()))
			p.closing()
		}},
	}
}

// drip cuts the steps from number first on into single bytes: 1 ms apart for a head, 0.1 ms for a body.
func (p *play) drip(first int) {
	apart := int64(time.Millisecond)
	if first > 0 {
		apart /= 10
	}
	whole := p.steps[first:]
	p.steps = p.steps[:first:first]
	for _, s := range whole {
		for i := range s.data {
			p.steps = append(p.steps, step{p.atNs, s.data[i : i+1], 1, 0})
			p.atNs += apart
		}
	}
}

// tokenEvent is the event of one token.
func (p *play) tokenEvent(i int) string {
	p.stream.text(i, i+1, 0, "", nil)
	return string(p.stream.take())
}
