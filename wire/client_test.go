package wire

import (
	"context"
	"testing"
	"time"
)

func TestAGoodExchange(t *testing.T) {
	server := newServer(t, answering(goodAnswer()))
	epoch := time.Now()
	client := newClient(t, Options{Clock: NewClock(epoch)}, server.url)
	for i := range 3 {
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeOK || r.Class != "" || textOf(&r) != "AB" {
			t.Fatal(describeResult(&r))
		}
		if r.Reused != (i > 0) || (r.ConnectNs == Unset) != (i > 0) || r.Protocol != "HTTP/1.1" {
			t.Errorf("request %d: reused %v, connect %d, protocol %s", i, r.Reused, r.ConnectNs, r.Protocol)
		}
		if r.Usage.Prompt != 9 || r.Usage.Completion != 2 || !r.Done || r.Choices[0].Finish != "stop" || !r.Streamed {
			t.Errorf("usage %+v done %v choices %+v", r.Usage, r.Done, r.Choices)
		}
		if want := (ChunkCounts{Role: 1, Text: 2, Usage: 1, Done: 1, Other: 1}); r.Counts != want || len(r.Chunks) != 6 {
			t.Errorf("counts %+v, %d chunks", r.Counts, len(r.Chunks))
		}
		order := []int64{r.StartNs, r.SendStartNs, r.WrittenNs, r.FirstByteNs, r.HeadersNs, r.FirstBodyNs, r.FirstTokenNs, r.SecondTokenNs, r.LastTokenNs, r.LastResponseNs, r.LastByteNs, r.EndNs, int64(time.Since(epoch))}
		for j := 1; j < len(order); j++ {
			if order[j] < order[j-1] || order[j] == Unset {
				t.Errorf("stamps out of order at %d: %v", j, order)
				break
			}
		}
		if r.FirstTextNs != r.FirstTokenNs || r.CancelNs != Unset {
			t.Errorf("first text %d, first token %d, cancel %d", r.FirstTextNs, r.FirstTokenNs, r.CancelNs)
		}
		var bytes int32
		for _, chunk := range r.Chunks {
			bytes += chunk.WireBytes
		}
		if int64(bytes) != r.ReceivedBytes || r.ReceivedBytes != int64(len(goodSSE)) {
			t.Errorf("chunks of %d bytes, body of %d, want %d", bytes, r.ReceivedBytes, len(goodSSE))
		}
	}
	if n := server.connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
	if stats := client.Stats(); stats != (Stats{Opened: 1, Reused: 2}) {
		t.Errorf("%+v", stats)
	}
}

func TestWhatTheServerGets(t *testing.T) {
	got := make(chan peer, 1)
	server := newServer(t, func(p *peer) {
		for p.request() {
			got <- *p
			p.send(goodAnswer())
		}
	})
	client := newClient(t, Options{UserAgent: "agentx/1", Affinity: Affinity{SessionAffinity: true}, Extra: mustFields(t, "ignore_eos:true")}, server.url+"/v1")
	r := client.Do(context.Background(), chatRequest("a", "b"))
	p := <-got
	wantHead := "POST /v1/chat/completions HTTP/1.1\r\nHost: " + server.listener.Addr().String() + "\r\nUser-Agent: agentx/1\r\nX-Request-ID: req-1\r\nX-Correlation-ID: session-1\r\n" +
		"Accept: text/event-stream\r\nContent-Type: application/json\r\nX-Session-Affinity: session-1\r\nContent-Length: 184\r\n\r\n"
	wantBody := `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"model":"m","stream":true,"max_completion_tokens":8,"ignore_eos":true,"stream_options":{"include_usage":true}}`
	if p.head != wantHead {
		t.Errorf("head\n%q, want\n%q", p.head, wantHead)
	}
	if string(p.body) != wantBody || r.SentBytes != int64(len(wantBody)) {
		t.Errorf("body %s, sent %d", p.body, r.SentBytes)
	}
}
