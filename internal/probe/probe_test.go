package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"agentx/wire"
)

// fake is a chat server whose model would end by itself after natural tokens, and that can disregard each
// of the things a replay relies on.
type fake struct {
	natural                                int
	noLimit, noLegacyLimit, noEOS, noUsage bool
	noCache, refusesEOS, whole, oneChunk   bool
	echoesKey, spellsKey, endless          bool
	mu                                     sync.Mutex
	seen                                   map[string]bool
	bodies                                 []map[string]any
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		fmt.Fprint(w, `{"data":[{"id":"m","max_model_len":4096}],"version":"7"}`)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		panic(err)
	}
	f.mu.Lock()
	f.bodies = append(f.bodies, body)
	text := fmt.Sprint(body["messages"])
	cached := 0
	if f.seen[text] && !f.noCache {
		cached = 90
	}
	f.seen[text] = true
	f.mu.Unlock()
	switch {
	case f.echoesKey:
		http.Error(w, "wrong key "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	case f.spellsKey:
		for _, letter := range r.Header.Get("Authorization") {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q,\"reasoning_content\":%[1]q}}]}\n\n", string(letter))
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	case f.refusesEOS && body["ignore_eos"] != nil:
		http.Error(w, `{"error":{"message":"unknown parameter ignore_eos"}}`, http.StatusBadRequest)
	default:
		f.answer(w, f.length(body), cached)
	}
}

func (f *fake) length(body map[string]any) int {
	limit := 40
	if value, ok := body["max_completion_tokens"].(float64); ok && !f.noLimit {
		limit = int(value)
	}
	if value, ok := body["max_tokens"].(float64); ok && !f.noLegacyLimit {
		limit = int(value)
	}
	if body["ignore_eos"] == true && !f.noEOS {
		return limit
	}
	return min(limit, f.natural)
}

