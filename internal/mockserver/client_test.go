package mockserver_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/internal/mockserver"
	"agentx/wire"
)

// TestOurClientMakesOfEachBehaviourWhatTheTableSays: one outcome of the expected class each, with small
// requests and with requests that do not fit into the sockets' buffers, and nothing left behind.
func TestOurClientMakesOfEachBehaviourWhatTheTableSays(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := mockserver.Start(mockserver.Options{Faults: mockserver.Faults{Rules: []mockserver.Rule{
		{Fault: "reset_at_accept", From: 0, Times: 1}, {Fault: "close_at_accept", From: 1, Times: 1},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"reset_at_accept", "close_at_accept"} { // one after the other: they count connections
		check(t, s, name, 100)
	}
	places := make(chan struct{}, 16) // at once
	var clients sync.WaitGroup
	for _, behaviour := range mockserver.Behaviours() {
		if strings.HasSuffix(behaviour.Name, "_at_accept") {
			continue
		}
		for _, size := range []int{100, 8 << 20} {
			if size > 100 && !strings.HasPrefix(behaviour.Name, "early_") && !strings.HasSuffix(behaviour.Name, "_body") && behaviour.Name != "slow_body_read" {
				continue // how the body is sent makes no difference to the others
			}
			places <- struct{}{}
			clients.Go(func() {
				check(t, s, behaviour.Name, size)
				<-places
			})
		}
	}
	clients.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for range 400 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
}

func check(t *testing.T, s *mockserver.Server, name string, size int) {
	var want mockserver.Behaviour
	for _, behaviour := range mockserver.Behaviours() {
		if behaviour.Name == name {
			want = behaviour
		}
	}
	timeout := 30 * time.Second
	if want.Class == "timeout" || strings.HasSuffix(name, "_endless") || name == "line_without_end" {
		timeout = 5 * time.Second // those without an end are read to the client's own
	}
	client, err := wire.New(wire.Options{
		URLs: []string{s.URL()}, Clock: wire.NewClock(time.Now()),
		Timeouts: wire.Timeouts{Request: timeout, FinishGrace: 500 * time.Millisecond},
		Limits:   wire.Limits{LineBytes: 4 << 20},
	})
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	text := []byte(strings.Repeat("x", size))
	result := client.Do(context.Background(), &wire.Request{
		RequestID: name,
		Headers:   []wire.Header{{Name: "X-Mock-Fault", Value: name + "; delay_ms=20; bytes=" + fmt.Sprint(amounts[name])}},
		Body: wire.Body{
			Model: "m", Stream: true, MaxTokens: 4,
			Messages: []wire.Message{{Role: "user", Content: wire.Pieces{text}}},
		},
	})
	if string(result.Outcome) != want.Outcome || result.Class != want.Class {
		detail := ""
		if result.Err != nil {
			detail = fmt.Sprintf("%s: %.200s", result.Err.Type, result.Err.Message)
		}
		t.Errorf("%s, body of %d: %s/%s %s; expected %s/%s", name, size, result.Outcome, result.Class, detail, want.Outcome, want.Class)
	}
}

// amounts are the bytes for those behaviours whose default would take the test long; 0 is the default.
var amounts = map[string]int64{"slow_body_read": 64 << 20, "error_body_huge": 80 << 20}
