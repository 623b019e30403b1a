package wire

import (
	"context"
	"strings"
	"testing"
	"time"
)

// delta writes a chunk as the vectors' C(x).
func deltaEvent(x string) string {
	return event(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + x + `}]}`)
}

// TestStreamVectorsEndToEnd are vectors S1 to S27 as whole exchanges, with our values. A stream that is
// not about its end gets a proper one.
func TestStreamVectorsEndToEnd(t *testing.T) {
	for _, c := range []struct{ id, stream, want string }{
		{"S1", roleDelta + deltaEvent(`{"content":"Hi"}`) + doneEvent, `ok/ status 200 text "Hi"`},
		{"S2", stopDelta + `data: {"choices":[{"delta":{"content":"A"}}]}`, `ok/ status 200 text "A"`},
		{"S3", strings.ReplaceAll(deltaEvent(`{"content":"A"}`)+deltaEvent(`{"content":"B"}`)+doneEvent, "\n", "\r\n"), `ok/ status 200 text "AB"`},
		{"S4", strings.ReplaceAll(deltaEvent(`{"content":"A"}`), "\n", "\r\n") + deltaEvent(`{"content":"B"}`) + doneEvent, `ok/ status 200 text "AB"`},
		{"S7", deltaEvent("{\"content\":\"a\xffb\"}") + doneEvent, `ok/ status 200 text "a\xffb"`},
		{"S8", ": keepalive\n\n" + doneEvent, `ok/no_visible_output status 200 text ""`},
		{"S11", deltaEvent(`{"content":"A"}`) + "event: error\n: boom\ndata: {\"x\":1}\n\n", `error/in_stream status 200 text "A" error 502 SSEResponseError "Error occurred in SSE response: boom" chain []`},
		{"S12", "event: error\ndata: {\"message\":\"x\"}\n\n", `error/in_stream status 200 text "" error 502 SSEResponseError "{\"message\":\"x\"}" chain []`},
		{"S13", event(`{"error":{"message":"maximum context length","code":400}}`), `overflow/in_stream status 200 text "" error 400 SSEResponseError "{\"error\":{\"message\":\"maximum context length\",\"code\":400}}" chain []`},
		{"S13 typed", event(`{"error":{"message":"x","type":"Busy"}}`), `error/in_stream status 200 text "" error 502 Busy "{\"error\":{\"message\":\"x\",\"type\":\"Busy\"}}" chain []`},
		{"S15", "data: {\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}\n\n" + doneEvent, `ok/ status 200 text "a\nb"`},
		{"S16", strings.ReplaceAll(deltaEvent(`{"content":"A"}`)+deltaEvent(`{"content":"B"}`), "\n", "\r") + doneEvent, `ok/ status 200 text "AB"`},
		{"S17", "\xef\xbb\xbf" + deltaEvent(`{"content":"A"}`) + doneEvent, `ok/ status 200 text "A"`},
		{"S20", "id: 1\n" + deltaEvent("{\"content\":\"a\u2028b\"}") + doneEvent, `ok/ status 200 text "a\u2028b"`},
		{"S21", deltaEvent(`{"tool_calls":[{"function":null}],"content":"A"}`) + doneEvent, `ok/ status 200 text "A"`},
		{"S22", event(`[1,2]`) + deltaEvent(`{"content":"A"}`) + doneEvent, `ok/ status 200 text "A"`},
		{"S23", event(`{"choices":[{"delta":{"content":"A"}}]}`) + doneEvent, `ok/ status 200 text "A"`},
		{"S24", event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`) + doneEvent, `ok/no_visible_output status 200 text ""`},
		{"S25", event(`{"choices":[],"usage":{}}`), `error/incomplete_stream status 200 text "" error null InvalidInferenceResultError "invalid inference result: the stream brought no content, no finish reason and no [DONE]" chain []`},
		{"R3", "", `error/incomplete_stream status 200 text "" error null InvalidInferenceResultError "invalid inference result: the stream brought no content, no finish reason and no [DONE]" chain []`},
		{"no end", deltaEvent(`{"content":"A"}`), `error/incomplete_stream status 200 text "A" error null IncompleteStreamError "the stream ended without a finish reason, [DONE] or final usage" chain []`},
		{"usage is an end", deltaEvent(`{"content":"A"}`) + usageTail, `ok/ status 200 text "A"`},
		{"finish is an end", deltaEvent(`{"content":"A"}`) + stopDelta, `ok/ status 200 text "A"`},
	} {
		body := sseHead + lastChunk
		if c.stream != "" {
			body = sseHead + httpChunk(c.stream) + lastChunk
		}
		server := newServer(t, answering(body))
		client := newClient(t, Options{}, server.url)
		r := client.Do(context.Background(), chatRequest())
		if got := describeResult(&r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.id, got, c.want)
		}
		if r.EndNs == Unset {
			t.Errorf("%s: no end time", c.id)
		}
	}
}

func TestReasoningAndToolVectors(t *testing.T) {
	server := newServer(t, answering(sseHead+httpChunk(
		deltaEvent(`{"reasoning_content":"","reasoning":"r"}`)+
			deltaEvent(`{"reasoning_content":"s","content":"t"}`)+
			deltaEvent(`{"content":"p","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`)+
			stopDelta+doneEvent)+lastChunk))
	client := newClient(t, Options{}, server.url)
	r := client.Do(context.Background(), chatRequest())
	c := r.Choices[0]
	if string(c.Reasoning) != "rs" || string(c.Text) != "tp" || string(c.Tool) != "f{}" {
		t.Errorf("reasoning %q text %q tool %q", c.Reasoning, c.Text, c.Tool)
	}
	if want := (ChunkCounts{Reasoning: 2, Tool: 1, Other: 1, Done: 1}); r.Counts != want {
		t.Errorf("counts %+v, want %+v", r.Counts, want)
	}
	var classes []string
	for _, chunk := range r.Chunks {
		name := chunk.Class.String()
		if chunk.Part {
			name = "+" + name
		}
		classes = append(classes, name)
	}
	if got := strings.Join(classes, " "); got != "reasoning reasoning +text tool +text other done" {
		t.Error(got)
	}
	if r.FirstTokenNs == Unset || r.FirstTextNs == Unset || r.SecondTokenNs == Unset {
		t.Errorf("first token %d, first text %d, second token %d", r.FirstTokenNs, r.FirstTextNs, r.SecondTokenNs)
	}
}

