package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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
		if r := client.Do(ctx, request); r.Outcome != OutcomeCancelled || r.SentBytes != 0 || r.SendStartNs != Unset || r.EndNs < r.StartNs {
			t.Errorf("%s, %d bytes sent, first write %d, began %d, ended %d", describeResult(&r), r.SentBytes, r.SendStartNs, r.StartNs, r.EndNs)
		}
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
