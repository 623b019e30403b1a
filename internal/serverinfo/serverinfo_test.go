package serverinfo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/internal/mockserver"
	"agentx/internal/promtext"
	"agentx/internal/servermodel"
	"agentx/wire"
)

// mock runs a mock server for a test.
func mock(t *testing.T, options mockserver.Options) *mockserver.Server {
	t.Helper()
	s, err := mockserver.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// client makes a client and checks that it leaves no goroutine behind.
func client(t *testing.T, options wire.Options) *Client {
	t.Helper()
	c, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		c.Close()
		for range 200 {
			if runtime.NumGoroutine() <= before+2 { // the server's two goroutines of a last connection
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	})
	return c
}

func rules(list ...mockserver.Rule) mockserver.Faults { return mockserver.Faults{Rules: list} }

func TestIdentity(t *testing.T) {
	s := mock(t, mockserver.Options{Models: []string{"a", "b"}, APIKey: "the-api-key", Server: servermodel.Config{WindowTokens: 4096}})
	for _, base := range []string{s.URL(), s.URL() + "/v1", s.URL() + "/v1/chat/completions/"} {
		c := client(t, wire.Options{URLs: []string{base, base}, APIKey: "the-api-key"})
		got := c.Identify(t.Context())
		if len(got) != 1 {
			t.Fatalf("%d identities of one server", len(got))
		}
		id := got[0]
		if id.Err != nil || id.Server != "agentx-mock" || id.Version != "agentx-mock" || id.MaxModelLen != 4096 || !slices.Equal(id.Models, []string{"a", "b"}) {
			t.Errorf("%s: %+v", base, id)
		}
		if id.Raw["models"] == nil || id.Raw["version"] == nil {
			t.Errorf("%s: raw answers %v", base, id.Raw)
		}
	}
}

// TestIdentityOfSilentServers: what a server does not say is no failure of the whole, and the reason
// holds no key.
func TestIdentityOfSilentServers(t *testing.T) {
	echo := mock(t, mockserver.Options{Faults: rules(mockserver.Rule{Fault: "status_401_echo", Path: "/v1/models"})})
	llama := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"tiny","meta":{"n_ctx":131072}}]}`)
	}))
	defer llama.Close()
	c := client(t, wire.Options{URLs: []string{echo.URL(), llama.URL, "http://127.0.0.1:1"}, APIKey: "the-api-key"})
	got := c.Identify(t.Context())
	if got[0].Err == nil || !strings.Contains(got[0].Err.Error(), "401") || strings.Contains(got[0].Err.Error(), "the-api-key") {
		t.Errorf("echoing server: %v", got[0].Err)
	}
	if got[1].Err != nil || got[1].MaxModelLen != 131072 || got[1].Version != "" {
		t.Errorf("llama.cpp: %+v", got[1])
	}
	if got[2].Err == nil || !strings.Contains(got[2].Err.Error(), "refused") {
		t.Errorf("nobody there: %+v", got[2])
	}
}

// TestReadyWaitsForWhatPasses: 503s and a missing model are waited for, and said once.
func TestReadyWaitsForWhatPasses(t *testing.T) {
	s := mock(t, mockserver.Options{Models: []string{"a"}, Faults: rules(
		mockserver.Rule{Fault: "status_503_retry_after", Times: 2},
		mockserver.Rule{Fault: "close_before_head", Path: "/v1/models", Times: 2},
	)})
	for _, mode := range []string{"both", "models", "inference", ""} {
		var notes []string
		c := client(t, wire.Options{URLs: []string{s.URL()}})
		err := c.WaitReady(t.Context(), ReadyOptions{Models: []string{"a"}, Timeout: 10 * time.Second, Interval: 5 * time.Millisecond, Mode: mode, Note: func(text string) { notes = append(notes, text) }})
		if err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		if mode == "both" && (len(notes) < 2 || !strings.Contains(strings.Join(notes, " "), "503")) {
			t.Errorf("notes %q", notes)
		}
	}
	if got := s.Stats().Requests; got != 5 {
		t.Errorf("%d inference requests; expected two failures, then one for each mode that has them", got)
	}
}

// TestReadyFailuresSayWhatToDo: 401, 403 and 404 end the wait at once, everything else at its time.
func TestReadyFailuresSayWhatToDo(t *testing.T) {
	s := mock(t, mockserver.Options{Models: []string{"a"}, APIKey: "the-api-key"})
	status := func(code int) *mockserver.Server {
		return mock(t, mockserver.Options{Faults: rules(mockserver.Rule{Fault: "status", Args: mockserver.Args{Status: code}})})
	}
	for _, row := range []struct {
		name, url, key, model, mode string
		timeout                     time.Duration
		says                        []string
	}{
		{"wrong key", s.URL(), "other-key-here", "a", "inference", time.Hour, []string{"401", "--api-key"}},
		{"wrong key, models", s.URL(), "other-key-here", "a", "models", time.Hour, []string{"401", "--api-key"}},
		{"forbidden", status(403).URL(), "", "a", "inference", time.Hour, []string{"403", "--api-key"}},
		{"wrong model", s.URL(), "the-api-key", "b", "inference", time.Hour, []string{"404", "--model b"}},
		{"missing model", s.URL(), "the-api-key", "b", "models", 300 * time.Millisecond, []string{"it lists a", "gave up after 300ms"}},
		{"down", "http://127.0.0.1:1", "", "a", "inference", 300 * time.Millisecond, []string{"refused", "gave up"}},
		{"failing", status(500).URL(), "", "a", "inference", 300 * time.Millisecond, []string{"500", "gave up"}},
		{"bad mode", s.URL(), "", "a", "psychic", time.Hour, []string{"psychic", "models"}},
	} {
		c := client(t, wire.Options{URLs: []string{row.url}, APIKey: row.key})
		err := c.WaitReady(t.Context(), ReadyOptions{Models: []string{row.model}, Timeout: row.timeout, Interval: 5 * time.Millisecond, Mode: row.mode})
		for _, part := range row.says {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; expected it to say %q", row.name, err, part)
			}
		}
		if err != nil && row.key != "" && strings.Contains(err.Error(), row.key) {
			t.Errorf("%s: the key is in %v", row.name, err)
		}
	}
	if err := client(t, wire.Options{URLs: []string{status(418).URL()}}).WaitReady(t.Context(), ReadyOptions{Models: []string{"a"}, Timeout: time.Hour}); err != nil {
		t.Errorf("a status below 500 is up: %v", err)
	}
}

func TestReadyEndsWithItsContext(t *testing.T) {
	s := mock(t, mockserver.Options{Faults: rules(mockserver.Rule{Fault: "stall_before_head"})})
	c := client(t, wire.Options{URLs: []string{s.URL()}})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := c.WaitReady(ctx, ReadyOptions{Models: []string{"a"}, Timeout: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestResetRetriesWhatMayPass: 409, 423, 429, 503 and broken connections, not 500.
func TestResetRetriesWhatMayPass(t *testing.T) {
	const path = "/reset_prefix_cache"
	var passing []mockserver.Rule
	for _, code := range []int{409, 423, 429, 503} {
		passing = append(passing, mockserver.Rule{Fault: "status", Path: path, Times: 1, Args: mockserver.Args{Status: code}})
	}
	passing = append(passing, mockserver.Rule{Fault: "reset_before_head", Path: path, Times: 1})
	s := mock(t, mockserver.Options{Faults: rules(passing...)})
	quick := ResetOptions{Backoff: time.Millisecond}
	if err := client(t, wire.Options{URLs: []string{s.URL(), s.URL() + "/v1"}}).ResetCache(t.Context(), quick); err != nil {
		t.Error(err)
	}
	for name, row := range map[string]struct {
		rule    mockserver.Rule
		options ResetOptions
		says    string
	}{
		"final":     {mockserver.Rule{Fault: "status", Path: path, Times: 1}, quick, "status 500"},
		"no such":   {mockserver.Rule{Fault: "status", Path: path, Args: mockserver.Args{Status: 404}}, quick, "VLLM_SERVER_DEV_MODE"},
		"budget":    {mockserver.Rule{Fault: "status", Path: path, Args: mockserver.Args{Status: 503}}, ResetOptions{Backoff: time.Millisecond, Budget: 20 * time.Millisecond}, "gave up after 20ms"},
		"redirect":  {mockserver.Rule{Fault: "redirect", Path: path}, quick, "status 307"},
		"odd path":  {mockserver.Rule{Fault: "status", Path: "/x"}, ResetOptions{Path: "reset"}, "starts with /"},
		"slow once": {mockserver.Rule{Fault: "stall_before_head", Path: path}, ResetOptions{Backoff: time.Millisecond, Timeout: 10 * time.Millisecond, Budget: 40 * time.Millisecond}, "gave up"},
	} {
		s := mock(t, mockserver.Options{Faults: rules(row.rule)})
		err := client(t, wire.Options{URLs: []string{s.URL()}}).ResetCache(t.Context(), row.options)
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v; expected it to say %q", name, err, row.says)
		}
	}
}

// TestProfilerIsStoppedWhereAStartFails: the last one started first.
func TestProfilerIsStoppedWhereAStartFails(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	server := func(name string, failing bool) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			calls = append(calls, name+r.URL.Path)
			mu.Unlock()
			if failing {
				w.WriteHeader(500)
			}
		}))
		t.Cleanup(s.Close)
		return s
	}
	a, b, bad := server("a", false), server("b", false), server("bad", true)
	c := client(t, wire.Options{URLs: []string{a.URL, b.URL, bad.URL}})
	if err := c.StartProfiler(t.Context(), ProfilerOptions{}); err == nil || !strings.Contains(err.Error(), bad.URL) {
		t.Errorf("start: %v", err)
	}
	if got := strings.Join(calls, " "); got != "a/start_profile b/start_profile bad/start_profile b/stop_profile a/stop_profile" {
		t.Errorf("calls %s", got)
	}
	calls = nil
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.StopProfiler(ended, ProfilerOptions{StopPath: "/halt"})
	if err == nil || strings.Contains(err.Error(), a.URL) || !strings.Contains(err.Error(), bad.URL) {
		t.Errorf("stop: %v", err)
	}
	if got := strings.Join(calls, " "); got != "a/halt b/halt bad/halt" {
		t.Errorf("calls %s", got)
	}
}

// TestMetricsAreFoundAndScraped: absent pages are left out without a word, asked-for ones with one.
func TestMetricsAreFoundAndScraped(t *testing.T) {
	s := mock(t, mockserver.Options{})
	without := mock(t, mockserver.Options{Faults: rules(mockserver.Rule{Fault: "html_200", Path: "/metrics"})})
	c := client(t, wire.Options{URLs: []string{s.URL(), without.URL(), s.URL() + "/v1"}})
	pages, err := c.FindMetrics(t.Context(), nil)
	if err != nil || len(pages) != 1 || pages[0].URL() != s.URL()+"/metrics" {
		t.Fatalf("%v, %v", pages, err)
	}
	asked, err := c.FindMetrics(t.Context(), []string{s.URL(), without.URL() + "/metrics", "http://["})
	if len(asked) != 1 || err == nil || !strings.Contains(err.Error(), without.URL()) || !strings.Contains(err.Error(), "http://[") {
		t.Errorf("%v, %v", asked, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	c.ScrapeLoop(ctx, pages, time.Millisecond, func(scrape Scrape) {
		page, _, err := promtext.Parse(scrape.Body)
		if scrape.Err != nil || err != nil || page.Facts().Kind != "vllm" || *page.Facts().Running != 0 {
			t.Errorf("scrape %+v, %v", scrape, err)
		}
		if count++; count == 3 {
			cancel()
		}
	})
	if count != 3 {
		t.Errorf("%d scrapes", count)
	}
}

// TestKeyStaysWithTheRunsServers: a metrics page on another host is asked without it.
func TestKeyStaysWithTheRunsServers(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{}
	server := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[name] = r.Header.Get("Authorization") + r.Header.Get("X-Mine")
			mu.Unlock()
			fmt.Fprint(w, "up 1\n")
		}))
		t.Cleanup(s.Close)
		return s
	}
	own, other := server("own"), server("other")
	c := client(t, wire.Options{URLs: []string{own.URL}, APIKey: "k", Headers: []wire.Header{{Name: "X-Mine", Value: "v"}}})
	if _, err := c.FindMetrics(t.Context(), []string{own.URL, other.URL}); err != nil {
		t.Fatal(err)
	}
	if seen["own"] != "Bearer kv" || seen["other"] != "" {
		t.Errorf("headers %q", seen)
	}
}

func TestLatencyIsMeasuredAndToppedUp(t *testing.T) {
	s := mock(t, mockserver.Options{})
	c := client(t, wire.Options{URLs: []string{s.URL(), s.URL() + "/v1", "http://127.0.0.1:1"}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // all samples come from the top-up
	var good, bad int
	mean, ok := c.MeasureLatency(ctx, LatencyOptions{Interval: time.Hour, MinSamples: 3}, func(sample LatencySample) {
		if sample.Err == nil {
			good++
		} else {
			bad++
		}
	})
	if !ok || mean <= 0 || good != 3 || bad == 0 {
		t.Errorf("mean %v, %v; %d good, %d bad", mean, ok, good, bad)
	}
	nobody := client(t, wire.Options{URLs: []string{"http://127.0.0.1:1"}})
	if _, ok := nobody.MeasureLatency(ctx, LatencyOptions{TopUp: 20 * time.Millisecond}, func(LatencySample) {}); ok {
		t.Error("a mean without a success")
	}
	ctx, cancel = context.WithCancel(t.Context())
	var mu sync.Mutex
	count := 0
	c.MeasureLatency(ctx, LatencyOptions{Interval: time.Millisecond}, func(sample LatencySample) {
		mu.Lock()
		defer mu.Unlock()
		if count++; count == 20 {
			cancel()
		}
	})
	if count < 20 {
		t.Errorf("%d samples", count)
	}
}

// TestTLSAndSocket: a certificate file is enough for TLS; a unix socket is reached like any server.
func TestTLSAndSocket(t *testing.T) {
	s := mock(t, mockserver.Options{TLS: true})
	if id := client(t, wire.Options{URLs: []string{s.URL()}}).Identify(t.Context()); id[0].Err == nil {
		t.Error("an unknown certificate is trusted")
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, s.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, options := range []wire.TLSOptions{{CAFile: path}, {SkipVerify: true}} {
		if id := client(t, wire.Options{URLs: []string{s.URL()}, TLS: options}).Identify(t.Context()); id[0].Err != nil {
			t.Errorf("%+v: %v", options, id[0].Err)
		}
	}
	if _, err := New(wire.Options{TLS: wire.TLSOptions{CAFile: filepath.Join(t.TempDir(), "none")}}); err == nil {
		t.Error("a missing certificate file is accepted")
	}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"x"}]}`) })}
	go func() { _ = web.Serve(listener) }()
	defer web.Close()
	if id := client(t, wire.Options{URLs: []string{"unix://" + socket}}).Identify(t.Context()); id[0].Err != nil || len(id[0].Models) != 1 {
		t.Errorf("%+v", id[0])
	}
}

