package wire

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFetch(t *testing.T) {
	seen := make(chan string, 4)
	server := newServer(t, func(p *peer) {
		for p.request() {
			line, _, _ := strings.Cut(p.head, "\r\n")
			seen <- line + "|" + p.header("Authorization") + "|" + p.header("X-A") + "|" + string(p.body)
			p.send("HTTP/1.1 404 Not Found\r\nServer: s\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	client := newClient(t, Options{APIKey: "sk-0123456", Headers: []Header{{"X-A", "1"}}}, server.url+"/v1")
	models := client.Endpoints()[0].At("/v1/models")
	fetched, err := client.Fetch(context.Background(), Fetch{Endpoint: models, Credentials: true})
	if err != nil || fetched.Status != 404 || string(fetched.Body) != "{}" || fetched.Server != "s" || fetched.Took <= 0 {
		t.Errorf("%+v, %v", fetched, err)
	}
	if got, want := <-seen, "GET /v1/models HTTP/1.1|Bearer sk-0123456|1|"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	client.Fetch(context.Background(), Fetch{Method: "POST", Endpoint: models.At("/reset"), Body: []byte(`{"a":1}`)})
	if got, want := <-seen, `POST /reset HTTP/1.1|||{"a":1}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n := server.connections(); n != 2 {
		t.Errorf("%d connections, want one each", n)
	}
	if stats := client.Stats(); stats.Reused != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestFetchFailures(t *testing.T) {
	server := newServer(t, then(func(p *peer) { p.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\npart") }))
	client := newClient(t, Options{}, server.url)
	fetched, err := client.Fetch(context.Background(), Fetch{Endpoint: client.Endpoints()[0]})
	if err == nil || string(fetched.Body) != "part" || !strings.Contains(err.Error(), "ClientPayloadError") {
		t.Errorf("%+v, %v", fetched, err)
	}
	silent := newServer(t, func(p *peer) { p.drain() })
	client = newClient(t, Options{}, strings.Replace(silent.url, "://", "://user:hunter22@", 1))
	_, err = client.Fetch(context.Background(), Fetch{Endpoint: client.Endpoints()[0], Timeout: 40 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "TimeoutError") || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("%v", err)
	}
}

func TestFetchOverHTTP2(t *testing.T) {
	url, _ := netHTTPServer(t, false, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+" "+r.URL.Path+" "+string(body))
	})
	client := newClient(t, Options{HTTP2: true}, url)
	for body, want := range map[string]string{"": "GET /version ", "{}": "POST /version {}"} {
		f := Fetch{Endpoint: client.Endpoints()[0].At("/version")}
		if body != "" {
			f.Method, f.Body = "POST", []byte(body)
		}
		if fetched, err := client.Fetch(context.Background(), f); err != nil || string(fetched.Body) != want {
			t.Errorf("%q, %v", fetched.Body, err)
		}
	}
}

func TestConnectTime(t *testing.T) {
	server := newServer(t, func(p *peer) { p.drain() })
	client := newClient(t, Options{}, server.url)
	took, err := client.ConnectTime(context.Background(), client.Endpoints()[0])
	if err != nil || took <= 0 || took > time.Second {
		t.Errorf("%v, %v", took, err)
	}
	if _, err := client.ConnectTime(context.Background(), mustEndpoint(t, "http://127.0.0.1:1")); err == nil {
		t.Error("connected to a closed port")
	}
}

func mustEndpoint(t *testing.T, url string) Endpoint {
	t.Helper()
	endpoint, err := ParseEndpoint(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}
