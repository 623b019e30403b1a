package wire

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSendTimeout: a request that is to be cancelled after it is written, and is never written.
func TestSendTimeout(t *testing.T) {
	server := newServer(t, func(p *peer) { p.readHead(); p.pause(20 * short) })
	client := newClient(t, Options{Timeouts: Timeouts{CancelSend: 2 * short}}, server.url)
	request := chatRequest(strings.Repeat("x", bigRequest))
	request.CancelAfter = new(time.Duration)
	r := client.Do(context.Background(), request)
	if r.Outcome != OutcomeError || r.Class != ClassTimeout || r.Err.Type != "RequestSendTimeout" || r.Err.Code == nil || *r.Err.Code != 0 || r.WrittenNs != Unset {
		t.Errorf("%s, written %d", describeResult(&r), r.WrittenNs)
	}
	if r.SentBytes <= 0 || r.SentBytes >= bigRequest {
		t.Errorf("%d bytes sent", r.SentBytes)
	}
}

func TestConnectTimeout(t *testing.T) {
	server := newServer(t, func(p *peer) { p.drain() }) // never shakes hands
	client := newClient(t, Options{Timeouts: Timeouts{Connect: short}, TLS: TLSOptions{SkipVerify: true}}, strings.Replace(server.url, "http:", "https:", 1))
	r := client.Do(context.Background(), chatRequest())
	if r.Outcome != OutcomeError || r.Class != ClassTimeout || r.Err.Type != "ConnectionTimeoutError" || r.ConnectNs == Unset || r.TLSNs < int64(short)/2 {
		t.Errorf("%s, connect %d, TLS %d", describeResult(&r), r.ConnectNs, r.TLSNs)
	}
}

func TestWaitingForAConnectionEndsWithTheRequest(t *testing.T) {
	begun := make(chan bool, 1)
	server := newServer(t, func(p *peer) { p.request(); begun <- true; p.drain() })
	client := newClient(t, Options{MaxConns: 1, Timeouts: Timeouts{Request: 10 * short}}, server.url)
	busy := make(chan Result, 1)
	go func() { busy <- client.Do(context.Background(), chatRequest()) }()
	<-begun
	time.Sleep(short) // the other request's time ends first
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(short, cancel)
	if r := client.Do(ctx, chatRequest()); r.Outcome != OutcomeCancelled || r.ConnWaitNs < int64(short)/2 {
		t.Errorf("%s, waited %d", describeResult(&r), r.ConnWaitNs)
	}
	if r := <-busy; r.Class != ClassTimeout {
		t.Error(describeResult(&r))
	}
}

// TestAnErrorsBodyIsNotKeptWhole: a flood for an error, in the body or inside a stream, leaves a message
// that a log can take; what it says of an overflow counts all the same.
func TestAnErrorsBodyIsNotKeptWhole(t *testing.T) {
	flood := strings.Repeat("x", 5<<20)
	for name, c := range map[string]struct{ answer, want string }{
		"status":          {"HTTP/1.1 500 Internal Server Error\r\nContent-Length: " + strconv.Itoa(len(flood)) + "\r\n\r\n" + flood, "error/http"},
		"status, endless": {"HTTP/1.1 500 Internal Server Error\r\n\r\n" + flood, "error/http"},
		"overflow":        {"HTTP/1.1 400 Bad Request\r\n\r\n" + flood[:100<<10] + " maximum context length " + flood, "overflow/http"},
		"in the stream":   {sseHead + httpChunk(event(`{"error":{"message":"`+flood+` maximum context"}}`)) + lastChunk, "overflow/in_stream"},
		"whole answer":    {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":\"" + flood + "\"}}", "error/in_stream"},
	} {
		server := newServer(t, sends(c.answer))
		client := newClient(t, Options{}, server.url)
		r := client.Do(context.Background(), chatRequest())
		if got := string(r.Outcome) + "/" + r.Class; got != c.want || r.Err == nil {
			t.Errorf("%s: %s", name, got)
			continue
		}
		if size := len(r.Err.Message); size < maxMessage || size > maxMessage+100 || len(r.FailedBody) > keptStart {
			t.Errorf("%s: a message of %d bytes, a beginning of %d", name, size, len(r.FailedBody))
		}
	}
}
