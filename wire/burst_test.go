package wire

import (
	"strings"
	"testing"
)

// TestALargeBodyBeginsSmallBesideOthers: requests that are due together begin together; one that is alone
// makes no small write.
func TestALargeBodyBeginsSmallBesideOthers(t *testing.T) {
	server := newServer(t, sends(sseHead, httpChunk(goodSSE)+lastChunk))
	client := newClient(t, Options{}, server.url)
	first := func(announced int) int {
		for range announced {
			client.Announce()
		}
		request := chatRequest(strings.Repeat("x", 300_000))
		request.KeepReads, request.Announced = true, announced > 0
		r := client.Do(t.Context(), request)
		if r.Outcome != OutcomeOK || r.SentBytes < 300_000 {
			t.Fatal(describeResult(&r))
		}
		client.writing.Add(int64(-max(announced-1, 0))) // those that never came
		return r.WriteList[0].Bytes
	}
	const most = 4 << 10 // of the head
	for range 2 {
		if n := first(0); n < gatherBody {
			t.Errorf("alone the first write has %d bytes", n)
		}
		if n := first(1); n < gatherBody {
			t.Errorf("alone and announced the first write has %d bytes", n)
		}
		if n := first(3); n > firstBody+most {
			t.Errorf("beside two others the first write has %d bytes", n)
		}
	}
	if left := client.writing.Load(); left != 0 {
		t.Errorf("%d requests count as being written when none is", left)
	}
}
