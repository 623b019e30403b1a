package wire

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostileCase is one way in which a server misbehaves, and the one outcome that it must give.
type hostileCase struct {
	name    string
	serve   func(p *peer)
	options Options
	body    int    // bytes of the prompt
	want    string // several where it depends on which packet comes first
	text    string
}

const (
	okHead     = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	tooLarge   = "HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 18\r\n\r\nprompt is too long"
	short      = 60 * time.Millisecond
	ample      = time.Second // for limits that must not pass on a busy machine
	contentA   = "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\n"
	bigRequest = 8 << 20 // does not fit into the sockets' buffers
)

func status(code, body string) func(p *peer) {
	return answering(fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", code, len(body), body))
}

// then reads the request and does what follows, then closes.
func then(do func(p *peer)) func(p *peer) {
	return func(p *peer) {
		if p.request() {
			do(p)
		}
	}
}

func sends(texts ...string) func(p *peer) {
	return then(func(p *peer) {
		for _, text := range texts {
			p.send(text)
			p.pause(2 * time.Millisecond)
		}
	})
}

func statusCases() []hostileCase {
	return []hostileCase{
		{name: "301 is not followed", serve: answering("HTTP/1.1 301 Moved\r\nLocation: http://user:hunter22@x/\r\nContent-Length: 0\r\n\r\n"), want: "error/http 301 Moved"},
		{name: "307 is not followed", serve: answering("HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"), want: "error/http 307 Temporary Redirect"},
		{name: "400", serve: status("400 Bad Request", "bad"), want: "error/http 400 Bad Request"},
		{name: "400 overflow", serve: status("400 Bad Request", "maximum context length is 5"), want: "overflow/http 400 Bad Request"},
		{name: "401", serve: status("401 Unauthorized", `{"error":"Unauthorized"}`), want: "error/http 401 Unauthorized"},
		{name: "401 with overflow words", serve: status("401 Unauthorized", "context length"), want: "error/http 401 Unauthorized"},
		{name: "404", serve: status("404 Not Found", "x"), want: "error/http 404 Not Found"},
		{name: "413 overflow", serve: status("413 Payload Too Large", "prompt is too long"), want: "overflow/http 413 Payload Too Large"},
		{name: "422", serve: status("422 Odd", ""), want: "error/http 422 Odd"},
		{name: "429", serve: status("429 Too Many Requests", "slow down"), want: "error/http 429 Too Many Requests"},
		{name: "500", serve: status("500 Internal Server Error", ""), want: "error/http 500 Internal Server Error"},
		{name: "503 without reason", serve: status("503", ""), want: "error/http 503 Service Unavailable"},
		{name: "599", serve: status("599 ", "x"), want: "error/http 599 HTTP 599"},
		{name: "204", serve: answering("HTTP/1.1 204 No Content\r\n\r\n"), want: "error/incomplete_stream InvalidInferenceResultError"},
		{name: "101", serve: sends("HTTP/1.1 101 Switching Protocols\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "many interim answers", serve: answering(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 50) + goodAnswer()), want: "ok/", text: "AB"},
		{name: "error body cut", serve: sends("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 100\r\n\r\npart"), want: "error/http 500 Internal Server Error"},
		{name: "error as stream", serve: answering("HTTP/1.1 429 Busy\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + httpChunk(event(`{"error":{"message":"busy"}}`)) + lastChunk), want: "error/http 429 Busy"},
	}
}

func connectionCases() []hostileCase {
	return []hostileCase{
		{name: "closes at once", serve: func(*peer) {}, want: "error/transport ServerDisconnectedError or error/transport ClientOSError"},
		{name: "resets at once", serve: func(p *peer) { p.in.ReadByte(); p.reset() }, want: "error/transport ClientOSError"},
		{name: "closes after the head", serve: func(p *peer) { p.readHead(); p.pause(5 * time.Millisecond) }, body: bigRequest, want: "error/transport ClientOSError"},
		{name: "closes after the request", serve: then(func(*peer) {}), want: "error/transport ServerDisconnectedError"},
		{name: "resets after the request", serve: then(func(p *peer) { p.reset() }), want: "error/transport ClientOSError"},
		{name: "closes within the status line", serve: sends("HTTP/1.1 2"), want: "error/transport ServerDisconnectedError"},
		{name: "closes within the head", serve: sends("HTTP/1.1 200 OK\r\nContent-"), want: "error/transport ServerDisconnectedError"},
		{name: "resets within the stream", serve: then(func(p *peer) {
			p.send(sseHead + httpChunk(contentA))
			p.pause(short)
			p.reset()
		}), want: "error/transport ClientPayloadError", text: "A"},
		{name: "resets after [DONE]", serve: then(func(p *peer) { p.send(sseHead + httpChunk(goodSSE)); p.pause(short); p.reset() }), want: "ok/", text: "AB"},
		{name: "resets after the finish", serve: then(func(p *peer) { p.send(sseHead + httpChunk(contentA+stopDelta)); p.pause(short); p.reset() }), want: "ok/no_end", text: "A"},
		{name: "closes after [DONE] without last chunk", serve: sends(sseHead + httpChunk(goodSSE)), want: "ok/", text: "AB"},
		{name: "connection: close", serve: sends("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n" + goodSSE), want: "ok/", text: "AB"},
		{name: "bytes after the end", serve: sends(goodAnswer() + "HTTP/1.1 200 OK\r\n"), want: "ok/", text: "AB"},
		{name: "HTTP/1.0", serve: sends("HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + goodSSE), want: "ok/", text: "AB"},
		{name: "413 before the body is read, kept open", serve: func(p *peer) { p.readHead(); p.send(tooLarge); p.pause(10 * short) }, body: bigRequest, want: "overflow/http 413 Request Entity Too Large"},
		{name: "413 before the body is read, closed", serve: func(p *peer) { p.readHead(); p.send(tooLarge) }, body: bigRequest, want: "overflow/http 413 Request Entity Too Large"},
		{name: "413 in the middle of the body", serve: func(p *peer) {
			p.readHead()
			p.in.Discard(1 << 20)
			p.send(tooLarge)
			p.pause(10 * short)
		}, body: bigRequest, want: "overflow/http 413 Request Entity Too Large"},
		{name: "100 in the middle of the body", serve: func(p *peer) {
			p.readHead()
			p.pause(2 * stall)
			p.send("HTTP/1.1 100 Continue\r\n\r\n")
			p.pause(2 * stall)
			p.in.Discard(p.contentLength())
			p.send(goodAnswer())
		}, body: bigRequest, want: "ok/", text: "AB"},
		{name: "reads slowly", serve: func(p *peer) {
			p.readHead()
			for range 8 {
				p.in.Discard(p.contentLength() / 8)
				p.pause(20 * time.Millisecond)
			}
			p.send(goodAnswer())
		}, body: 8 << 20, want: "ok/", text: "AB"},
	}
}

func timeoutCases() []hostileCase {
	limit := func(t Timeouts) Options { return Options{Timeouts: t} }
	return []hostileCase{
		{name: "never answers", serve: then(func(p *peer) { p.drain() }), options: limit(Timeouts{Request: short}), want: "error/timeout TimeoutError"},
		{name: "no first byte", serve: then(func(p *peer) { p.drain() }), options: limit(Timeouts{FirstByte: short}), want: "error/timeout TimeoutError"},
		{name: "never reads", serve: func(p *peer) { p.readHead(); p.pause(20 * short) }, body: bigRequest, options: limit(Timeouts{Request: 3 * short}), want: "error/timeout TimeoutError"},
		{name: "stalls in the head", serve: then(func(p *peer) { p.send("HTTP/1.1 200 OK\r\n"); p.drain() }), options: limit(Timeouts{Idle: short}), want: "error/timeout SocketTimeoutError"},
		{name: "stalls in the stream", serve: then(func(p *peer) { p.send(sseHead + httpChunk(contentA)); p.drain() }), options: limit(Timeouts{Idle: short}), want: "error/timeout SocketTimeoutError", text: "A"},
		{name: "keep-alives hold the idle limit off", serve: then(func(p *peer) {
			p.send(sseHead)
			for range 4 {
				p.send(httpChunk(": wait\n\n"))
				p.pause(ample * 3 / 10)
			}
			p.send(httpChunk(goodSSE) + lastChunk)
		}), options: limit(Timeouts{Idle: ample}), want: "ok/", text: "AB"},
		{name: "one byte at a time", serve: then(func(p *peer) {
			for _, b := range []byte(sseHead + httpChunk(contentA+doneEvent) + lastChunk) {
				p.Write([]byte{b})
			}
		}), want: "ok/", text: "A"},
		{name: "never ends after [DONE]", serve: then(func(p *peer) { p.send(sseHead + httpChunk(goodSSE)); p.drain() }), options: limit(Timeouts{FinishGrace: short}), want: "ok/", text: "AB"},
		{name: "never ends after the finish", serve: then(func(p *peer) { p.send(sseHead + httpChunk(contentA+stopDelta)); p.drain() }), options: limit(Timeouts{FinishGrace: short}), want: "ok/no_end", text: "A"},
		{name: "never ends after an error", serve: then(func(p *peer) { p.send(sseHead + httpChunk(contentA+event(`{"error":"x"}`))); p.drain() }), options: limit(Timeouts{FinishGrace: short}), want: "error/in_stream SSEResponseError", text: "A"},
		{name: "idle after the finish", serve: then(func(p *peer) { p.send(sseHead + httpChunk(contentA+stopDelta)); p.drain() }), options: limit(Timeouts{Idle: short}), want: "ok/no_end", text: "A"},
		{name: "a second choice ends the grace of the first", serve: then(func(p *peer) {
			p.send(sseHead + httpChunk(contentA+stopDelta))
			p.pause(ample / 20)
			p.send(httpChunk("data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"B\"}}]}\n\n"))
			p.pause(ample + short)
			p.send(httpChunk("data: {\"choices\":[{\"index\":1,\"finish_reason\":\"stop\"}]}\n\n"+doneEvent) + lastChunk)
		}), options: limit(Timeouts{FinishGrace: ample}), want: "ok/", text: "A|B"},
	}
}

func framingCases() []hostileCase {
	long := "data: " + strings.Repeat("x", 300<<10) + "\n\n"
	return []hostileCase{
		{name: "not HTTP", serve: sends("SSH-2.0-OpenSSH\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "HTTP/2 preface", serve: sends("\x00\x00\x00\x04\x00\x00\x00\x00\x00\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "odd status", serve: sends("HTTP/1.1 2x0 OK\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "odd header", serve: sends("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "two lengths", serve: sends(okHead + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "negative length", serve: sends(okHead + "Content-Length: -5\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "unknown transfer encoding", serve: sends(okHead + "Transfer-Encoding: gzip\r\n\r\n"), want: "error/transport ClientResponseError"},
		{name: "endless head", serve: then(func(p *peer) {
			p.send("HTTP/1.1 200 OK\r\n")
			for range 2000 {
				if _, err := p.Write([]byte("X-Long: " + strings.Repeat("y", 90) + "\r\n")); err != nil {
					return
				}
			}
		}), want: "error/transport ClientResponseError"},
		{name: "length too short", serve: sends(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", okHead, len(contentA), contentA+goodSSE)), want: "error/incomplete_stream IncompleteStreamError", text: "A"},
		{name: "length too long", serve: sends(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", okHead, 5000, contentA)), want: "error/transport ClientPayloadError", text: "A"},
		{name: "chunk size is none", serve: sends(sseHead + httpChunk(contentA) + "xyz\r\n"), want: "error/transport ClientPayloadError", text: "A"},
		{name: "chunk size too large", serve: sends(sseHead + httpChunk(contentA) + "fffffffffffffffff\r\n"), want: "error/transport ClientPayloadError", text: "A"},
		{name: "chunk longer than its size", serve: sends(sseHead + httpChunk(contentA) + "3\r\nabcdef\r\n"), want: "error/transport ClientPayloadError", text: "A"},
		{name: "bare line feeds in the framing", serve: sends(sseHead + httpChunk(contentA) + "3\nabc\n"), want: "error/transport ClientPayloadError", text: "A"},
		{name: "endless chunk extension", serve: sends(sseHead + httpChunk(contentA) + "3;" + strings.Repeat("x", 8000)), want: "error/transport ClientPayloadError", text: "A"},
		{name: "mostly chunk extensions", serve: sends(sseHead + httpChunk(contentA) + strings.Repeat("1;"+strings.Repeat("x", 900)+"\r\n\n\r\n", 30)), want: "error/transport ClientPayloadError", text: "A"},
		{name: "cut within a chunk", serve: sends(sseHead + httpChunk(contentA) + "100\r\ndata: "), want: "error/transport ClientPayloadError", text: "A"},
		{name: "event too long", serve: answering(sseHead + httpChunk(contentA+long+doneEvent) + lastChunk), options: Options{Limits: Limits{LineBytes: 64 << 10}}, want: "error/line_too_long LineTooLongError", text: "A"},
		{name: "whole answer too long", serve: answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{" + strings.Repeat(" ", 199999)), options: Options{Limits: Limits{BodyBytes: 1000}}, want: "error/body_too_large BodyTooLargeError"},
		{name: "flood of keep-alives", serve: answering(sseHead + httpChunk(strings.Repeat(": x\n", 200000)+goodSSE) + lastChunk), options: Options{Limits: Limits{Chunks: 1000}}, want: "ok/", text: "AB"},
		{name: "flood of text", serve: answering(sseHead + httpChunk(strings.Repeat(contentA, 20000)+doneEvent) + lastChunk), options: Options{Limits: Limits{TextBytes: 10}}, want: "ok/", text: "AAAAAAAAAA"},
		{name: "compressed", serve: answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"), want: "error/incomplete_stream InvalidInferenceResultError"},
		{name: "HTML", serve: answering("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>"), want: "error/incomplete_stream InvalidInferenceResultError"},
		{name: "empty 200", serve: answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), want: "error/incomplete_stream InvalidInferenceResultError"},
		{name: "thousands of choices", serve: answering(sseHead + httpChunk(manyChoices()+doneEvent) + lastChunk), want: "ok/"},
		{name: "deep nesting", serve: answering(sseHead + httpChunk("data: {\"x\":"+strings.Repeat("[", 200000)+"\n\n"+goodSSE) + lastChunk), want: "ok/", text: "AB"},
	}
}

func manyChoices() string {
	var out strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&out, "data: {\"choices\":[{\"index\":%d,\"delta\":{\"content\":\"\"}}]}\n\ndata: {\"choices\":[{\"index\":%d,\"delta\":{\"content\":\"x\"}}]}\n\n", i, i)
	}
	return out.String()
}

// TestHostileServers: each misbehaviour gives exactly one outcome of its class, and leaves no goroutine
// and no connection.
func TestHostileServers(t *testing.T) {
	cases := append(append(append(statusCases(), connectionCases()...), timeoutCases()...), framingCases()...)
	if len(cases) < 40 {
		t.Errorf("%d behaviours", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

func (c *hostileCase) run(t *testing.T) {
	before := runtime.NumGoroutine()
	server := newServer(t, c.serve)
	c.options.URLs = []string{server.url}
	client, err := New(c.options)
	if err != nil {
		t.Fatal(err)
	}
	request := chatRequest(strings.Repeat("x", c.body))
	request.StreamBody = new(StreamBody)
	r := client.Do(context.Background(), request)
	got := fmt.Sprintf("%s/%s", r.Outcome, r.Class)
	if r.Err != nil && r.Err.Code != nil && r.Class == ClassHTTP {
		got += fmt.Sprintf(" %d", *r.Err.Code)
	}
	if r.Err != nil {
		got += " " + r.Err.Type
	}
	if !slices.Contains(strings.Split(c.want, " or "), got) || c.text != "" && textOf(&r) != c.text {
		t.Errorf("%s, want %s %q; %s", got, c.want, c.text, describeResult(&r))
	}
	if r.EndNs == Unset || r.EndNs < r.StartNs || r.Resends != 0 || len(r.Chunks) > 20000+5 {
		t.Errorf("start %d, end %d, resends %d, %d chunks", r.StartNs, r.EndNs, r.Resends, len(r.Chunks))
	}
	if strings.Contains(describeResult(&r), "hunter22") {
		t.Errorf("a password is shown: %s", describeResult(&r))
	}
	client.Close()
	server.close()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
}
