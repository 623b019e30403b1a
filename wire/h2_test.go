package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zeebo/blake3"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// netHTTPServer serves HTTP/2 with net/http, over TLS or with prior knowledge.
func netHTTPServer(t *testing.T, secure bool, handler http.HandlerFunc) (url, caFile string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, Protocols: new(http.Protocols)}
	url = "http://" + listener.Addr().String()
	done := make(chan struct{})
	if secure {
		cert, file := certificate(t)
		server.Protocols.SetHTTP2(true)
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
		url, caFile = "https://"+listener.Addr().String(), file
		go func() { server.ServeTLS(listener, "", ""); close(done) }()
	} else {
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetUnencryptedHTTP2(true)
		go func() { server.Serve(listener); close(done) }()
	}
	t.Cleanup(func() { server.Close(); <-done })
	return url, caFile
}

// TestHTTP2WithNetHTTPAsServer: what arrives is what was sent, and what comes back is what was answered,
// at sizes below and above the flow control windows, over TLS and without.
func TestHTTP2WithNetHTTPAsServer(t *testing.T) {
	for _, secure := range []bool{false, true} {
		url, file := netHTTPServer(t, secure, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			digest := blake3.Sum256(body)
			w.Header().Set("Content-Type", "text/event-stream")
			text := fmt.Sprintf("%x %s %s %s %d", digest, r.Proto, r.URL.Path, r.Header.Get("X-Request-Id"), r.ContentLength)
			io.WriteString(w, roleDelta)
			w.(http.Flusher).Flush()
			io.WriteString(w, deltaEvent(`{"content":"`+text+`"}`)+stopDelta+usageTail+doneEvent)
		})
		client := newClient(t, Options{HTTP2: true, TLS: TLSOptions{CAFile: file}}, url)
		for i, size := range []int{10, 1 << 10, 300 << 10, 5 << 20, 100} {
			request := chatRequest(strings.Repeat("0123456789", size/10))
			request.StreamBody = new(StreamBody)
			request.KeepRaw = true
			r := client.Do(context.Background(), request)
			want := fmt.Sprintf("%x HTTP/2.0 /v1/chat/completions req-1 %d", r.BodyDigest, r.SentBytes)
			if r.Outcome != OutcomeOK || r.Class != "" || textOf(&r) != want || r.Protocol != "HTTP/2.0" || r.Reused != (i > 0) {
				t.Fatalf("TLS %v, %d bytes: %s, want %q, reused %v", secure, size, describeResult(&r), want, r.Reused)
			}
			if r.WrittenNs < r.SendStartNs || r.FirstByteNs < r.WrittenNs || r.FirstTokenNs < r.FirstBodyNs || r.EndNs < r.LastTokenNs || !bytes.HasPrefix(r.RawHead, []byte("HTTP/2.0 200\r\n")) {
				t.Errorf("TLS %v: stamps %d %d %d %d %d %d, head %q", secure, r.SendStartNs, r.WrittenNs, r.FirstByteNs, r.FirstBodyNs, r.FirstTokenNs, r.EndNs, r.RawHead)
			}
		}
	}
}

// TestHTTP2SaysWhatHTTP1Says plays the same answers over both and compares the records.
func TestHTTP2SaysWhatHTTP1Says(t *testing.T) {
	for name, stream := range map[string]string{"good": goodSSE, "cut": contentA, "error": contentA + event(`{"error":{"message":"context length","type":"t"}}`), "empty": "", "tool": deltaEvent(`{"tool_calls":[{"function":{"name":"f"}}]}`) + stopDelta} {
		for _, status := range []int{200, 400, 503} {
			url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(status)
				io.WriteString(w, stream)
			})
			second := newClient(t, Options{HTTP2: true}, url)
			length := fmt.Sprintf("Content-Length: %d\r\n", len(stream))
			server := newServer(t, answering(fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: text/event-stream\r\n%s\r\n%s", status, http.StatusText(status), length, stream)))
			first := newClient(t, Options{}, server.url)
			a, b := first.Do(context.Background(), chatRequest()), second.Do(context.Background(), chatRequest())
			a.Reason, b.Reason = "", ""
			if recordOf(&a) != recordOf(&b) {
				t.Errorf("%s %d:\nHTTP/1.1 %s\nHTTP/2   %s", name, status, recordOf(&a), recordOf(&b))
			}
		}
	}
}

func TestHTTP2ManyLanes(t *testing.T) {
	url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, goodSSE)
	})
	client := newClient(t, Options{HTTP2: true}, url)
	var wait sync.WaitGroup
	for range 8 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for range 20 {
				if r := client.Do(context.Background(), chatRequest(strings.Repeat("x", 100000))); r.Outcome != OutcomeOK {
					t.Error(describeResult(&r))
				}
			}
		}()
	}
	wait.Wait()
	if stats := client.Stats(); stats.Opened > 8 || stats.Reused < 152 {
		t.Errorf("%+v", stats)
	}
}

