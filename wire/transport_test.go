package wire

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// certificate gives a server's certificate and a file with the authority that signed it.
func certificate(t testing.TB) (tls.Certificate, string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return server.TLS.Certificates[0], file
}

func newTLSServer(t testing.TB, serve func(p *peer)) (s *testServer, caFile string) {
	t.Helper()
	cert, file := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = serveOn(t, tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{cert}}), serve)
	s.url = strings.Replace(s.url, "http:", "https:", 1)
	return s, file
}

func TestTLS(t *testing.T) {
	server, file := newTLSServer(t, answering(goodAnswer()))
	for name, options := range map[string]TLSOptions{"CA file": {CAFile: file}, "not verified": {SkipVerify: true}} {
		client := newClient(t, Options{TLS: options}, server.url)
		for i := range 3 {
			request := chatRequest(strings.Repeat("x", 300000))
			request.StreamBody = new(StreamBody)
			r := client.Do(context.Background(), request)
			if r.Outcome != OutcomeOK || textOf(&r) != "AB" || r.Reused != (i > 0) || (r.TLSNs == Unset) != (i > 0) {
				t.Errorf("%s: %s, reused %v, TLS %d", name, describeResult(&r), r.Reused, r.TLSNs)
			}
			if r.SendStartNs < r.StartNs || r.WrittenNs < r.SendStartNs || r.FirstByteNs < r.WrittenNs {
				t.Errorf("%s: start %d, send %d, written %d, first byte %d", name, r.StartNs, r.SendStartNs, r.WrittenNs, r.FirstByteNs)
			}
		}
	}
	client := newClient(t, Options{}, server.url)
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeError || r.Err.Type != "ClientConnectorCertificateError" {
		t.Errorf("an unknown authority is trusted: %s", describeResult(&r))
	}
}

func TestTLSFailures(t *testing.T) {
	plain := newServer(t, func(p *peer) { p.in.Peek(1); p.send("HTTP/1.1 400 Bad Request\r\n\r\n") })
	client := newClient(t, Options{TLS: TLSOptions{SkipVerify: true}}, strings.Replace(plain.url, "http:", "https:", 1))
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeError || r.Err.Type != "ClientConnectorSSLError" {
		t.Errorf("TLS to a plain server: %s", describeResult(&r))
	}
	if _, err := New(Options{URLs: []string{"https://h"}, TLS: TLSOptions{CAFile: filepath.Join(t.TempDir(), "none.pem")}}); err == nil {
		t.Error("a missing CA file is taken")
	}
}

// TestTLSEarlyAnswer: the look for an answer works under TLS too, session tickets are not taken for one.
func TestTLSEarlyAnswer(t *testing.T) {
	server, file := newTLSServer(t, func(p *peer) {
		p.readHead()
		p.pause(3 * stall)
		p.in.Discard(1 << 20)
		p.pause(3 * stall)
		p.send(tooLarge)
		p.pause(5 * stall)
	})
	client := newClient(t, Options{TLS: TLSOptions{CAFile: file}}, server.url)
	r := client.Do(context.Background(), chatRequest(strings.Repeat("x", bigRequest)))
	if r.Outcome != OutcomeOverflow || r.Status != 413 || !r.Early {
		t.Errorf("%s, early %v", describeResult(&r), r.Early)
	}
}

