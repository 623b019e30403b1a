package wire

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// serving counts the requests that a server got, and lets each connection play its part.
type serving struct {
	mu       sync.Mutex
	requests int
}

func (s *serving) got() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	return s.requests
}

func (s *serving) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// TestADeadIdleConnectionIsNotedBeforeSending: the server closed while the connection lay in the pool.
func TestADeadIdleConnectionIsNotedBeforeSending(t *testing.T) {
	server := newServer(t, func(p *peer) {
		if p.request() {
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{}, server.url)
	for range 5 {
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeOK || r.Reused || r.Resends != 0 {
			t.Fatalf("%s, reused %v, resends %d", describeResult(&r), r.Reused, r.Resends)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if stats := client.Stats(); stats.Opened != 5 || stats.Stale != 4 {
		t.Errorf("%+v", stats)
	}
}

// TestOneResendOnADeadReusedConnection: the server closes when the next request begins to come, without
// having read it.
func TestOneResendOnADeadReusedConnection(t *testing.T) {
	var s serving
	server := newServer(t, func(p *peer) {
		for p.number > 0 || s.count() < 1 {
			if !p.request() {
				return
			}
			s.got()
			p.send(goodAnswer())
		}
		p.in.Peek(1) // the next request comes: die without it
		p.reset()
	})
	client := newClient(t, Options{}, server.url)
	client.Do(context.Background(), chatRequest())
	written := 0
	request := chatRequest(strings.Repeat("x", bigRequest))
	request.StreamBody = new(StreamBody)
	request.Hooks.Written = func(int64, int64) { written++ }
	r := client.Do(context.Background(), request)
	if r.Outcome != OutcomeOK || r.Resends != 1 || r.Reused || textOf(&r) != "AB" {
		t.Fatalf("%s, reused %v, resends %d", describeResult(&r), r.Reused, r.Resends)
	}
	if r.FirstStartNs >= r.StartNs || r.SendStartNs < r.StartNs || r.SentBytes < bigRequest || written != 1 {
		t.Errorf("first start %d, start %d, send %d, sent %d, written %d times", r.FirstStartNs, r.StartNs, r.SendStartNs, r.SentBytes, written)
	}
	if !r.HasBodyDigest || client.Stats().Resends != 1 || server.connections() != 2 {
		t.Errorf("digest %v, %+v, %d connections", r.HasBodyDigest, client.Stats(), server.connections())
	}
}

// TestNoResend: where the server may have begun to answer, or the connection was new, or it fails twice.
func TestNoResend(t *testing.T) {
	for _, c := range []struct {
		name  string
		fail  func(p *peer)
		first bool // fail on the connection's first request
	}{
		{"closed long after it had the request", func(p *peer) { p.request(); p.pause(300 * time.Millisecond) }, false},
		{"reset long after it had the request", func(p *peer) { p.request(); p.pause(300 * time.Millisecond); p.reset() }, false},
		{"reset after the first byte of an answer", func(p *peer) { p.in.Peek(1); p.send("H"); p.pause(20 * time.Millisecond); p.reset() }, false},
		{"reset on a new connection", func(p *peer) { p.in.Peek(1); p.reset() }, true},
	} {
		var s serving
		server := newServer(t, func(p *peer) {
			if !c.first {
				if !p.request() {
					return
				}
				p.send(goodAnswer())
			}
			c.fail(p)
			s.got()
		})
		client := newClient(t, Options{}, server.url)
		if !c.first {
			client.Do(context.Background(), chatRequest())
		}
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeError || r.Class != ClassTransport || r.Resends != 0 {
			t.Errorf("%s: %s, resends %d", c.name, describeResult(&r), r.Resends)
		}
		if n := client.Stats().Resends; n != 0 {
			t.Errorf("%s: %d resends", c.name, n)
		}
	}
}

func TestReusePolicies(t *testing.T) {
	for _, c := range []struct {
		policy      ReusePolicy
		sessions    []string
		last        int // index of a request that is its session's last turn
		connections int
	}{
		{ReusePooled, []string{"a", "b", "a", "b"}, -1, 1},
		{ReuseNever, []string{"a", "a", "a"}, -1, 3},
		{ReuseSticky, []string{"a", "b", "a", "b", "a"}, -1, 2},
		{ReuseSticky, []string{"a", "a", "a"}, 1, 2},
	} {
		server := newServer(t, answering(goodAnswer()))
		client := newClient(t, Options{Reuse: c.policy}, server.url)
		for i, session := range c.sessions {
			request := chatRequest()
			request.SessionID, request.LastTurn = session, i == c.last
			if r := client.Do(context.Background(), request); r.Outcome != OutcomeOK {
				t.Fatal(describeResult(&r))
			}
		}
		if n := server.connections(); n != c.connections {
			t.Errorf("%s %v: %d connections, want %d", c.policy, c.sessions, n, c.connections)
		}
	}
}

func TestStickyConnectionEndsWithAnErrorOrItsSession(t *testing.T) {
	var s serving
	server := newServer(t, func(p *peer) {
		for p.request() {
			if s.got() == 2 {
				p.send(sseHead + httpChunk(contentA) + "zz\r\n")
				return
			}
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{Reuse: ReuseSticky}, server.url)
	for i, want := range []Outcome{OutcomeOK, OutcomeError, OutcomeOK} {
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != want {
			t.Errorf("request %d: %s", i, describeResult(&r))
		}
	}
	client.EndSession("session-1")
	client.Do(context.Background(), chatRequest())
	if n := server.connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

func TestIdleLimitAndTheServersHint(t *testing.T) {
	for name, c := range map[string]struct {
		options     Options
		hint        string
		connections int
	}{
		"own limit":    {Options{IdleTimeout: 20 * time.Millisecond}, "", 3},
		"hint":         {Options{}, "Keep-Alive: timeout=1, max=100\r\n", 1},
		"hint is over": {Options{IdleTimeout: time.Hour}, "Keep-Alive: max=5, timeout=1\r\n", 3},
	} {
		server := newServer(t, answering("HTTP/1.1 200 OK\r\n"+c.hint+"Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"+httpChunk(goodSSE)+lastChunk))
		client := newClient(t, c.options, server.url)
		for range 3 {
			client.Do(context.Background(), chatRequest())
			switch name {
			case "own limit":
				time.Sleep(40 * time.Millisecond)
			case "hint is over":
				time.Sleep(600 * time.Millisecond) // half of a hint of one second
			}
		}
		if n := server.connections(); n != c.connections {
			t.Errorf("%s: %d connections, want %d", name, n, c.connections)
		}
	}
}

// TestAsManyConnectionsAsLanes is the reported fault of clients that keep two idle connections per host.
func TestAsManyConnectionsAsLanes(t *testing.T) {
	const lanes, each = 16, 30
	server := newServer(t, answering(goodAnswer()))
	client := newClient(t, Options{}, server.url)
	var wait sync.WaitGroup
	for range lanes {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range each {
				if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK {
					t.Error(describeResult(&r))
				}
			}
		}()
	}
	wait.Wait()
	if n := server.connections(); n > lanes {
		t.Errorf("%d connections for %d lanes", n, lanes)
	}
}

func TestTheConnectionLimitMakesRequestsWait(t *testing.T) {
	server := newServer(t, func(p *peer) {
		for p.request() {
			p.pause(50 * time.Millisecond)
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{MaxConns: 1, Timeouts: Timeouts{Request: 10 * time.Second}}, server.url)
	waits := make(chan int64, 3)
	for range 3 {
		go func() {
			r := client.Do(context.Background(), chatRequest())
			waits <- r.ConnWaitNs
		}()
	}
	var total int64
	for range 3 {
		total += <-waits
	}
	if total < int64(100*time.Millisecond) || server.connections() != 1 {
		t.Errorf("waited %v in all, %d connections", time.Duration(total), server.connections())
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	busy := make(chan Result, 1)
	go func() { busy <- client.Do(context.Background(), chatRequest()) }()
	time.Sleep(5 * time.Millisecond)
	if r := client.Do(ctx, chatRequest()); r.Outcome != OutcomeCancelled || r.Protocol != "" {
		t.Errorf("%s over %q", describeResult(&r), r.Protocol)
	}
	if r := <-busy; r.Outcome != OutcomeOK {
		t.Error(describeResult(&r))
	}
}

// TestAServerThatClosesAfterEachAnswerLosesNoRequest: llama.cpp's server promises to keep connections and
// closes them after each stream; a request may meet the closing at any moment.
func TestAServerThatClosesAfterEachAnswerLosesNoRequest(t *testing.T) {
	server := newServer(t, func(p *peer) {
		if p.request() {
			p.send("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + httpChunk(goodSSE) + lastChunk)
		}
	})
	client := newClient(t, Options{}, server.url)
	var wait sync.WaitGroup
	for lane := range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 60 {
				r := client.Do(context.Background(), chatRequest(strings.Repeat("x", 1<<(i%18))))
				if r.Outcome != OutcomeOK {
					t.Errorf("lane %d, request %d: %s, reused %v, resends %d", lane, i, describeResult(&r), r.Reused, r.Resends)
				}
			}
		}()
	}
	wait.Wait()
	t.Logf("%+v", client.Stats())
}

// TestARequestSwallowedWhileTheServerClosesIsSentAgain: the server had decided to close, takes what comes
// off the socket, and ends the connection in order.
func TestARequestSwallowedWhileTheServerClosesIsSentAgain(t *testing.T) {
	server := newServer(t, func(p *peer) {
		if p.request() {
			p.send(goodAnswer())
			if p.number == 0 {
				p.request()
			}
		}
	})
	client := newClient(t, Options{}, server.url)
	for i, want := range []int{0, 1} {
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK || r.Resends != want {
			t.Errorf("request %d: %s, resends %d, want %d", i, describeResult(&r), r.Resends, want)
		}
	}
}