// TestURLCredentialsAreSentAndHidden: as basic auth, unescaped; masked wherever the URL is shown.
func TestURLCredentialsAreSentAndHidden(t *testing.T) {
	got := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		got = name + " " + password
		http.Error(w, "no "+password, 500)
	}))
	defer s.Close()
	c := client(t, wire.Options{URLs: []string{strings.Replace(s.URL, "http://", "http://me:open%20sesame@", 1)}})
	id := c.Identify(t.Context())[0]
	if got != "me open sesame" {
		t.Errorf("server got %q", got)
	}
	if text := id.URL + id.Err.Error(); strings.Contains(text, "sesame") {
		t.Errorf("shown: %s", text)
	}
}

// A server or router may send back what it was sent; what it says of itself is logged, so that it is masked.
func TestEchoedSecretsAreMasked(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all := r.Header.Get("Authorization") + " " + r.Header.Get("X-Tenant")
		w.Header().Set("Server", "router for "+all)
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprintf(w, `{"data":[{"id":"m %s"}]}`, all)
		case "/version":
			fmt.Fprintf(w, `{"version":"1 %s"}`, all)
		default:
			fmt.Fprintf(w, "# TYPE up gauge\nup{who=%q} 1\n", all)
		}
	}))
	t.Cleanup(echo.Close)
	c := client(t, wire.Options{URLs: []string{echo.URL}, APIKey: "the-api-key", Headers: []wire.Header{{Name: "X-Tenant", Value: "tenant-one"}}})
	pages, err := c.FindMetrics(t.Context(), nil)
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	got := fmt.Sprintf("%+v %s", c.Identify(t.Context()), c.Scrape(t.Context(), pages[0], time.Second).Body)
	if strings.Contains(got, "the-api-key") || strings.Contains(got, "tenant-one") || strings.Count(got, wire.Masked) != 12 {
		t.Errorf("%d masks in %s", strings.Count(got, wire.Masked), got)
	}
}