// h2peer is an HTTP/2 connection as a test's server sees it.
type h2peer struct {
	*peer
	framer *http2.Framer
	packer *hpack.Encoder
	block  bytes.Buffer
	stream uint32
}

// servingH2 greets, then reads requests whole and lets answer deal with each.
func servingH2(settings []http2.Setting, answer func(p *h2peer)) func(p *peer) {
	return func(c *peer) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c.in, preface); err != nil || string(preface) != http2.ClientPreface {
			return
		}
		p := &h2peer{peer: c, framer: http2.NewFramer(c.Conn, c.in)}
		p.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		p.packer = hpack.NewEncoder(&p.block)
		p.framer.WriteSettings(settings...)
		for p.requestH2() {
			answer(p)
		}
	}
}

// requestH2 reads to the end of a request; with a window of 0 it stops at its head.
func (p *h2peer) requestH2() bool {
	for {
		frame, err := p.framer.ReadFrame()
		if err != nil {
			return false
		}
		switch f := frame.(type) {
		case *http2.MetaHeadersFrame:
			p.stream = f.StreamID
			if f.PseudoValue("path") == "/head/v1/chat/completions" {
				return true
			}
		case *http2.DataFrame:
			if n := uint32(len(f.Data())); n > 0 {
				p.framer.WriteWindowUpdate(0, n)
				p.framer.WriteWindowUpdate(p.stream, n)
			}
			if f.StreamEnded() {
				return true
			}
		case *http2.SettingsFrame:
			if !f.IsAck() {
				p.framer.WriteSettingsAck()
			}
		}
	}
}

func (p *h2peer) headers(end bool, fields ...string) {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.packer.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: p.block.Bytes(), EndStream: end, EndHeaders: true})
}

func (p *h2peer) ok() { p.headers(false, ":status", "200", "content-type", "text/event-stream") }

func (p *h2peer) data(end bool, text string) { p.framer.WriteData(p.stream, end, []byte(text)) }

// h2Case is one way in which an HTTP/2 server behaves, and the one outcome that it must give.
type h2Case struct {
	name     string
	settings []http2.Setting
	answer   func(p *h2peer)
	path     string
	body     int
	want     string
	text     string
}

