package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ended tells whether the requests of a burst may write on.
func (b *Burst) ended() bool {
	select {
	case <-b.together:
		return true
	default:
		return false
	}
}

// newBurst is a burst of requests that are due.
func newBurst(requests int) *Burst {
	b := NewBurst(requests, 0)
	b.Release()
	return b
}

func TestABurstGoesOnWhenAllHaveBegun(t *testing.T) {
	b := newBurst(3)
	for range 3 {
		b.takeUp()
		if b.ended() {
			t.Fatal("it goes on before the requests that have a core have begun")
		}
	}
	b.begin()
	b.begin()
	if b.ended() {
		t.Fatal("it goes on before the last request has begun")
	}
	b.begin()
	if !b.ended() {
		t.Fatal("it does not go on when all have begun")
	}
}

// A request that waits for the network holds the others up for openingWait, counted from when all have
// had a core; one that no core has taken up holds them up for as long as that takes.
func TestABurstWaitsForCoresButNotForTheNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBurst(3)
		b.takeUp()
		b.begin()
		b.takeUp() // and its connection never comes
		time.Sleep(time.Minute)
		synctest.Wait()
		if b.ended() {
			t.Fatal("it did not wait for a request without a core")
		}
		b.takeUp()
		b.begin()
		time.Sleep(openingWait / 2)
		synctest.Wait()
		if b.ended() {
			t.Fatal("it did not wait for the network")
		}
		time.Sleep(openingWait / 2)
		synctest.Wait()
		if !b.ended() {
			t.Fatal("it waits for the network for ever")
		}
		b.begin() // too late: nothing happens
	})
}

// A request that is held counts as one without a core until it goes on after the release, so that the others wait
// for it; one that waits for its connection meanwhile does not.
func TestABurstWaitsForThoseThatWereHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBurst(2, 1)
		b.takeUp()
		b.takeUp()
		counts := func(when string, unseen, opening int) {
			synctest.Wait()
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.unseen != unseen || b.opening != opening {
				t.Errorf("%s: %d without a core, %d opening; want %d and %d", when, b.unseen, b.opening, unseen, opening)
			}
		}
		counts("before", 0, 2)
		go b.hold(t.Context())
		counts("held", 1, 1)
		b.Release()
		counts("released", 0, 2)
		b.begin()
		time.Sleep(2 * openingWait) // the other waits for its connection
		synctest.Wait()
		if !b.ended() {
			t.Fatal("it waits for the network for ever")
		}
	})
}

// TestALargeBodyBeginsSmallInABurst: one that is alone makes no small write.
func TestALargeBodyBeginsSmallInABurst(t *testing.T) {
	server := newServer(t, answering(goodAnswer()))
	client := newClient(t, Options{}, server.url)
	first := func(burst *Burst) int {
		request := chatRequest(strings.Repeat("x", 300_000))
		request.KeepReads, request.Burst = true, burst
		r := client.Do(t.Context(), request)
		if r.Outcome != OutcomeOK || r.SentBytes < 300_000 {
			t.Fatal(describeResult(&r))
		}
		return r.WriteList[0].Bytes
	}
	const head = 4 << 10 // at most
	for range 2 {
		if n := first(nil); n < gatherBody {
			t.Errorf("alone the first write has %d bytes", n)
		}
		if n := first(newBurst(1)); n > firstBody+head {
			t.Errorf("in a burst the first write has %d bytes", n)
		}
	}
}

// TestASmallRequestKeepsNobodyBackOnceItIsWritten, though its answer is still to come.
func TestASmallRequestKeepsNobodyBackOnceItIsWritten(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		answer := make(chan struct{})
		url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-answer
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, goodSSE)
		})
		client := newClient(t, Options{HTTP2: http2}, url)
		burst := newBurst(2)
		written, done := make(chan struct{}), make(chan Result)
		request := chatRequest("small")
		request.Burst, request.Hooks.Written = burst, func(int64, int64) { close(written) }
		go func() { done <- client.Do(context.Background(), request) }()
		<-written
		waitFor(t, func() bool {
			burst.mu.Lock()
			defer burst.mu.Unlock()
			return burst.opening == 0
		})
		close(answer)
		if r := <-done; r.Outcome != OutcomeOK {
			t.Error(describeResult(&r))
		}
	}
}

