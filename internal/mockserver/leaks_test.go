package mockserver_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentx/internal/mockserver"
	"agentx/wire"
)

// mostHeap bounds the memory of client and server together while a behaviour is played, in bytes: the
// client's limits of this test are 4 MiB an event and 8 MiB a body, and some behaviours send 20 MiB or
// without end.
const mostHeap = 256 << 20

// TestNothingIsLeftAfterEachBehaviour: played one after the other, each leaves no goroutine and no open
// socket behind, and none takes memory without bound.
func TestNothingIsLeftAfterEachBehaviour(t *testing.T) {
	s, err := mockserver.Start(mockserver.Options{Faults: mockserver.Faults{Rules: []mockserver.Rule{
		{Fault: "reset_at_accept", From: 0, Times: 1}, {Fault: "close_at_accept", From: 1, Times: 1},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	playAlone(t, s, "status") // takes up the first rule's connection, and lets the server settle
	goroutines, sockets := runtime.NumGoroutine(), openSockets(t)
	played := 0
	for _, behaviour := range mockserver.Behaviours() {
		if behaviour.Name == "stall_before_body" || behaviour.Name == "slow_body_read" {
			continue // a server that does not read cannot see that the client has left: what stays is its own
		}
		played++
		heap := playAlone(t, s, behaviour.Name)
		if heap > mostHeap {
			t.Errorf("%s: the heap grew to %d MiB", behaviour.Name, heap>>20)
		}
		for range 400 {
			if runtime.NumGoroutine() <= goroutines && openSockets(t) <= sockets {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if now := runtime.NumGoroutine(); now > goroutines {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%s: %d goroutines before, %d after:\n%s", behaviour.Name, goroutines, now, stacks[:runtime.Stack(stacks, true)])
		}
		if now := openSockets(t); now > sockets {
			t.Fatalf("%s: %d sockets before, %d after", behaviour.Name, sockets, now)
		}
	}
	if played < 40 {
		t.Errorf("%d behaviours", played)
	}
}

// playAlone makes one exchange with a client of its own and gives the greatest heap seen meanwhile.
func playAlone(t *testing.T, s *mockserver.Server, name string) (most uint64) {
	client, err := wire.New(wire.Options{
		URLs: []string{s.URL()}, Clock: wire.NewClock(time.Now()),
		Timeouts: wire.Timeouts{Request: 700 * time.Millisecond, FinishGrace: 200 * time.Millisecond},
		Limits:   wire.Limits{LineBytes: 4 << 20, BodyBytes: 8 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	done, seen := make(chan struct{}), make(chan uint64)
	go func() {
		var memory runtime.MemStats
		greatest := uint64(0)
		for {
			runtime.ReadMemStats(&memory)
			greatest = max(greatest, memory.HeapInuse)
			select {
			case <-done:
				seen <- greatest
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	client.Do(context.Background(), &wire.Request{
		RequestID: name,
		Headers:   []wire.Header{{Name: "X-Mock-Fault", Value: name + "; delay_ms=20; bytes=" + fmt.Sprint(amounts[name])}},
		Body:      wire.Body{Model: "m", Stream: true, MaxTokens: 4, Messages: []wire.Message{{Role: "user", Content: wire.Pieces{[]byte("x")}}}},
	})
	close(done)
	return <-seen
}

// openSockets counts the process's sockets, 0 where the system does not tell.
func openSockets(t *testing.T) (count int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil && strings.HasPrefix(target, "socket:") {
			count++
		}
	}
	return count
}