// TestResponseVectors are vectors R1 to R9: what the connection and the status do.
func TestResponseVectors(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	for _, c := range []struct {
		id    string
		serve func(p *peer)
		want  string
	}{
		{"R1", answering("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"error\":\"odd &\"}"),
			`error/http status 400 text "" error 400 Bad Request "{\"error\":\"odd &\"}" chain []`},
		{"R2", answering("HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n"), `error/http status 503 text "" error 503 Service Unavailable "" chain []`},
		{"R4", func(p *peer) { p.request(); p.send(sseHead + httpChunk(deltaEvent(`{"content":"A"}`))) },
			`error/transport status 200 text "A" error null ClientPayloadError "the connection closed within a chunked body of which 90 bytes came" chain [TransferEncodingError]`},
		{"R5", func(p *peer) {
			p.request()
			p.send(head + "Connection: close\r\n\r\n" + deltaEvent(`{"content":"A"}`))
		}, `error/incomplete_stream status 200 text "A" error null IncompleteStreamError "the stream ended without a finish reason, [DONE] or final usage" chain []`},
		{"R5 finished", func(p *peer) {
			p.request()
			p.send(head + "Connection: close\r\n\r\n" + deltaEvent(`{"content":"A"}`) + stopDelta)
		}, `ok/ status 200 text "A"`},
		{"R6", func(p *peer) { p.request() },
			`error/transport status 0 text "" error null ServerDisconnectedError "the server closed the connection before it answered" chain [EOFError]`},
		{"R9", answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 42\r\n\r\n{\"error\":{\"message\":\"prompt is too long\"}} "),
			`overflow/in_stream status 200 text "" error 502 InvalidInferenceResultError "{\"error\":{\"message\":\"prompt is too long\"}}" chain []`},
		{"length short", func(p *peer) {
			p.request()
			p.send(head + "Content-Length: 500\r\n\r\n" + deltaEvent(`{"content":"A"}`))
		}, `error/transport status 200 text "A" error null ClientPayloadError "the connection closed 410 bytes before the end of a body of 500" chain [ContentLengthError]`},
	} {
		server := newServer(t, c.serve)
		client := newClient(t, Options{}, server.url)
		r := client.Do(context.Background(), chatRequest())
		if got := describeResult(&r); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.id, got, c.want)
		}
		if r.EndNs < r.StartNs {
			t.Errorf("%s: end %d before start %d", c.id, r.EndNs, r.StartNs)
		}
	}
}