func (f *fake) answer(w http.ResponseWriter, length, cached int) {
	finish := "length"
	if length == f.natural {
		finish = "stop"
	}
	usage := fmt.Sprintf(`,"usage":{"prompt_tokens":100,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`, length, cached)
	if f.noUsage {
		usage = ""
	}
	if f.whole {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"message":{"content":"x"},"finish_reason":%q}]%s}`, finish, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := 0; i < length || f.endless; i++ {
		text := "x "
		if f.oneChunk {
			text, i = strings.Repeat(text, length), length
		}
		if _, err := fmt.Fprintf(w, "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
	fmt.Fprintf(w, "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]%s}\n\ndata: [DONE]\n\n", finish, usage)
}

func ask(t *testing.T, f *fake, options Options) *Server {
	t.Helper()
	f.seen = map[string]bool{}
	server := httptest.NewServer(f)
	defer server.Close()
	options.Wire.URLs, options.Model, options.Timeout = []string{server.URL}, "m", 10*time.Second
	report, err := Run(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	return &report.Servers[0]
}

// TestFindings: each server that disregards one thing is found out, by that property and no other.
func TestFindings(t *testing.T) {
	all := map[string]Verdict{Streaming: Yes, IncludeUsage: Yes, LengthLimit: Yes, IgnoreEOS: Yes, PrefixCache: Yes}
	cases := []struct {
		name   string
		server fake
		legacy bool
		want   map[string]Verdict // where it differs from all
		advice string
	}{
		{name: "honours everything", server: fake{natural: 3}},
		{name: "the same by max_tokens", server: fake{natural: 3}, legacy: true},
		{name: "a model that never ends by itself", server: fake{natural: 999}, want: map[string]Verdict{IgnoreEOS: Unknown}},
		{name: "ends in spite of ignore_eos", server: fake{natural: 3, noEOS: true}, want: map[string]Verdict{IgnoreEOS: No, LengthLimit: Unknown}},
		{name: "refuses ignore_eos", server: fake{natural: 999, refusesEOS: true}, want: map[string]Verdict{IgnoreEOS: No, PrefixCache: Unknown}},
		{name: "knows only max_tokens", server: fake{natural: 999, noLimit: true}, want: map[string]Verdict{LengthLimit: No, IgnoreEOS: Unknown}, advice: "run with --use-legacy-max-tokens"},
		{name: "knows only max_completion_tokens", server: fake{natural: 999, noLegacyLimit: true}, legacy: true, want: map[string]Verdict{LengthLimit: No, IgnoreEOS: Unknown}, advice: "run without --use-legacy-max-tokens"},
		{name: "knows no limit", server: fake{natural: 150, noLimit: true, noLegacyLimit: true}, want: map[string]Verdict{LengthLimit: No, IgnoreEOS: Unknown}},
		{name: "never ends", server: fake{endless: true}, want: map[string]Verdict{LengthLimit: No, IgnoreEOS: Unknown, IncludeUsage: Unknown, PrefixCache: Unknown}},
		{name: "no usage", server: fake{natural: 3, noUsage: true}, want: map[string]Verdict{IncludeUsage: No, PrefixCache: Unknown}},
		{name: "no cache", server: fake{natural: 3, noCache: true}, want: map[string]Verdict{PrefixCache: No}},
		{name: "not streamed", server: fake{natural: 3, whole: true}, want: map[string]Verdict{Streaming: No}},
		{name: "collected by a proxy", server: fake{natural: 3, oneChunk: true}, want: map[string]Verdict{Streaming: No}},
	}
	for i := range cases {
		c := &cases[i]
		t.Run(c.name, func(t *testing.T) {
			s := ask(t, &c.server, Options{OutputTokens: 8, Wire: wire.Options{LegacyMaxTokens: c.legacy}})
			if len(s.Requests) > 2 || len(s.Findings) != len(all) {
				t.Errorf("%d requests, %d findings: %+v", len(s.Requests), len(s.Findings), s)
			}
			report := Report{Servers: []Server{*s}}
			needed := false
			for _, f := range s.Findings {
				want := all[f.Property]
				if other, differs := c.want[f.Property]; differs {
					want = other
				}
				if f.Verdict != want || f.Evidence == "" || f.Verdict == No && f.Advice == "" {
					t.Errorf("%s is %s (%s; %s), want %s", f.Property, f.Verdict, f.Evidence, f.Advice, want)
				}
				if c.advice != "" && f.Property == LengthLimit && f.Advice != c.advice {
					t.Errorf("advice %q, want %q (%s)", f.Advice, c.advice, f.Evidence)
				}
				needed = needed || want == No && f.Property != PrefixCache
			}
			if report.Fit() == needed {
				t.Errorf("fit is %v", report.Fit())
			}
		})
	}
}

// TestProbeSendsTheSamePromptTwice, which no request before it had, and in the quick form only the text.
func TestProbeSendsTheSamePromptTwice(t *testing.T) {
	one, two := &fake{natural: 3}, &fake{natural: 3}
	ask(t, one, Options{Seed: 1, PromptTokens: 100})
	ask(t, two, Options{Seed: 2, PromptTokens: 100})
	first, again, other := fmt.Sprint(one.bodies[0]["messages"]), fmt.Sprint(one.bodies[1]["messages"]), fmt.Sprint(two.bodies[0]["messages"])
	if first != again || first[:40] == other[:40] {
		t.Errorf("prompts %q, %q, %q", first, again, other)
	}
	if one.bodies[0]["ignore_eos"] != true || one.bodies[1]["ignore_eos"] != nil {
		t.Errorf("ignore_eos %v, %v", one.bodies[0]["ignore_eos"], one.bodies[1]["ignore_eos"])
	}
	quick := &fake{natural: 3}
	ask(t, quick, Options{Quick: "say \"<hi>\"\n"})
	if len(quick.bodies) != 1 || fmt.Sprint(quick.bodies[0]["messages"]) != "[map[content:say \"<hi>\"\n role:user]]" {
		t.Errorf("quick sent %v", quick.bodies)
	}
}

// TestProbeTellsNoSecret: also where the server repeats the key in its error, or letter by letter in its answer.
// TestAHangingServerIsNotWaitedFor: neither who it is nor a request may take longer than was allowed. The test would
// take the 10 s of an identification, or a minute, otherwise.
func TestAHangingServerIsNotWaitedFor(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(hang)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	report, err := Run(ctx, Options{Wire: wire.Options{URLs: []string{server.URL}}, Model: "m", Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatalf("%v: still waiting after the time that was allowed", err)
	}
	asked := report.Servers[0]
	if asked.Identity.Error == "" || len(asked.Requests) != 1 || asked.Requests[0].Outcome != "error" || report.OK() {
		t.Errorf("the report is %+v", asked)
	}
}

func TestProbeTellsNoSecret(t *testing.T) {
	for said, f := range map[string]*fake{"Unauthorized": {echoesKey: true}, `output "Bearer <redacted>"`: {spellsKey: true}} {
		server := ask(t, f, Options{Wire: wire.Options{APIKey: "sk-hunter22"}})
		report := Report{Servers: []Server{*server}}
		var text bytes.Buffer
		if err := report.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text.String()+string(asJSON), "hunter22") || !strings.Contains(text.String(), said) || report.OK() != f.spellsKey {
			t.Errorf("ok %v:\n%s\n%s", report.OK(), text.String(), asJSON)
		}
	}
}

// TestTextMovesNoCursor: what a server sends is data.
func TestTextMovesNoCursor(t *testing.T) {
	evil := "\x1b[2J\r\u202e\x07"
	report := Report{Servers: []Server{{
		URL: "u", Identity: Identity{Server: evil, Version: evil, Models: []string{evil}},
		Requests: []Request{{Prompt: "quick", Outcome: "ok", Error: evil, Text: evil, Reasoning: evil, FinishReason: evil}},
		Findings: []Finding{{Property: IgnoreEOS, Verdict: No, Evidence: evil}},
	}}}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\r\u202e\x07") {
		t.Errorf("control characters in %q", text.String())
	}
}
