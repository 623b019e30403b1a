package wire

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"
)

// TestBodiesArriveAtEveryBoundary: what a server reads has the length and the digest that the client gives,
// for bodies around the sizes of digest blocks (8 KiB), write buffers (64 KiB) and flow control windows
// (65,535 bytes), in pieces of every kind, on every protocol, with a digest that goes on from turn to turn.
func TestBodiesArriveAtEveryBoundary(t *testing.T) {
	for _, protocol := range []string{"h1", "h2", "h2 over TLS"} {
		t.Run(protocol, func(t *testing.T) {
			var options Options
			var url string
			switch protocol {
			case "h1":
				url = plainServer(t, seen)
			default:
				url, options.TLS.CAFile = netHTTPServer(t, protocol != "h2", seen)
				options.HTTP2 = true
			}
			client, random := newClient(t, options, url), rand.New(rand.NewPCG(3, 4))
			for _, boundary := range []int{8 << 10, 64 << 10, 65535, 72 << 10, 128 << 10, 1<<20 + 65535} {
				digest, kept := &StreamBody{}, Pieces{[]byte(strings.Repeat("y", boundary/3))}
				overhead := bodyLength(t, client, digest, kept, nil)
				for off := -2; off <= 2; off++ {
					text := inPieces(random, strings.Repeat("x", boundary+off-overhead))
					if got := bodyLength(t, client, digest, kept, text); got != boundary+off {
						t.Errorf("a body of %d bytes, want %d", got, boundary+off)
					}
				}
				if want := int64(boundary/3) / digestBlock * digestBlock; digest.digest.savedLength < want {
					t.Errorf("%d bytes: the digest goes on from %d, want %d", boundary, digest.digest.savedLength, want)
				}
			}
		})
	}
}

// seen answers what it read: the body's digest, its length, and the length that was announced.
func seen(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	text := fmt.Sprintf("%x %d %d", blake3.Sum256(body), len(body), r.ContentLength)
	io.WriteString(w, deltaEvent(`{"content":"`+text+`"}`)+stopDelta+usageTail+doneEvent)
}

// bodyLength sends a request and compares what arrived; it is the body's length.
func bodyLength(t *testing.T, client *Client, digest *StreamBody, kept, pieces Pieces) int {
	t.Helper()
	request := chatRequest()
	request.StreamBody = digest
	request.Body.Messages = []Message{{Role: "system", Content: kept}, {Role: "user", Content: pieces}}
	request.Body.KeptMessages = 1
	r := client.Do(t.Context(), request)
	if r.Outcome != OutcomeOK || len(r.Choices) == 0 {
		t.Fatalf("%d pieces: %s", len(pieces), describeResult(&r))
	}
	if want := fmt.Sprintf("%x %d %[2]d", r.BodyDigest, r.SentBytes); string(r.Choices[0].Text) != want {
		t.Fatalf("the server read %s, the client sent %s", r.Choices[0].Text, want)
	}
	return int(r.SentBytes)
}

// inPieces cuts a text at random, with empty pieces between.
func inPieces(random *rand.Rand, text string) Pieces {
	var out Pieces
	most := []int{7, 300, 70000, 1 << 21}[random.IntN(4)]
	for text != "" {
		n := min(len(text), random.IntN(most)+random.IntN(2))
		out, text = append(out, []byte(text[:n])), text[n:]
	}
	return out
}

func plainServer(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, done := &http.Server{Handler: handler}, make(chan struct{})
	go func() { server.Serve(listener); close(done) }()
	t.Cleanup(func() { server.Close(); <-done })
	return "http://" + listener.Addr().String()
}

// TestAKeptBodyArrivesWholeAtASlowReader: the writes of kept blocks stall in their middle, more than once.
func TestAKeptBodyArrivesWholeAtASlowReader(t *testing.T) {
	url := plainServer(t, func(w http.ResponseWriter, r *http.Request) {
		r.Body = &pausing{r.Body, 3}
		seen(w, r)
	})
	client := newClient(t, Options{}, url)
	stream, kept := &StreamBody{}, make([]byte, 11<<20)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range kept {
		kept[i] = byte('a' + random.IntN(26))
	}
	for range 3 {
		if got := bodyLength(t, client, stream, Pieces{kept}, Pieces{[]byte("tail")}); got < len(kept) {
			t.Errorf("a body of %d bytes", got)
		}
	}
	if stream.text.length < int64(len(kept)) {
		t.Errorf("%d bytes are kept: nothing went out as it lies", stream.text.length)
	}
}

// pausing begins its first reads after longer than a write may stall.
type pausing struct {
	io.ReadCloser
	pauses int
}

func (p *pausing) Read(buffer []byte) (int, error) {
	if p.pauses > 0 {
		p.pauses--
		time.Sleep(stall + 20*time.Millisecond)
	}
	return p.ReadCloser.Read(buffer)
}
