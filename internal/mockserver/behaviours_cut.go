package mockserver

import (
	"fmt"
	"strconv"
	"strings"
)

func hexLength(n int) string { return strconv.FormatInt(int64(n), 16) + "\r\n" }

// cutBehaviours end the connection where they should not.
func cutBehaviours() []Behaviour {
	return []Behaviour{
		{"close_before_head", "FIN instead of an answer", "error", "transport", afterBody, 0, func(p *play) { p.ending = endClose }},
		{"reset_before_head", "RST instead of an answer", "error", "transport", afterBody, 0, func(p *play) { p.ending = endReset }},
		{"close_mid_head", "half a response head, then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.raw("HTTP/1.1 200 OK\r\nContent-Type: text/ev")
			p.ending = endClose
		}},
		{"close_after_head", "a response head, then FIN", "error", "transport", afterBody, 0, func(p *play) { p.streamHead(); p.ending = endClose }},
		{"reset_after_head", "a response head, then RST", "error", "transport", afterBody, 0, func(p *play) { p.streamHead(); p.ending = endReset }},
		{"close_mid_stream", "half of the tokens, then FIN between two HTTP chunks", "error", "transport", afterBody, 0, func(p *play) { p.opening(); p.ending = endClose }},
		{"reset_mid_stream", "half of the tokens, then RST delay_ms later", "error", "transport", afterBody, 0, func(p *play) {
			p.opening()
			p.delay() // RST may overtake what was not read yet
			p.ending = endReset
		}},
		{"close_mid_chunk", "half of the tokens, an HTTP chunk of which less comes than announced, then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.opening()
			event := p.tokenEvent(p.half())
			p.raw(hexLength(len(event)+100) + event)
			p.ending = endClose
		}},
		{"close_mid_chunk_size", "half of the tokens, then FIN inside the length line of an HTTP chunk", "error", "transport", afterBody, 0, func(p *play) {
			p.opening()
			p.raw("1f")
			p.ending = endClose
		}},
		{"no_last_chunk", "everything up to [DONE], then FIN without the last HTTP chunk", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.usage()
			p.done()
			p.ending = endClose
		}},
		{"length_too_long", "Content-Length is 100 bytes more than the stream has, then FIN, after half of the tokens", "error", "transport", afterBody, 0, func(p *play) {
			p.withLength(100, false)
		}},
		{"length_too_short", "Content-Length ends in the middle of the stream, the rest follows all the same, then FIN", "error", "incomplete_stream", afterBody, 0, func(p *play) {
			p.withLength(-1, true)
		}},
	}
}

// withLength sends a stream with a Content-Length that is off: by so many bytes, or, when negative, half
// of what comes.
func (p *play) withLength(more int, complete bool) {
	body := p.tokenEvent(0) + p.tokenEvent(1)
	length := len(body) + more
	if more < 0 {
		length = len(body) - 20
	}
	if complete {
		body += `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	}
	p.head(200, "Content-Type: text/event-stream", fmt.Sprintf("Content-Length: %d", length))
	p.raw(body)
	p.ending = endClose
}

// framingBehaviours are odd or broken as HTTP.
func framingBehaviours() []Behaviour {
	return []Behaviour{
		{"garbage_head", "bytes that are no HTTP, then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.raw("SSH-2.0-OpenSSH_9.9\r\n")
			p.ending = endClose
		}},
		{"head_without_end", "header lines without end (bytes, default 4 MiB), then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.raw("HTTP/1.1 200 OK\r\n")
			p.many("X-Filler: "+strings.Repeat("x", 1012)+"\r\n", orDefault(p.args.Bytes, 4<<20)>>10)
			p.ending = endClose
		}},
		{"bad_chunk_size", "half of the tokens, then a chunk length that is no number, then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.opening()
			p.raw("zz\r\ndata: x\n\n\r\n")
			p.ending = endClose
		}},
		{"huge_chunk_size", "half of the tokens, then a chunk length beyond 64 bits, then FIN", "error", "transport", afterBody, 0, func(p *play) {
			p.opening()
			p.raw("fffffffffffffffff\r\ndata: x\n\n\r\n")
			p.ending = endClose
		}},
		{"two_lengths", "two different Content-Length headers", "error", "transport", afterBody, 0, func(p *play) {
			p.head(200, "Content-Type: text/event-stream", "Content-Length: 40", "Content-Length: 41")
			p.raw(strings.Repeat("data: [DONE]\n\n", 3)[:41])
			p.ending = endClose
		}},
		{"chunk_extensions", "HTTP chunks with extensions and a trailer after the last one", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			for i := range p.count() {
				event := p.tokenEvent(i)
				p.raw(strconv.FormatInt(int64(len(event)), 16) + ";name=\"a;b\"\r\n" + event + "\r\n")
			}
			p.finish("stop")
			p.usage()
			p.done()
			p.raw("0\r\nX-Trailer: 1\r\n\r\n")
		}},
		{"http_1_0", "an HTTP/1.0 answer without length, ended by FIN", "ok", "", afterBody, 0, func(p *play) {
			p.raw("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			p.role()
			p.tokens(0, p.count())
			p.closing()
			p.ending = endClose
		}},
		{"close_delimited", "a whole answer without length or chunks, with Connection: close, ended by FIN", "ok", "", afterBody, 0, func(p *play) {
			p.head(200, "Content-Type: text/event-stream", "Connection: close")
			p.role()
			p.tokens(0, p.count())
			p.closing()
			p.ending = endClose
		}},
		{"close_delimited_cut", "the same, but FIN after half of the tokens: nothing says that something is missing but the missing end", "error", "incomplete_stream", afterBody, 0, func(p *play) {
			p.head(200, "Content-Type: text/event-stream", "Connection: close")
			p.role()
			p.tokens(0, p.half())
			p.ending = endClose
		}},
		{"close_after_answer", "a whole answer that announces keep-alive, then FIN at once", "ok", "", afterBody, 0, func(p *play) {
			p.answer()
			p.ending = endClose
		}},
	}
}
