package http2faults_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/internal/mockserver/http2faults"
	"agentx/wire"
)

// TestOurClientMakesOfEachBehaviourWhatTheTableSays: one outcome of the expected class each, with small
// requests and with some that need the server's windows to open, and the client keeps to the standard.
func TestOurClientMakesOfEachBehaviourWhatTheTableSays(t *testing.T) {
	places := make(chan struct{}, 16) // at once
	var clients sync.WaitGroup
	for _, behaviour := range http2faults.Behaviours() {
		s, err := http2faults.Start(http2faults.Options{Behaviour: behaviour.Name})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{10, 300_000} {
			places <- struct{}{}
			clients.Go(func() {
				check(t, s, behaviour, size)
				<-places
			})
		}
		t.Cleanup(func() {
			if s.Violations() != 0 {
				t.Errorf("%s: %d violations by the client", behaviour.Name, s.Violations())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
}

func check(t *testing.T, s *http2faults.Server, want http2faults.Behaviour, size int) {
	timeout := time.Minute
	if want.Class == "timeout" {
		timeout = time.Second
	}
	client, err := wire.New(wire.Options{URLs: []string{s.URL()}, Clock: wire.NewClock(time.Now()), HTTP2: true, Timeouts: wire.Timeouts{Request: timeout}})
	if err != nil {
		t.Error(err)
		return
	}
	defer client.Close()
	text := []byte(strings.Repeat("x", size))
	result := client.Do(context.Background(), &wire.Request{
		RequestID: want.Name,
		Body:      wire.Body{Model: "m", Stream: true, Messages: []wire.Message{{Role: "user", Content: wire.Pieces{text}}}},
	})
	if string(result.Outcome) != want.Outcome || result.Class != want.Class {
		detail := ""
		if result.Err != nil {
			detail = fmt.Sprintf("%s: %.200s", result.Err.Type, result.Err.Message)
		}
		t.Errorf("%s, body of %d: %s/%s %s; expected %s/%s", want.Name, size, result.Outcome, result.Class, detail, want.Outcome, want.Class)
	}
}