func h2Cases() []h2Case {
	window := func(n uint32) []http2.Setting {
		return []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: n}}
	}
	return []h2Case{
		{name: "good", answer: func(p *h2peer) { p.ok(); p.data(true, goodSSE) }, want: "ok/", text: "AB"},
		{name: "interim heads and trailers", answer: func(p *h2peer) {
			p.headers(false, ":status", "103", "link", "x")
			p.ok()
			p.data(false, goodSSE)
			p.headers(true, "x-trailer", "1")
		}, want: "ok/", text: "AB"},
		{name: "padding, empty frames, ping, settings, unknown frames", answer: func(p *h2peer) {
			p.framer.WritePing(false, [8]byte{1})
			p.ok()
			p.framer.WriteRawFrame(0xfa, 0, p.stream, []byte("unknown"))
			p.data(false, "")
			p.framer.WriteDataPadded(p.stream, false, []byte(goodSSE), make([]byte, 200))
			p.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 5})
			p.framer.WriteDataPadded(p.stream, true, nil, make([]byte, 3))
		}, want: "ok/", text: "AB"},
		{name: "head in many frames", answer: func(p *h2peer) {
			p.block.Reset()
			for _, f := range [][2]string{{":status", "200"}, {"content-type", "text/event-stream"}, {"x-long", strings.Repeat("y", 3000)}} {
				p.packer.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
			}
			block := p.block.Bytes()
			p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: block[:10]})
			p.framer.WriteContinuation(p.stream, false, block[10:500])
			p.framer.WriteContinuation(p.stream, true, block[500:])
			p.data(true, goodSSE)
		}, want: "ok/", text: "AB"},
		{name: "small windows", settings: window(1000), answer: func(p *h2peer) { p.ok(); p.data(true, goodSSE) }, body: 50000, want: "ok/", text: "AB"},
		{name: "window opened by settings", settings: window(0), path: "/head", answer: func(p *h2peer) {
			p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 60000})
			for {
				f, err := p.framer.ReadFrame()
				if d, is := f.(*http2.DataFrame); err != nil || is && d.StreamEnded() {
					break
				}
			}
			p.ok()
			p.data(true, goodSSE)
		}, body: 50000, want: "ok/", text: "AB"},
		{name: "413 while the window is closed", settings: window(0), path: "/head", answer: func(p *h2peer) {
			p.headers(false, ":status", "413")
			p.data(true, "prompt is too long")
		}, body: 50000, want: "overflow/http Request Entity Too Large"},
		{name: "answer without a body", answer: func(p *h2peer) { p.headers(true, ":status", "503") }, want: "error/http Service Unavailable"},
		{name: "reset before the answer", answer: func(p *h2peer) { p.framer.WriteRSTStream(p.stream, http2.ErrCodeInternal) }, want: "error/transport ClientOSError HTTP2StreamReset"},
		{name: "stream refused", answer: func(p *h2peer) { p.framer.WriteRSTStream(p.stream, http2.ErrCodeRefusedStream) }, want: "error/transport ClientOSError HTTP2StreamReset"},
		{name: "reset within the answer", answer: func(p *h2peer) {
			p.ok()
			p.data(false, contentA)
			p.framer.WriteRSTStream(p.stream, http2.ErrCodeCancel)
		}, want: "error/transport ClientPayloadError HTTP2StreamReset", text: "A"},
		{name: "reset after [DONE]", answer: func(p *h2peer) { p.ok(); p.data(false, goodSSE); p.framer.WriteRSTStream(p.stream, http2.ErrCodeNo) }, want: "ok/", text: "AB"},
		{name: "goaway on a new connection", answer: func(p *h2peer) { p.framer.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("too many")) }, want: "error/transport ClientOSError HTTP2GoAway"},
		{name: "goaway that lets the stream end", answer: func(p *h2peer) {
			p.framer.WriteGoAway(p.stream, http2.ErrCodeNo, nil)
			p.ok()
			p.data(true, goodSSE)
		}, want: "ok/", text: "AB"},
		{name: "closed before the answer", answer: func(p *h2peer) { p.Close() }, want: "error/transport ServerDisconnectedError EOFError"},
		{name: "closed within a frame", answer: func(p *h2peer) {
			p.ok()
			p.data(false, contentA)
			p.send("\x00\x10\x00\x00\x00\x00\x00\x00\x01data: ")
			p.Close()
		}, want: "error/transport ClientPayloadError HTTP2StreamCut", text: "A"},
		{name: "closed between frames", answer: func(p *h2peer) { p.ok(); p.data(false, contentA); p.Close() }, want: "error/transport ClientPayloadError HTTP2StreamCut", text: "A"},
		{name: "wrong length", answer: func(p *h2peer) {
			p.headers(false, ":status", "200", "content-type", "text/event-stream", "content-length", "5000")
			p.data(true, contentA)
		}, want: "error/transport ClientPayloadError ContentLengthError", text: "A"},
		{name: "data before the head", answer: func(p *h2peer) { p.data(false, contentA) }, want: "error/transport ClientOSError HTTP2ProtocolError"},
		{name: "data on another stream", answer: func(p *h2peer) { p.ok(); p.framer.WriteData(77, false, []byte("x")) }, want: "error/transport ClientPayloadError HTTP2ProtocolError"},
		{name: "frame too large", answer: func(p *h2peer) { p.ok(); p.send("\xff\xff\xff\x00\x00\x00\x00\x00\x01") }, want: "error/transport ClientPayloadError HTTP2ProtocolError"},
		{name: "padding too long", answer: func(p *h2peer) { p.ok(); p.send("\x00\x00\x03\x00\x08\x00\x00\x00\x01\x09xy") }, want: "error/transport ClientPayloadError HTTP2ProtocolError"},
		{name: "head without status", answer: func(p *h2peer) { p.headers(false, "content-type", "x") }, want: "error/transport ClientResponseError BadStatusLine"},
		{name: "head with a bad name", answer: func(p *h2peer) { p.headers(false, ":status", "200", "Bad Name", "x") }, want: "error/transport ClientOSError HTTP2ProtocolError"},
		{name: "head too long", answer: func(p *h2peer) {
			for range 40 {
				p.headers(false, ":status", "103", "x", strings.Repeat("y", 3000))
			}
			p.ok()
			p.data(true, goodSSE)
		}, want: "ok/", text: "AB"},
		{name: "broken header block", answer: func(p *h2peer) { p.send("\x00\x00\x03\x01\x04\x00\x00\x00\x01\xff\xff\xff") }, want: "error/transport ClientOSError HTTP2ProtocolError"},
		{name: "push", answer: func(p *h2peer) {
			p.send("\x00\x00\x05\x05\x04\x00\x00\x00\x01\x00\x00\x00\x02\x88")
		}, want: "error/transport ClientOSError HTTP2ProtocolError"},
		{name: "error body without end", answer: func(p *h2peer) {
			p.headers(false, ":status", "500")
			for p.framer.WriteData(p.stream, false, make([]byte, 16<<10)) == nil { // whatever the window is
			}
		}, want: "error/http Internal Server Error"},
		{name: "flood of pings", answer: func(p *h2peer) {
			p.ok()
			for range 5000 {
				p.framer.WritePing(false, [8]byte{})
			}
			p.data(true, goodSSE)
		}, want: "ok/", text: "AB"},
	}
}