// TestResetBeforeTheAnswer is vector R7.
func TestResetBeforeTheAnswer(t *testing.T) {
	server := newServer(t, func(p *peer) { p.request(); p.reset() })
	client := newClient(t, Options{}, server.url)
	r := client.Do(context.Background(), chatRequest())
	if r.Err == nil || r.Err.Type != "ClientOSError" || r.Err.Code != nil || len(r.Err.Chain) == 0 || r.Err.Chain[len(r.Err.Chain)-1] != "ConnectionResetError" {
		t.Error(describeResult(&r))
	}
}

// TestRequestTimeout is vector R8: silent at once, and silent after one event.
func TestRequestTimeout(t *testing.T) {
	for name, first := range map[string]string{"silent": "", "after one event": sseHead + httpChunk(deltaEvent(`{"content":"A"}`))} {
		server := newServer(t, func(p *peer) { p.request(); p.send(first); p.drain() })
		client := newClient(t, Options{Timeouts: Timeouts{Request: 80 * time.Millisecond}}, server.url)
		r := client.Do(context.Background(), chatRequest())
		if r.Outcome != OutcomeError || r.Class != ClassTimeout || r.Err.Type != "TimeoutError" || r.Err.Code != nil {
			t.Errorf("%s: %s", name, describeResult(&r))
		}
		if kept := textOf(&r); kept != strings.Repeat("A", min(len(first), 1)) {
			t.Errorf("%s: kept %q", name, kept)
		}
		if took := r.EndNs - r.StartNs; took < int64(80*time.Millisecond) {
			t.Errorf("%s: ended after %v", name, time.Duration(took))
		}
	}
}

// TestCancelAfter is vectors R10 and R11: partial answers are kept, and a delay of 0 still sends all.
func TestCancelAfter(t *testing.T) {
	bodies := make(chan int, 2)
	server := newServer(t, func(p *peer) {
		p.request()
		bodies <- len(p.body)
		p.send(sseHead + httpChunk(deltaEvent(`{"content":"A"}`)))
		p.drain()
	})
	client := newClient(t, Options{}, server.url)
	for _, after := range []time.Duration{60 * time.Millisecond, 0} {
		request := chatRequest(strings.Repeat("x", 5000))
		request.CancelAfter = &after
		r := client.Do(context.Background(), request)
		if r.Outcome != OutcomeCancelled || *r.Err.Code != 499 || r.Err.Type != "RequestCancellationError" || r.CancelCause != ErrCancelAfter || r.CancelNs < r.WrittenNs {
			t.Errorf("%v: %s", after, describeResult(&r))
		}
		if sent := <-bodies; int64(sent) != r.SentBytes || sent < 5000 {
			t.Errorf("%v: %d bytes arrived of %d", after, sent, r.SentBytes)
		}
		if after > 0 && (textOf(&r) != "A" || r.Status != 200) {
			t.Errorf("%v: partial answer is lost: %s", after, describeResult(&r))
		}
	}
}

func TestCancelByTheCaller(t *testing.T) {
	for _, stage := range []string{"waiting", "reading", "before"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		server := newServer(t, func(p *peer) {
			p.request()
			if stage == "reading" {
				p.send(sseHead + httpChunk(deltaEvent(`{"content":"A"}`)))
				p.pause(20 * time.Millisecond)
			}
			cancel(context.DeadlineExceeded)
			p.drain()
		})
		if stage == "before" {
			cancel(context.DeadlineExceeded)
		}
		client := newClient(t, Options{}, server.url)
		r := client.Do(ctx, chatRequest())
		if r.Outcome != OutcomeCancelled || *r.Err.Code != 499 || r.CancelCause != context.DeadlineExceeded || r.EndNs == Unset || r.CancelNs == Unset {
			t.Errorf("%s: %s, cause %v", stage, describeResult(&r), r.CancelCause)
		}
		if stage == "reading" && textOf(&r) != "A" {
			t.Errorf("%s: partial answer is lost", stage)
		}
	}
}
