package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// dueSoon is long enough for a request to be made ready in.
const dueSoon = 100 * time.Millisecond

// TestNothingIsWrittenBeforeTheBurstIsReleased, though everything is ready: the connection, the head, the first
// bytes. What was waited for before that is no part of the exchange.
func TestNothingIsWrittenBeforeTheBurstIsReleased(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for _, text := range []string{"small", strings.Repeat("x", 300_000)} {
			var released atomic.Bool
			var tooSoon atomic.Int64
			url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
				if !released.Load() {
					tooSoon.Add(1)
				}
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, goodSSE)
			})
			clock := NewClock(time.Now())
			client := newClient(t, Options{HTTP2: http2, Clock: clock}, url)
			due := clock.Now() + int64(dueSoon)
			burst := NewBurst(2, due)
			results := make(chan Result)
			for range 2 {
				request := chatRequest(text)
				request.Burst = burst
				go func() { results <- client.Do(t.Context(), request) }()
			}
			waitFor(t, func() bool { return client.Stats().Opened == 2 })
			time.Sleep(2 * dueSoon)
			released.Store(true)
			burst.Release()
			for range 2 {
				r := <-results
				if r.Outcome != OutcomeOK || r.SentBytes < int64(len(text)) {
					t.Fatal(describeResult(&r))
				}
				if r.StartNs < due+int64(dueSoon)/2 || r.SendStartNs < r.StartNs || r.FirstStartNs != r.StartNs || r.ConnWaitNs > 0 {
					t.Errorf("HTTP/2 %v, %d bytes: due %d, began %d, %d, first write %d, waited %d", http2, len(text), due, r.StartNs, r.FirstStartNs, r.SendStartNs, r.ConnWaitNs)
				}
			}
			if tooSoon.Load() > 0 {
				t.Error("the server heard of a request before its time")
			}
		}
	}
}

// TestAHeldRequestCanBeCancelled: it ends at once, and has sent nothing.
func TestAHeldRequestCanBeCancelled(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		url, _ := netHTTPServer(t, false, func(http.ResponseWriter, *http.Request) { t.Error("the server heard of the request") })
		client := newClient(t, Options{HTTP2: http2}, url)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		request := chatRequest()
		request.Burst = NewBurst(1, client.options.Clock.Now()+int64(time.Hour))
		if r := client.Do(ctx, request); r.Outcome != OutcomeCancelled || r.SentBytes != 0 || r.SendStartNs != Unset || r.EndNs < r.StartNs || r.CancelNs < r.StartNs {
			t.Errorf("%s, %d bytes sent, first write %d, began %d, cancelled %d, ended %d", describeResult(&r), r.SentBytes, r.SendStartNs, r.StartNs, r.CancelNs, r.EndNs)
		}
	}
}

// TestACancelledHeldRequestSaysNothingOfAStream: to reset one that was never opened is an error of HTTP/2.
func TestACancelledHeldRequestSaysNothingOfAStream(t *testing.T) {
	resets := make(chan bool, 1)
	server := newServer(t, func(p *peer) {
		io.ReadFull(p.in, make([]byte, len(http2.ClientPreface)))
		framer := http2.NewFramer(p.Conn, p.in)
		framer.WriteSettings()
		for reset := false; ; {
			frame, err := framer.ReadFrame()
			if err != nil {
				resets <- reset
				return
			}
			reset = reset || frame.Header().Type == http2.FrameRSTStream
		}
	})
	client := newClient(t, Options{HTTP2: true}, server.url)
	ctx, cancel := context.WithCancel(t.Context())
	request := chatRequest()
	request.Burst = NewBurst(1, client.options.Clock.Now()+int64(time.Hour))
	done := make(chan Result)
	go func() { done <- client.Do(ctx, request) }()
	waitFor(t, func() bool { return client.Stats().Opened == 1 })
	cancel()
	if r := <-done; r.Outcome != OutcomeCancelled {
		t.Error(describeResult(&r))
	}
	if <-resets {
		t.Error("the server was told of a reset stream")
	}
}

