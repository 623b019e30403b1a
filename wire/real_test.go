package wire

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAgainstARealServer loses no request to a real server's habits (llama.cpp's closes each connection
// after a stream, although it promises to keep it). AGENTX_REAL_URL names the server.
func TestAgainstARealServer(t *testing.T) {
	url := os.Getenv("AGENTX_REAL_URL")
	if url == "" {
		t.Skip("no AGENTX_REAL_URL: set it to a chat server's URL")
	}
	client := newClient(t, Options{Timeouts: Timeouts{Request: time.Minute}}, url)
	var wait sync.WaitGroup
	for lane := range 3 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 15 {
				request := chatRequest(strings.Repeat("several words of text ", 1+i*20))
				request.Body.Model, request.Body.Stream = "tiny", i%5 != 4
				request.SessionID = fmt.Sprintf("lane-%d", lane)
				r := client.Do(context.Background(), request)
				if r.Outcome != OutcomeOK || r.Usage.Completion < 1 || r.Usage.Prompt < 1 || r.Streamed != request.Body.Stream {
					t.Errorf("lane %d, request %d: %s, usage %+v", lane, i, describeResult(&r), r.Usage)
				}
			}
		}()
	}
	wait.Wait()
	t.Logf("%+v, read delays %+v", client.Stats(), client.TakeReadDelays())
}