func TestTLSIdleConnectionClosedByTheServer(t *testing.T) {
	server, file := newTLSServer(t, func(p *peer) {
		if p.request() {
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{TLS: TLSOptions{CAFile: file}}, server.url)
	for range 3 {
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK {
			t.Error(describeResult(&r))
		}
		waitFor(t, func() bool { server.mu.Lock(); defer server.mu.Unlock(); return len(server.open) == 0 })
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	hosts := make(chan string, 2)
	serveOn(t, listener, func(p *peer) {
		for p.request() {
			hosts <- p.header("Host")
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{}, "unix://"+path)
	for range 2 {
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK || <-hosts != "localhost" {
			t.Error(describeResult(&r))
		}
	}
}

func TestIPv6(t *testing.T) {
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	server := serveOn(t, listener, answering(goodAnswer()))
	client := newClient(t, Options{}, server.url)
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK || !strings.HasPrefix(r.RemoteAddr, "[::1]:") {
		t.Error(describeResult(&r))
	}
	client = newClient(t, Options{IP: IPv4}, server.url)
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeError || !strings.Contains(r.Err.Message, "IP version 4") {
		t.Error(describeResult(&r))
	}
}

func TestNamesAreLookedUpOnce(t *testing.T) {
	server := newServer(t, answering(goodAnswer()))
	_, port, _ := net.SplitHostPort(server.listener.Addr().String())
	client := newClient(t, Options{Reuse: ReuseNever}, "http://localhost:"+port)
	for i := range 3 {
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeOK {
			t.Skip("localhost is not known here: ", describeResult(&r))
		}
		if (r.DNSNs == Unset) != (i > 0) || r.ConnectNs == Unset {
			t.Errorf("request %d: look-up %d, connect %d", i, r.DNSNs, r.ConnectNs)
		}
	}
}

func TestConnectionFailures(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	listener.Close()
	client := newClient(t, Options{}, closed)
	r := client.Do(context.Background(), chatRequest())
	if r.Outcome != OutcomeError || r.Err.Type != "ClientConnectorError" || r.Err.Code != nil || r.Err.Chain[len(r.Err.Chain)-1] != "ConnectionRefusedError" || r.Status != 0 || r.EndNs == Unset {
		t.Errorf("refused: %s", describeResult(&r))
	}
	client = newClient(t, Options{}, "http://no-such-host.invalid")
	r = client.Do(context.Background(), chatRequest())
	if r.Outcome != OutcomeError || r.Err.Type != "ClientConnectorDNSError" && r.Err.Type != "ConnectionTimeoutError" {
		t.Errorf("unknown name: %s", describeResult(&r))
	}
}

// proxyServer speaks both forms of proxying, and notes the requests that it got.
func proxyServer(t *testing.T, seen chan string) *testServer {
	return newServer(t, func(p *peer) {
		if !p.readHead() {
			return
		}
		line, _, _ := strings.Cut(p.head, "\r\n")
		seen <- line + " " + p.header("Proxy-Authorization")
		method, target, _ := strings.Cut(line, " ")
		target, _, _ = strings.Cut(target, " ")
		if method != "CONNECT" {
			io.ReadFull(p.in, make([]byte, p.contentLength()))
			p.send(goodAnswer())
			return
		}
		upstream, err := net.Dial("tcp", target)
		if err != nil {
			p.send("HTTP/1.1 502 Bad Gateway\r\n\r\n")
			return
		}
		defer upstream.Close()
		p.send("HTTP/1.1 200 Connection established\r\n\r\n")
		done := make(chan struct{})
		go func() { io.Copy(p.Conn, upstream); p.Conn.Close(); close(done) }()
		io.Copy(upstream, p.in)
		upstream.Close()
		<-done
	})
}

func TestProxies(t *testing.T) {
	seen := make(chan string, 4)
	proxy := proxyServer(t, seen)
	behind := strings.Replace(proxy.url, "http://", "http://user:pass1234@", 1)
	client := newClient(t, Options{Proxy: behind}, "http://models.internal:81/v1")
	if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK {
		t.Error(describeResult(&r))
	}
	if got, want := <-seen, "POST http://models.internal:81/v1/chat/completions HTTP/1.1 Basic dXNlcjpwYXNzMTIzNA=="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	server, file := newTLSServer(t, answering(goodAnswer()))
	client = newClient(t, Options{Proxy: behind, TLS: TLSOptions{CAFile: file}}, server.url)
	for range 2 {
		if r := client.Do(context.Background(), chatRequest()); r.Outcome != OutcomeOK {
			t.Error(describeResult(&r))
		}
	}
	if got, want := <-seen, "CONNECT "+server.listener.Addr().String()+" HTTP/1.1 Basic dXNlcjpwYXNzMTIzNA=="; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	client = newClient(t, Options{Proxy: behind}, "https://127.0.0.1:1")
	if r := client.Do(context.Background(), chatRequest()); r.Err == nil || r.Err.Type != "ClientProxyConnectionError" || strings.Contains(r.Err.Message, "pass1234") {
		t.Error(describeResult(&r))
	}
}

func TestProxyFromTheEnvironmentOnRequestOnly(t *testing.T) {
	seen := make(chan string, 4)
	proxy := proxyServer(t, seen)
	t.Setenv("HTTP_PROXY", proxy.url)
	t.Setenv("NO_PROXY", "skipped.internal")
	for _, c := range []struct{ setting, url, want string }{
		{"", "http://models.internal", ""}, {"environment", "http://models.internal", proxy.url}, {"environment", "http://skipped.internal", ""},
	} {
		endpoint, _ := ParseEndpoint(c.url, nil)
		got, err := proxyFor(c.setting, &endpoint)
		if text := ""; err != nil || got != nil && got.String() != c.want || got == nil && c.want != text {
			t.Errorf("%q %s: %v, %v", c.setting, c.url, got, err)
		}
	}
	if _, err := New(Options{URLs: []string{"http://h"}, Proxy: "socks5://u:pw123456@p"}); err == nil || strings.Contains(err.Error(), "pw123456") {
		t.Errorf("error %v", err)
	}
}

// TestNoSecretInAnyErrorText: the server and the proxy echo what they got.
func TestNoSecretInAnyErrorText(t *testing.T) {
	const key, token = "sk-TEST-0123456789abcdef", "topsecret-42"
	server := newServer(t, func(p *peer) {
		for p.request() {
			body := `{"error":{"message":"Incorrect API key provided: ` + p.header("Authorization") + " " + p.header("X-Custom-Token") + `"}}`
			if p.header("X-Request-ID") == "stream" {
				p.send(sseHead + httpChunk(event(body)) + lastChunk)
				continue
			}
			p.send("HTTP/1.1 401 " + key + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
		}
	})
	client := newClient(t, Options{APIKey: key, Headers: []Header{{"X-Custom-Token", token}}}, server.url)
	for _, id := range []string{"plain", "stream"} {
		request := chatRequest()
		request.RequestID = id
		r := client.Do(context.Background(), request)
		shown := describeResult(&r) + r.Reason + string(r.FailedBody) + r.Err.Cause
		if strings.Contains(shown, key) || strings.Contains(shown, token) || !strings.Contains(shown, Masked) || r.Outcome != OutcomeError {
			t.Errorf("%s: %s", id, shown)
		}
	}
}
