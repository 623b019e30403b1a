package wire

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// peer is one connection as a test's server sees it.
type peer struct {
	net.Conn
	in     *bufio.Reader
	number int // of the connection, from 0
	head   string
	body   []byte
}

// testServer listens on loopback and gives each connection to serve.
type testServer struct {
	listener net.Listener
	url      string
	wait     sync.WaitGroup
	mu       sync.Mutex
	open     map[net.Conn]bool
	accepted int
}

func newServer(t testing.TB, serve func(p *peer)) *testServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, listener, serve)
}

func serveOn(t testing.TB, listener net.Listener, serve func(p *peer)) *testServer {
	t.Helper()
	s := &testServer{listener: listener, url: "http://" + listener.Addr().String(), open: map[net.Conn]bool{}}
	s.wait.Add(1)
	go func() {
		defer s.wait.Done()
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			number := s.accepted
			s.accepted++
			s.open[c] = true
			s.mu.Unlock()
			s.wait.Add(1)
			go func() {
				defer s.wait.Done()
				serve(&peer{Conn: c, in: bufio.NewReader(c), number: number})
				c.Close()
				s.mu.Lock()
				delete(s.open, c)
				s.mu.Unlock()
			}()
		}
	}()
	t.Cleanup(s.close)
	return s
}

func (s *testServer) close() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.wait.Wait()
}

func (s *testServer) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// request reads one request; false where the connection ended.
func (p *peer) request() bool {
	if !p.readHead() {
		return false
	}
	p.body = make([]byte, p.contentLength())
	_, err := io.ReadFull(p.in, p.body)
	return err == nil
}

func (p *peer) readHead() bool {
	var head strings.Builder
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return false
		}
		head.WriteString(line)
		if line == "\r\n" {
			p.head = head.String()
			return true
		}
	}
}

func (p *peer) header(name string) string {
	for _, line := range strings.Split(p.head, "\r\n") {
		if key, value, found := strings.Cut(line, ":"); found && strings.EqualFold(key, name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (p *peer) contentLength() int {
	n, _ := strconv.Atoi(p.header("Content-Length"))
	return n
}

func (p *peer) send(text string) { io.WriteString(p.Conn, text) }

// reset closes the connection with RST.
func (p *peer) reset() {
	if tcp, ok := p.Conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	p.Conn.Close()
}

func (p *peer) pause(d time.Duration) { time.Sleep(d) }

// drain reads until the client closes.
func (p *peer) drain() { io.Copy(io.Discard, p.in) }

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

func httpChunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

const lastChunk = "0\r\n\r\n"

func event(data string) string { return "data: " + data + "\n\n" }

const (
	roleDelta = "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
	stopDelta = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	usageTail = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"total_tokens\":11}}\n\n"
	doneEvent = "data: [DONE]\n\n"
	goodSSE   = roleDelta + "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\n" + "data: {\"choices\":[{\"delta\":{\"content\":\"B\"}}]}\n\n" + stopDelta + usageTail + doneEvent
)

func goodAnswer() string { return sseHead + httpChunk(goodSSE) + lastChunk }

// answering serves every request on every connection with the same bytes.
func answering(text string) func(p *peer) {
	return func(p *peer) {
		for p.request() {
			p.send(text)
		}
	}
}

func newClient(t testing.TB, options Options, urls ...string) *Client {
	t.Helper()
	options.URLs = urls
	client, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func chatRequest(texts ...string) *Request {
	r := &Request{RequestID: "req-1", SessionID: "session-1", Body: Body{Model: "m", Stream: true, MaxTokens: 8}}
	for _, text := range texts {
		r.Body.Messages = append(r.Body.Messages, message("user", text))
	}
	if texts == nil {
		r.Body.Messages = []Message{message("user", "hi")}
	}
	return r
}

// textOf shows the texts of all choices.
func textOf(r *Result) string {
	var out []string
	for _, c := range r.Choices {
		out = append(out, string(c.Text))
	}
	return strings.Join(out, "|")
}

func describeResult(r *Result) string {
	out := fmt.Sprintf("%s/%s status %d text %q", r.Outcome, r.Class, r.Status, textOf(r))
	if r.Err != nil {
		code := "null"
		if r.Err.Code != nil {
			code = strconv.Itoa(*r.Err.Code)
		}
		out += fmt.Sprintf(" error %s %s %q chain %v", code, r.Err.Type, r.Err.Message, r.Err.Chain)
	}
	return out
}

// waitFor waits until a thing is so.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	for range 1000 {
		if so() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("it did not come to be")
}