// TestHTTP2Servers: each behaviour gives one outcome, and leaves no goroutine.
func TestHTTP2Servers(t *testing.T) {
	for _, c := range h2Cases() {
		t.Run(c.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			server := newServer(t, servingH2(c.settings, c.answer))
			client, err := New(Options{HTTP2: true, URLs: []string{server.url + c.path}, Timeouts: Timeouts{Request: 10 * time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			r := client.Do(context.Background(), chatRequest(strings.Repeat("x", c.body)))
			got := fmt.Sprintf("%s/%s", r.Outcome, r.Class)
			if r.Err != nil {
				got += " " + r.Err.Type
				if n := len(r.Err.Chain); n > 0 {
					got += " " + r.Err.Chain[n-1]
				}
			}
			if got != c.want || c.text != "" && textOf(&r) != c.text {
				t.Errorf("%s, want %s %q; %s", got, c.want, c.text, describeResult(&r))
			}
			if r.EndNs < r.StartNs || r.Resends != 0 {
				t.Errorf("start %d, end %d, resends %d", r.StartNs, r.EndNs, r.Resends)
			}
			client.Close()
			server.close()
			waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// TestHTTP2ConnectionsEndQuietly: a connection that the server retires while it lies idle is not used,
// and one that it retires under a request is replaced once.
func TestHTTP2ConnectionsEndQuietly(t *testing.T) {
	server := newServer(t, servingH2(nil, func(p *h2peer) {
		switch {
		case p.number == 1 && p.stream == 1, p.number != 1:
			p.ok()
			p.data(true, goodSSE)
			if p.number == 0 {
				p.framer.WriteGoAway(p.stream, http2.ErrCodeNo, nil)
			}
		default: // the second request of the second connection
			p.framer.WriteGoAway(1, http2.ErrCodeNo, nil)
		}
	}))
	client := newClient(t, Options{HTTP2: true}, server.url)
	for i, want := range []string{"0 false", "0 false", "1 false", "0 true"} {
		r := client.Do(context.Background(), chatRequest())
		if got := fmt.Sprintf("%d %v", r.Resends, r.Reused); got != want || r.Outcome != OutcomeOK {
			t.Errorf("request %d: resends and reuse %s, want %s; %s", i, got, want, describeResult(&r))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestHTTP2IsRefusedByHTTP1Servers(t *testing.T) {
	server := newServer(t, func(p *peer) { p.in.Peek(1); p.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") })
	client := newClient(t, Options{HTTP2: true}, server.url)
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeError || r.Err.Type != "ClientConnectorError" || !strings.Contains(r.Err.Message, "HTTP/1") {
		t.Error(describeResult(&r))
	}
	secure, file := newTLSServer(t, answering(goodAnswer()))
	client = newClient(t, Options{HTTP2: true, TLS: TLSOptions{CAFile: file}}, secure.url)
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeError || !strings.HasPrefix(r.Err.Type, "ClientConnector") {
		t.Error(describeResult(&r))
	}
}

// TestHTTP2EventInsideAFrameIsStampedOnArrival: two events in one DATA frame, a tenth of a second apart.
func TestHTTP2EventInsideAFrameIsStampedOnArrival(t *testing.T) {
	second := "data: {\"choices\":[{\"delta\":{\"content\":\"B\"}}]}\n\n" + doneEvent
	server := newServer(t, servingH2(nil, func(p *h2peer) {
		p.ok()
		n := len(contentA + second)
		p.send(string([]byte{0, byte(n >> 8), byte(n), 0, 1, 0, 0, 0, byte(p.stream)}) + contentA)
		p.pause(100 * time.Millisecond)
		p.send(second)
	}))
	client := newClient(t, Options{HTTP2: true}, server.url)
	r := client.Do(context.Background(), chatRequest())
	if apart := r.SecondTokenNs - r.FirstTokenNs; r.Outcome != OutcomeOK || apart < int64(80*time.Millisecond) {
		t.Errorf("%s, %v apart", describeResult(&r), time.Duration(apart))
	}
}

func TestHTTP2Cancellation(t *testing.T) {
	cancelled := make(chan bool, 1)
	url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, contentA)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			cancelled <- true
		case <-time.After(10 * time.Second):
			cancelled <- false
		}
	})
	client := newClient(t, Options{HTTP2: true}, url)
	ctx, cancel := context.WithCancel(context.Background())
	request := chatRequest()
	request.Hooks.FirstContent = func(int64, ChunkClass) { cancel() }
	r := client.Do(ctx, request)
	if r.Outcome != OutcomeCancelled || textOf(&r) != "A" || !<-cancelled {
		t.Error(describeResult(&r))
	}
}