// TestOpeningAConnectionCountsFromWhenTheRequestIsDue: the parts of a request's time are within it.
func TestOpeningAConnectionCountsFromWhenTheRequestIsDue(t *testing.T) {
	server, file := newTLSServer(t, answering(goodAnswer()))
	client := newClient(t, Options{Reuse: ReuseNever, TLS: TLSOptions{CAFile: file}}, strings.Replace(server.url, "http:", "https:", 1), "http://127.0.0.1:1")
	request := chatRequest()
	request.Burst = NewBurst(1, client.options.Clock.Now()+int64(dueSoon))
	time.AfterFunc(2*dueSoon, request.Burst.Release)
	r := client.Do(t.Context(), request)
	if r.Outcome != OutcomeOK || r.Reused || r.ConnectNs != 0 || r.TLSNs != 0 || r.ConnWaitNs != 0 {
		t.Errorf("ready before it was due: %s, waited %d, connecting %d, TLS %d", describeResult(&r), r.ConnWaitNs, r.ConnectNs, r.TLSNs)
	}
	refused := chatRequest()
	refused.URLIndex, refused.Burst = 1, NewBurst(1, client.options.Clock.Now()+int64(time.Hour))
	if r := client.Do(t.Context(), refused); r.Class != ClassTransport || r.ConnectNs != 0 {
		t.Errorf("refused before it was due: %s, connecting %d", describeResult(&r), r.ConnectNs)
	}
}

// TestWhatCameLastOfOpeningIsKept where only a part of it lies before the request is due.
func TestWhatCameLastOfOpeningIsKept(t *testing.T) {
	x := &exchange{early: true, result: Result{StartNs: 1000, ConnWaitNs: 400, DNSNs: Unset, ConnectNs: 300, TLSNs: 200}}
	x.countFromDue(1400)
	if r := &x.result; r.TLSNs != 200 || r.ConnectNs != 200 || r.DNSNs != Unset || r.ConnWaitNs != 0 {
		t.Errorf("TLS %d, connecting %d, DNS %d, waited %d", r.TLSNs, r.ConnectNs, r.DNSNs, r.ConnWaitNs)
	}
	x.result.TLSNs = 900
	if x.countFromDue(1400); x.result.TLSNs != 900 {
		t.Error("it counted twice")
	}
}

// TestTheLimitsOfAHeldRequestBeginWithIt, however late it is released.
func TestTheLimitsOfAHeldRequestBeginWithIt(t *testing.T) {
	answer := make(chan struct{})
	server := newServer(t, func(p *peer) {
		for p.request() {
			<-answer
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{Timeouts: Timeouts{Request: 2 * time.Second}}, server.url)
	request := chatRequest()
	request.Burst = NewBurst(1, client.options.Clock.Now()+int64(dueSoon))
	time.AfterFunc(1500*time.Millisecond, request.Burst.Release)
	time.AfterFunc(2500*time.Millisecond, func() { close(answer) })
	if r := client.Do(t.Context(), request); r.Outcome != OutcomeOK {
		t.Error(describeResult(&r))
	}
}

// TestAFailureWhileBeingMadeReadyCountsWhenTheRequestIsDue: no exchange ends before it began.
func TestAFailureWhileBeingMadeReadyCountsWhenTheRequestIsDue(t *testing.T) {
	client := newClient(t, Options{}, "http://127.0.0.1:1")
	due := client.options.Clock.Now() + int64(time.Hour)
	request := chatRequest()
	request.Burst = NewBurst(1, due)
	if r := client.Do(t.Context(), request); r.Class != ClassTransport || r.StartNs != due || r.EndNs != due {
		t.Errorf("%s, due %d, began %d, ended %d", describeResult(&r), due, r.StartNs, r.EndNs)
	}
}

// TestWaitingForAConnectionCountsFromWhenTheRequestIsDue, where it was given to the client before.
func TestWaitingForAConnectionCountsFromWhenTheRequestIsDue(t *testing.T) {
	answer := make(chan struct{})
	server := newServer(t, func(p *peer) {
		for p.request() {
			<-answer
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{MaxConns: 1}, server.url)
	results, clock := make(chan Result, 2), client.options.Clock
	go func() { results <- client.Do(context.Background(), chatRequest()) }()
	waitFor(t, func() bool { return client.pool.underway() == 1 })
	due := clock.Now() + int64(dueSoon)
	request := chatRequest()
	request.Burst = NewBurst(1, due)
	go func() { results <- client.Do(context.Background(), request) }()
	for clock.Now() < due {
		time.Sleep(time.Millisecond)
	}
	request.Burst.Release()
	time.Sleep(dueSoon / 2)
	close(answer)
	<-results
	r := <-results
	if r.Outcome != OutcomeOK || r.StartNs != due || r.ConnWaitNs < int64(dueSoon)/4 || r.ConnWaitNs > r.SendStartNs-due {
		t.Errorf("%s: began %d after due, waited %d, first write %d after due", describeResult(&r), r.StartNs-due, r.ConnWaitNs, r.SendStartNs-due)
	}
}
