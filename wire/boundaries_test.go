package wire

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// recordOf shows all of a result that must not depend on where reads cut the answer.
func recordOf(r *Result) string {
	return fmt.Sprintf("%s choices %v counts %+v usage %v %+v done %v malformed %d bytes %d model %q streamed %v start %q",
		describeResult(r), r.Choices, r.Counts, r.HasUsage, r.Usage, r.Done, r.Malformed, r.ReceivedBytes, r.Model, r.Streamed, r.FailedBody)
}

// ownStreams are answers with something of each kind.
func ownStreams() map[string]string {
	stream := "\xef\xbb\xbf: hi\r\n\r\n" + roleDelta + "event: ping\ndata: {}\n\n" + deltaEvent(`{"reasoning":"r\u00e9","content":"你🚀"}`) +
		deltaEvent(`{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]}`) + "data: {\"choices\":[{\"index\":1,\r\ndata: \"delta\":{\"content\":\"x\"}}]}\r\r" +
		"data: nonsense\n\n" + "data: {\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}\n\n" + stopDelta + usageTail + doneEvent
	return map[string]string{
		"chunked":       "HTTP/1.1 100 Continue\r\n\r\n" + sseHead + "5;x=y\r\ndata:\r\n2\r\n\n\n\r\n" + httpChunk(stream[:40]) + httpChunk(stream[40:41]) + httpChunk(stream[41:]) + "0\r\nTrailer: x\r\n\r\n",
		"length":        fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-type:text/event-stream\r\ncontent-length:%d\r\n\r\n%s", len(stream), stream),
		"until closed":  "HTTP/1.0 200 OK\nContent-Type: text/event-stream\n\n" + stream,
		"unlabelled":    fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(goodSSE), goodSSE),
		"marked":        fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n\xef\xbb\xbf%s", len(goodSSE)+3, goodSSE),
		"in-stream":     sseHead + httpChunk(deltaEvent(`{"content":"A"}`)+event(`{"error":{"message":"context length","type":"t","code":"400"}}`)) + lastChunk,
		"bare error":    sseHead + httpChunk("{\n \"error\": {\"message\": \"m\"}\n}\n") + lastChunk,
		"bare answer":   sseHead + httpChunk("{\"choices\":[{\"message\":{\"content\":\"AB\"},\"finish_reason\":\"stop\"}]}") + lastChunk,
		"whole":         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 72\r\n\r\n{\"choices\":[{\"message\":{\"content\":\"AB\"},\"finish_reason\":\"stop\"}],\"x\":123}",
		"http error":    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 4\r\n\r\nslow",
		"broken chunk":  sseHead + httpChunk(deltaEvent(`{"content":"A"}`)) + "zz\r\n",
		"no [DONE] cut": sseHead + httpChunk(deltaEvent(`{"content":"A"}`)+stopDelta),
	}
}

// TestRecordsDoNotDependOnReadBoundaries cuts answers at every byte, and into random pieces.
func TestRecordsDoNotDependOnReadBoundaries(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for name, answer := range ownStreams() {
		client := newClient(t, Options{}, "http://h")
		whole := doScripted(client, chatRequest(), io.EOF, []byte(answer))
		want := recordOf(&whole)
		if strings.Contains(want, "bytes 0") {
			t.Errorf("%s: nothing was read: %s", name, want)
		}
		for cut := 1; cut < len(answer); cut++ {
			r := doScripted(client, chatRequest(), io.EOF, []byte(answer[:cut]), []byte(answer[cut:]))
			if got := recordOf(&r); got != want {
				t.Fatalf("%s cut at %d:\n got %s\nwant %s", name, cut, got, want)
			}
		}
		for range 200 {
			var pieces [][]byte
			for rest := answer; rest != ""; {
				n := 1 + random.IntN(min(len(rest), 60))
				pieces, rest = append(pieces, []byte(rest[:n])), rest[n:]
			}
			r := doScripted(client, chatRequest(), io.EOF, pieces...)
			if got := recordOf(&r); got != want {
				t.Fatalf("%s in %q:\n got %s\nwant %s", name, pieces, got, want)
			}
		}
	}
}

// TestEveryPrefixOfAnAnswerHasOneOutcome closes the connection after each byte.
func TestEveryPrefixOfAnAnswerHasOneOutcome(t *testing.T) {
	for name, answer := range ownStreams() {
		client := newClient(t, Options{}, "http://h")
		for cut := range len(answer) {
			r := doScripted(client, chatRequest(), io.EOF, []byte(answer[:cut]))
			if r.Outcome == "" || r.EndNs == Unset || (r.Outcome != OutcomeOK) != (r.Err != nil) {
				t.Fatalf("%s closed after %d bytes: %s", name, cut, describeResult(&r))
			}
			if cut == 0 && (r.Resends != 0 || r.Err.Type != "ServerDisconnectedError") {
				t.Fatalf("%s: %s", name, describeResult(&r))
			}
		}
	}
}