// Requests of a burst end well whether they wait for each other, are small, cannot connect or are refused here.
func TestABurstOfAllKinds(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		url := newServer(t, answering(goodAnswer())).url
		if http2 {
			url, _ = netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, goodSSE)
			})
		}
		client := newClient(t, Options{HTTP2: http2}, url, "http://127.0.0.1:1")
		requests := []*Request{chatRequest(strings.Repeat("x", 1<<20)), chatRequest(strings.Repeat("y", 1<<20)), chatRequest("small"), chatRequest("no server"), chatRequest("bad")}
		requests[3].URLIndex = 1
		requests[4].RequestID = "a\nb"
		burst := newBurst(len(requests))
		outcomes := make(chan string, len(requests))
		for _, request := range requests {
			request.Burst = burst
			go func() {
				r := client.Do(context.Background(), request)
				outcomes <- string(r.Outcome) + r.Class
			}()
		}
		count := map[string]int{}
		for range requests {
			count[<-outcomes]++
		}
		if count["ok"] != 3 || count["error"+ClassTransport] != 1 || count["error"+ClassRequest] != 1 {
			t.Errorf("HTTP/2 %v: %v", http2, count)
		}
	}
}

func TestConnectionsOpenedAhead(t *testing.T) {
	server := newServer(t, answering(goodAnswer()))
	client := newClient(t, Options{}, server.url)
	if opened, err := client.Open(context.Background(), []int{0, 0, 0}); opened != 3 || err != nil {
		t.Fatalf("%d opened, %v", opened, err)
	}
	if opened, err := client.Open(context.Background(), []int{0, 0, 0, 0}); opened != 1 || err != nil {
		t.Fatalf("%d opened beside three idle ones, %v", opened, err)
	}
	for range 3 {
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeOK || !r.Reused || r.ConnectNs != Unset {
			t.Errorf("%s, reused %v, connecting %d", describeResult(&r), r.Reused, r.ConnectNs)
		}
	}
	if stats := client.Stats(); stats.Opened != 4 || stats.Reused != 3 {
		t.Errorf("%+v", stats)
	}
}

// What cannot be opened ahead is left to the request, which tells what is wrong; policies that do not share
// connections have nothing to open.
func TestConnectionsNotOpenedAhead(t *testing.T) {
	client := newClient(t, Options{}, "http://127.0.0.1:1")
	if opened, err := client.Open(context.Background(), []int{0, 0}); opened != 0 || err == nil {
		t.Errorf("a closed port: %d opened, %v", opened, err)
	}
	for _, policy := range []ReusePolicy{ReuseNever, ReuseSticky} {
		server := newServer(t, answering(goodAnswer()))
		client := newClient(t, Options{Reuse: policy}, server.url)
		if opened, err := client.Open(context.Background(), []int{0}); opened != 0 || err != nil {
			t.Errorf("%s: %d opened, %v", policy, opened, err)
		}
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK || r.Reused {
			t.Errorf("%s: %s, reused %v", policy, describeResult(&r), r.Reused)
		}
	}
}

// TestACancelledRequestWaitsForNoBurst: the others may never come, as where the log refuses them.
func TestACancelledRequestWaitsForNoBurst(t *testing.T) {
	server := newServer(t, func(p *peer) { p.readHead(); p.drain() })
	client := newClient(t, Options{}, server.url)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	request := chatRequest(strings.Repeat("x", 300_000))
	request.Burst = newBurst(2)
	if r := client.Do(ctx, request); r.Outcome != OutcomeCancelled || r.SentBytes != firstBody || r.WrittenNs != Unset {
		t.Errorf("%s, %d bytes sent, written %d", describeResult(&r), r.SentBytes, r.WrittenNs)
	}
}

