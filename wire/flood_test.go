package wire

import (
	"context"
	"strings"
	"testing"
)

// TestFloodsEnd: an answer without end whose outcome is settled is given up after it has passed its limit
// twice, whatever the request timeout (here the default, 6 hours); the connection is not used again.
func TestFloodsEnd(t *testing.T) {
	limits := Limits{LineBytes: 1 << 20, BodyBytes: 1 << 20}
	for name, c := range map[string]struct{ head, piece, want, message string }{
		"line":       {sseHead, httpChunk(strings.Repeat("x", 64<<10)), "error/line_too_long", "longer than 1048576 bytes; it went on"},
		"event":      {sseHead, httpChunk(strings.Repeat("data: "+strings.Repeat("x", 1<<10)+"\n", 64)), "error/line_too_long", "longer than 1048576 bytes; it went on"},
		"error body": {"HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n", httpChunk(strings.Repeat("x", 64<<10)), "error/http", "bytes in all"},
		"unframed":   {"HTTP/1.1 500 Oh\r\n\r\n", strings.Repeat("x", 64<<10), "error/http", "bytes in all"},
		"whole":      {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", strings.Repeat("[", 64<<10), "error/body_too_large", "longer than 1048576 bytes; it went on"},
		"blanks":     {"HTTP/1.1 200 OK\r\n\r\n", strings.Repeat(" ", 64<<10), "error/body_too_large", "longer than 1048576 bytes; it went on"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t, func(p *peer) {
				p.request()
				if p.number > 0 {
					p.send(goodAnswer())
					return
				}
				p.send(c.head)
				for {
					if _, err := p.Write([]byte(c.piece)); err != nil {
						return
					}
				}
			})
			client := newClient(t, Options{Limits: limits}, server.url)
			r := client.Do(context.Background(), chatRequest())
			if got := string(r.Outcome) + "/" + r.Class; got != c.want || r.Err == nil || !strings.Contains(r.Err.Message, c.message) {
				t.Errorf("%s, want %s with %q; %s", got, c.want, c.message, describeResult(&r))
			}
			if r.ReceivedBytes < 2<<20 || r.ReceivedBytes > 2<<20+3*inboxSize {
				t.Errorf("%d bytes were read", r.ReceivedBytes)
			}
			if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK || r.Reused {
				t.Errorf("the next request: reused %v, %s", r.Reused, describeResult(&r))
			}
		})
	}
}

// TestAnAnswerSomewhatTooLongKeepsItsConnection: what follows the limit is read away, up to as much again.
func TestAnAnswerSomewhatTooLongKeepsItsConnection(t *testing.T) {
	long := event(`{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 100<<10) + `"}}]}`)
	server := newServer(t, answering(sseHead+httpChunk(long+doneEvent)+lastChunk))
	client := newClient(t, Options{Limits: Limits{LineBytes: 64 << 10}}, server.url)
	for i := range 2 {
		r := client.Do(context.Background(), chatRequest())
		if r.Class != ClassLineTooLong || strings.Contains(r.Err.Message, "closed") || r.Reused != (i > 0) {
			t.Errorf("request %d: reused %v, %s", i, r.Reused, describeResult(&r))
		}
	}
}

// TestFloodsTakeTurns: what a flood brings waits for the flood before it; no other answer does.
func TestFloodsTakeTurns(t *testing.T) {
	client := newClient(t, Options{}, "http://127.0.0.1:1")
	answering := func(read int) *exchange {
		x := newExchange(client)
		x.request = chatRequest()
		x.answer.reset(x)
		x.answer.kind = asWhole
		x.head.status = 200
		x.input.to = read
		return x
	}
	client.floods <- struct{}{} // a flood's turn
	for _, calm := range []struct{ read, bytes int }{{inboxSize, floodBytes}, {inboxSize - 1, floodBytes}, {100, 100}} {
		x := answering(calm.read)
		for range 2 * floodBytes / calm.bytes {
			if x.input.to == inboxSize {
				x.unbroken = 0 // it waited in between
			}
			x.takeBody(make([]byte, calm.bytes))
		}
		if len(x.answer.body) != 2*floodBytes/calm.bytes*calm.bytes {
			t.Errorf("%d bytes of a calm answer were taken", len(x.answer.body))
		}
	}
	flood, taken := answering(inboxSize), make(chan int)
	go func() {
		flood.takeBody(make([]byte, floodBytes))
		taken <- len(flood.answer.body)
		flood.takeBody(make([]byte, inboxSize))
		taken <- len(flood.answer.body)
	}()
	if n := <-taken; n != floodBytes {
		t.Errorf("%d bytes were taken before it counted as a flood", n)
	}
	select {
	case <-taken:
		t.Error("a flood did not wait for its turn")
	case <-client.floods: // the other's turn ends
	}
	if n := <-taken; n != floodBytes+inboxSize || len(client.floods) != 0 {
		t.Errorf("%d bytes were taken, %d turns are held", n, len(client.floods))
	}
}
