package wire

import (
	"context"
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
