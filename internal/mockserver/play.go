package mockserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// play is an answer as a list of things to do on a connection, built by a behaviour before any of it is
// done.
type play struct {
	args    Args
	request chatRequest // zero for faults before the body is read
	apiKey  string      // as the request gave it
	path    string
	stream  *chunkWriter

	atNs   int64 // since the play began
	steps  []step
	framed bool // text goes out in HTTP chunks
	body   bodyMode
	ending ending
}

// step is bytes to write at a time.
type step struct {
	atNs  int64
	data  []byte
	times int64 // how often; negative = until the client is gone
	apart int64 // ns between one time and the next
}

// bodyMode is what happens to a request body that was not read before the fault took over.
type bodyMode uint8

const (
	bodyLeave bodyMode = iota // it is never read
	bodyAfter                 // it is read and thrown away after the answer
	bodyPaced                 // it is read before the answer, Args.Bytes a second
)

// ending is what happens to the connection after the last step.
type ending uint8

const (
	endKeep   ending = iota // it serves further requests
	endClose                // FIN (the kernel makes it RST where unread bytes are left)
	endLinger               // FIN, then reads until the client closes too
	endReset                // RST
	endHang                 // stays open, in silence, until the client closes
)

func (p *play) wait(d time.Duration) { p.atNs += int64(d) }

// delay waits for Args.DelayMs.
func (p *play) delay() { p.wait(time.Duration(p.args.DelayMs) * time.Millisecond) }

// raw writes bytes as they are, in one write.
func (p *play) raw(text string) { p.many(text, 1) }

// many writes bytes so many times; a negative number means until the client is gone.
func (p *play) many(text string, times int64) {
	p.steps = append(p.steps, step{p.atNs, []byte(text), times, 0})
}

// head writes status line and header lines. A status without a known reason has none.
func (p *play) head(status int, lines ...string) {
	text := "HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\nServer: " + serverName + "\r\n"
	for _, line := range lines {
		text += line + "\r\n"
	}
	p.raw(text + "\r\n")
}

// streamHead begins an event stream in HTTP chunks.
func (p *play) streamHead() {
	p.head(http.StatusOK, "Content-Type: text/event-stream; charset=utf-8", "Transfer-Encoding: chunked")
	p.framed = true
}

// text writes body bytes, as an HTTP chunk of their own where the body is framed.
func (p *play) text(body string) {
	if p.framed {
		body = fmt.Sprintf("%x\r\n%s\r\n", len(body), body)
	}
	p.raw(body)
}

// data writes an event with one data line.
func (p *play) data(payload string) { p.text("data: " + payload + "\n\n") }

// built writes what the chunk writer has.
func (p *play) built() { p.text(string(p.stream.take())) }

func (p *play) role() { p.stream.role(nil); p.built() }

// tokens writes tokens [from, to), each an event and a write of its own.
func (p *play) tokens(from, to int) {
	for i := from; i < to; i++ {
		p.stream.text(i, i+1, 0, "", nil)
		p.built()
	}
}

// count is the number of tokens of the answer.
func (p *play) count() int {
	if p.args.Tokens > 0 {
		return p.args.Tokens
	}
	if p.request.MaxTokens > 0 {
		return min(p.request.MaxTokens, 4)
	}
	return 4
}

// opening is head, role and the first half of the tokens (at least one); rest is the others.
func (p *play) opening() {
	p.streamHead()
	p.role()
	p.tokens(0, p.half())
}

func (p *play) half() int { return (p.count() + 1) / 2 }

func (p *play) rest() { p.tokens(p.half(), p.count()) }

func (p *play) finish(reason string) {
	p.data(`{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}],"object":"chat.completion.chunk"}`)
}

// usage writes the usage event where the request asked for one or is not known.
func (p *play) usage() {
	if p.request.Stream && !p.request.IncludeUsage {
		return
	}
	prompt := (len(p.request.Prompt.Messages) + 1) / 4 // as the byte counter has it
	p.stream.usage(usage{Prompt: prompt, Completion: p.count(), Total: prompt + p.count(), Details: &usageDetails{}})
	p.built()
}

func (p *play) done() { p.text("data: [DONE]\n\n") }

// last ends a framed body properly.
func (p *play) last() {
	p.raw("0\r\n\r\n")
	p.framed = false
}

// closing is everything after the tokens.
func (p *play) closing() {
	p.finish("stop")
	p.usage()
	p.done()
	if p.framed {
		p.last()
	}
}

// answer is a whole stream.
func (p *play) answer() {
	p.opening()
	p.rest()
	p.closing()
}

// whole writes a complete answer with a length.
func (p *play) whole(status int, contentType, body string, lines ...string) {
	lines = append(lines, "Content-Type: "+contentType, "Content-Length: "+strconv.Itoa(len(body)))
	p.head(status, lines...)
	if body != "" {
		p.raw(body)
	}
}

// apiError answers with an error object.
func (p *play) apiError(status int, kind, message string, lines ...string) {
	if p.args.Status != 0 {
		status = p.args.Status
	}
	body := p.args.Body
	if body == "" {
		body = fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%d}}`, message, kind, status)
	}
	p.whole(status, "application/json", body, lines...)
}

// scripted turns a scripted response into a play.
func (p *play) scripted(response *Response) {
	status := response.Status
	if status == 0 {
		status = http.StatusOK
	}
	lines := []string{"Transfer-Encoding: chunked"}
	contentType := "Content-Type: text/event-stream"
	for _, name := range sortedNames(response.Headers) {
		line := name + ": " + response.Headers[name]
		if strings.EqualFold(name, "Content-Type") {
			contentType = line
			continue
		}
		lines = append(lines, line)
	}
	p.head(status, append(lines, contentType)...)
	p.framed = true
	for _, write := range response.Writes {
		p.atNs = int64(write.AtMs * 1e6)
		if len(write.Data) > 0 {
			p.text(string(write.Data))
		}
	}
	if response.EndMs != nil {
		p.atNs = *response.EndMs * 1e6
	}
	switch response.End {
	case "truncate":
		p.ending = endClose
	case "reset":
		p.ending = endReset
	case "hang":
		p.ending = endHang
	default:
		p.last()
	}
}
