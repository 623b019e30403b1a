package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
)

func TestHooksSeeTheExchangeAsItHappens(t *testing.T) {
	server := newServer(t, then(func(p *peer) {
		p.send(sseHead + httpChunk(roleDelta+deltaEvent(`{"reasoning":"r"}`)))
		p.pause(short)
		p.send(httpChunk(contentA+contentA+doneEvent) + lastChunk)
	}))
	client := newClient(t, Options{}, server.url)
	var log []string
	var batches [][]Chunk
	request := chatRequest()
	request.Hooks = Hooks{
		Written:      func(at, bytes int64) { log = append(log, fmt.Sprintf("written %d", bytes)) },
		FirstContent: func(at int64, class ChunkClass) { log = append(log, "first "+class.String()) },
		Chunks: func(batch []Chunk) {
			log = append(log, fmt.Sprintf("%d chunks", len(batch)))
			batches = append(batches, append([]Chunk(nil), batch...))
		},
	}
	r := client.Do(context.Background(), request)
	want := fmt.Sprintf("[written %d first reasoning 2 chunks 3 chunks]", r.SentBytes)
	if got := fmt.Sprint(log); got != want || r.Chunks != nil {
		t.Errorf("%s, want %s; %d chunks in the result", got, want, len(r.Chunks))
	}
	if batches[0][1].At != r.FirstTokenNs || batches[1][0].At != r.SecondTokenNs || batches[1][1].At != batches[1][0].At {
		t.Errorf("%v, first token %d, second %d", batches, r.FirstTokenNs, r.SecondTokenNs)
	}
}

func TestRunningUsageRidesOnItsChunk(t *testing.T) {
	usage := func(n int, delta string) string {
		return event(fmt.Sprintf(`{"choices":[{"index":0,"delta":%s}],"usage":{"prompt_tokens":5,"completion_tokens":%d,"total_tokens":%d}}`, delta, n, n+5))
	}
	server := newServer(t, answering(sseHead+httpChunk(usage(0, `{"role":"assistant","content":""}`)+usage(8, `{"content":"eight"}`)+usage(16, `{"content":"more"}`)+
		event(`{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`)+stopDelta+doneEvent)+lastChunk))
	client := newClient(t, Options{PerChunkUsage: true}, server.url)
	r := client.Do(context.Background(), chatRequest())
	var running []string
	for _, chunk := range r.Chunks {
		running = append(running, fmt.Sprintf("%s %d", chunk.Class, chunk.Completion))
	}
	if got, want := strings.Join(running, ", "), "role 0, text 8, text 16, other -1, other -1, done -1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r.FirstChunkTokens != 8 || r.Usage.Completion != 16 || r.Usage.CacheRead != Unset || r.Usage.Reasoning != Unset {
		t.Errorf("first chunk %d, usage %+v", r.FirstChunkTokens, r.Usage)
	}
}

func TestRawAnswerAndSocketLists(t *testing.T) {
	server := newServer(t, sends(sseHead, httpChunk(goodSSE[:50]), httpChunk(goodSSE[50:])+lastChunk))
	client := newClient(t, Options{Limits: Limits{BodyBytes: 100}}, server.url)
	request := chatRequest(strings.Repeat("x", 200000))
	request.KeepRaw, request.KeepReads = true, true
	r := client.Do(context.Background(), request)
	if string(r.RawHead) != sseHead || string(r.RawBody) != goodSSE[:100] || !r.RawCut || r.Outcome != OutcomeOK {
		t.Errorf("head %q, body %q, cut %v", r.RawHead, r.RawBody, r.RawCut)
	}
	sum := func(list []IO) (n int) {
		for i, io := range list {
			n += io.Bytes
			if i > 0 && io.At < list[i-1].At {
				t.Errorf("out of order: %v", list)
			}
		}
		return n
	}
	if len(r.WriteList) != r.Writes || len(r.ReadList) != r.Reads || sum(r.WriteList) <= 200000 || sum(r.ReadList) < len(sseHead+goodSSE) {
		t.Errorf("%d of %d writes, %d of %d reads", len(r.WriteList), r.Writes, len(r.ReadList), r.Reads)
	}
	if last := r.WriteList[len(r.WriteList)-1].At; last != r.WrittenNs && r.FirstByteNs >= last {
		t.Errorf("last write at %d, written at %d", last, r.WrittenNs)
	}
}