// TestOpeningAheadKeepsTheLimit: idle connections and those of exchanges count.
func TestOpeningAheadKeepsTheLimit(t *testing.T) {
	server := newServer(t, func(p *peer) { p.readHead(); p.drain() })
	client := newClient(t, Options{MaxConns: 4}, server.url)
	ctx, cancel := context.WithCancel(t.Context())
	ended, written := make(chan Result), make(chan struct{})
	request := chatRequest()
	request.Hooks.Written = func(int64, int64) { close(written) }
	go func() { ended <- client.Do(ctx, request) }()
	<-written
	for _, want := range []int{3, 0} {
		if opened, err := client.Open(t.Context(), make([]int, 10)); opened != want || err != nil {
			t.Errorf("%d opened, %v; want %d beside one under way", opened, err, want)
		}
	}
	cancel()
	<-ended
}

// TestOpeningAheadEndsWithTheConnectTimeout, however many connections hang: here in the handshake of TLS.
func TestOpeningAheadEndsWithTheConnectTimeout(t *testing.T) {
	server := newServer(t, func(p *peer) { p.drain() })
	client := newClient(t, Options{Timeouts: Timeouts{Connect: 20 * time.Millisecond}}, strings.Replace(server.url, "http:", "https:", 1))
	opened, err := client.Open(t.Context(), make([]int, 200))
	if opened != 0 || err == nil {
		t.Errorf("%d opened, %v", opened, err)
	}
	if n := server.connections(); n > 3*openers {
		t.Errorf("%d connections were tried", n)
	}
}

// TestConnectionsOpenedAheadAreTakenInTheirOrder: a server with few threads takes them up in that order, and
// gives each the time for a request; used ones come first.
func TestConnectionsOpenedAheadAreTakenInTheirOrder(t *testing.T) {
	answered := make(chan int, 8)
	server := newServer(t, func(p *peer) {
		for p.request() {
			answered <- p.number
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{}, server.url)
	for n := 1; n <= 3; n++ { // one by one: their order is what is tested
		if opened, err := client.Open(t.Context(), make([]int, n)); opened != 1 || err != nil {
			t.Fatalf("%d opened, %v", opened, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	held := make(chan struct{})
	hold := chatRequest()
	hold.Hooks.Written = func(int64, int64) { <-held }
	ended := make(chan Result, 1)
	for want := range 3 {
		request := chatRequest()
		if want == 0 {
			request = hold // on the first connection until the others have been used
			go func() { ended <- client.Do(context.Background(), request) }()
		} else if r := client.Do(t.Context(), request); r.Outcome != OutcomeOK || !r.Reused {
			t.Fatal(describeResult(&r))
		}
		if got := <-answered; got != min(want, 1) {
			t.Errorf("request %d went to connection %d", want, got)
		}
	}
	close(held)
	if r := <-ended; r.Outcome != OutcomeOK {
		t.Error(describeResult(&r))
	}
}

// TestNothingIsOpenedAheadForAServerThatKeepsNothing: llama.cpp's server closes each connection after its stream,
// and each that is idle takes one of its threads for five seconds.
func TestNothingIsOpenedAheadForAServerThatKeepsNothing(t *testing.T) {
	server := newServer(t, func(p *peer) {
		if p.request() {
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{}, server.url)
	for _, want := range []int{2, 0} {
		if opened, err := client.Open(t.Context(), []int{0, 0}); opened != want || err != nil {
			t.Fatalf("%d opened, %v; want %d", opened, err, want)
		}
		if r := client.Do(t.Context(), chatRequest()); r.Outcome != OutcomeOK {
			t.Fatal(describeResult(&r))
		}
		time.Sleep(20 * time.Millisecond)
	}
}