// TestTheBodyDigestIsOfTheSentBytes: a stream whose turns begin alike, over one digest.
func TestTheBodyDigestIsOfTheSentBytes(t *testing.T) {
	bodies := make(chan []byte, 1)
	server := newServer(t, func(p *peer) {
		for p.request() {
			bodies <- p.body
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{Extra: mustFields(t, "a:1")}, server.url)
	var digest StreamBody
	texts := []string{}
	for turn := range 6 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("turn %d, ", turn), 5000), "answer")
		if turn == 4 {
			texts = texts[:3] // a compaction: fewer messages stay
		}
		request := chatRequest(texts...)
		request.StreamBody = &digest
		request.Body.KeptMessages = len(texts)
		if turn == 3 {
			request.Body.KeptMessages = 3
		}
		r := client.Do(context.Background(), request)
		body := <-bodies
		if want := blake3.Sum256(body); !r.HasBodyDigest || r.BodyDigest != want || !bytes.Equal(body, AppendBody(nil, &Options{Extra: mustFields(t, "a:1")}, &request.Body)) {
			t.Errorf("turn %d: %x, want %x", turn, r.BodyDigest, want)
		}
	}
	if digest.digest.savedLength == 0 {
		t.Error("no state was saved")
	}
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	client := newClient(t, Options{}, "http://127.0.0.1:1")
	for name, change := range map[string]func(r *Request){
		"line break in an id": func(r *Request) { r.RequestID = "a\r\nX: y" },
		"header of framing":   func(r *Request) { r.Headers = []Header{{"Content-Length", "5"}} },
	} {
		request := chatRequest()
		change(request)
		r := client.Do(context.Background(), request)
		if r.Outcome != OutcomeError || r.Class != ClassRequest || r.SendStartNs != Unset || r.EndNs == Unset {
			t.Errorf("%s: %s", name, describeResult(&r))
		}
	}
}

// lying is a text with another length than it says.
type lying struct {
	Pieces
	more int64
}

func (l lying) Len() int64 { return l.Pieces.Len() + l.more }

// TestATextThatIsNotAsLongAsItSaid would break the framing of its request, and of what follows on the
// connection: the request fails, the connection is closed.
func TestATextThatIsNotAsLongAsItSaid(t *testing.T) {
	server := newServer(t, func(p *peer) {
		for p.request() {
			p.send(goodAnswer())
		}
	})
	h2, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	for _, url := range []string{server.url, h2} {
		for _, size := range []int{10, 200_000} {
			for _, more := range []int64{-3, 1} {
				options := Options{}
				if url == h2 {
					options.HTTP2 = true
				}
				client := newClient(t, options, url)
				request := chatRequest()
				request.Body.Messages[0].Content = lying{Pieces{bytes.Repeat([]byte("x"), size)}, more}
				r := client.Do(context.Background(), request)
				if r.Outcome != OutcomeError || r.Class != ClassRequest || r.EndNs == Unset {
					t.Errorf("%s, %d bytes and %d: %s", url, size, more, describeResult(&r))
				}
				if r := client.Do(context.Background(), chatRequest()); r.Reused {
					t.Errorf("%s, %d bytes and %d: the connection was used again", url, size, more)
				}
			}
		}
	}
}

func TestOptionsThatCannotWork(t *testing.T) {
	good := Options{URLs: []string{"http://h"}}
	for name, change := range map[string]func(o *Options){
		"no URL":           func(o *Options) { o.URLs = nil },
		"bad URL":          func(o *Options) { o.URLs = append(o.URLs, "ftp://h") },
		"bad path":         func(o *Options) { o.Path = textPointer("v1") },
		"reuse":            func(o *Options) { o.Reuse = "always" },
		"IP version":       func(o *Options) { o.IP = "5" },
		"limit":            func(o *Options) { o.MaxConns = -1 },
		"negative timeout": func(o *Options) { o.Timeouts.Idle = -1 },
		"header":           func(o *Options) { o.Headers = []Header{{"Connection", "close"}} },
		"session header":   func(o *Options) { o.SessionHeader = "a b" },
		"tree header":      func(o *Options) { o.Affinity.TreeHeader = "é" },
		"key":              func(o *Options) { o.APIKey = "sk-secret\n1" },
		"proxy":            func(o *Options) { o.Proxy = "ftp://p" },
		"h2c and proxy":    func(o *Options) { o.HTTP2, o.Proxy = true, "http://p" },
	} {
		options := good
		change(&options)
		if _, err := New(options); err == nil {
			t.Errorf("%s: taken", name)
		} else if strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v shows the key", name, err)
		}
	}
}
