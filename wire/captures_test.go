package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// captured is one recorded answer: its head, and its body with the HTTP framing taken off.
type captured struct {
	status int
	stream bool
	head   string
	body   []byte
}

func readCapture(t *testing.T, file string) captured {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, body, found := bytes.Cut(text, []byte("\r\n\r\n"))
	if !found {
		head, body, _ = bytes.Cut(text, []byte("\n\n"))
	}
	c := captured{body: body}
	for i, line := range strings.Split(strings.ReplaceAll(string(head), "\r", ""), "\n") {
		if i == 0 {
			fmt.Sscanf(line, "HTTP/1.1 %d", &c.status)
		}
		name, value, _ := strings.Cut(strings.ToLower(line), ":")
		if name == "transfer-encoding" || name == "content-length" {
			continue
		}
		if name == "content-type" {
			c.stream = strings.Contains(value, "event-stream")
		}
		c.head += line + "\r\n"
	}
	return c
}

// answer frames the body again: in chunks that cut it anywhere, or with its length.
func (c *captured) answer(chunk int) []byte {
	if !c.stream {
		return []byte(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", c.head, len(c.body), c.body))
	}
	out := []byte(c.head + "Transfer-Encoding: chunked\r\n\r\n")
	for rest := c.body; len(rest) > 0; {
		n := min(chunk, len(rest))
		out = append(out, httpChunk(string(rest[:n]))...)
		rest = rest[n:]
	}
	return append(out, lastChunk...)
}

// slowRecord reads a body with encoding/json and nothing clever: the twin that records are held against.
type slowRecord struct {
	text, finish string
	usage        map[string]any
	done         bool
	chunks       int
}

func readSlowly(c *captured) (s slowRecord) {
	take := func(data string) {
		var chunk struct {
			Choices []struct {
				Text    string
				Finish  string                              `json:"finish_reason"`
				Delta   struct{ Content, Reasoning string } `json:"delta"`
				Message struct{ Content string }            `json:"message"`
			}
			Usage map[string]any
		}
		if json.Unmarshal([]byte(data), &chunk) != nil {
			return
		}
		if len(chunk.Usage) > 0 {
			s.usage = chunk.Usage
		}
		for _, choice := range chunk.Choices {
			piece := choice.Delta.Content + choice.Message.Content + choice.Text
			s.text += piece
			if piece != "" {
				s.chunks++
			}
			if choice.Finish != "" {
				s.finish = choice.Finish
			}
		}
	}
	if !c.stream {
		take(string(c.body))
		return s
	}
	for _, line := range strings.Split(string(c.body), "\n") {
		data, found := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if data = strings.TrimSpace(data); data == "[DONE]" {
			s.done = true
		} else if found {
			take(data)
		}
	}
	return s
}

// TestCaptures reads every recorded answer of the real servers into the right record.
func TestCaptures(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedFolder(t, "captures"), "*", "*.response.txt"))
	kinds := map[string]int{}
	for _, file := range files {
		name := filepath.Join(filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".response.txt"))
		t.Run(name, func(t *testing.T) {
			c := readCapture(t, file)
			kinds[checkCapture(t, name, &c)]++
		})
	}
	t.Logf("%d captures: %v", len(files), kinds)
	if len(files) < 90 || kinds["ok"] < 30 || kinds["overflow"] < 6 || kinds["http"] < 20 {
		t.Errorf("%d captures: %v", len(files), kinds)
	}
}

// checkCapture plays a capture whole and in small pieces, and gives the kind of its record.
func checkCapture(t *testing.T, name string, c *captured) string {
	client := newClient(t, Options{}, "http://h")
	want := readSlowly(c)
	kind := ""
	for _, size := range []int{1 << 20, 1000, 61, 7} {
		answer := c.answer(size)
		var pieces [][]byte
		for rest := answer; len(rest) > 0; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		r := doScripted(client, chatRequest(), io.EOF, pieces...)
		kind = checkCaptured(t, name, c, &want, &r)
	}
	return kind
}

func checkCaptured(t *testing.T, name string, c *captured, want *slowRecord, r *Result) string {
	base := filepath.Base(name)
	if r.Status != c.status || r.EndNs == Unset {
		t.Fatalf("status %d, want %d; end %d", r.Status, c.status, r.EndNs)
	}
	if c.status != 200 {
		overflow := strings.Contains(base, "context_overflow") || base == "prompt_plus_output_over_window"
		if (r.Outcome == OutcomeOverflow) != overflow || r.Class != ClassHTTP || *r.Err.Code != c.status || r.Err.Message != string(c.body) {
			t.Errorf("%s", describeResult(r))
		}
		if like := strings.Contains(base, "max_tokens_overflow"); r.OverflowLike != like {
			t.Errorf("looks like an overflow: %v, want %v", r.OverflowLike, like)
		}
		if overflow {
			return "overflow"
		}
		return "http"
	}
	if want.text == "" { // an interface that is not chat: no content that we know
		class, outcome := ClassIncompleteStream, OutcomeError
		if want.done {
			class, outcome = ClassNoVisibleOutput, OutcomeOK
		}
		if r.Outcome != outcome || r.Class != class || textOf(r) != "" || r.FirstTokenNs != Unset {
			t.Errorf("%s, want %s/%s", describeResult(r), outcome, class)
		}
		return "other"
	}
	if want.finish == "" && !want.done && want.usage == nil { // a recording that ends in the middle
		if r.Class != ClassIncompleteStream || textOf(r) != want.text {
			t.Errorf("%s, want an incomplete stream", describeResult(r))
		}
		return "incomplete"
	}
	if r.Outcome != OutcomeOK || textOf(r) != want.text || r.Choices[0].Finish != want.finish || r.Done != want.done {
		t.Errorf("%s, finish %q, done %v; want %q, %q, %v", describeResult(r), r.Choices[0].Finish, r.Done, want.text, want.finish, want.done)
	}
	if r.Counts.Content() != want.chunks || r.Streamed != c.stream || (r.FirstTokenNs != Unset) != c.stream {
		t.Errorf("%d content chunks, want %d; streamed %v", r.Counts.Content(), want.chunks, r.Streamed)
	}
	checkCapturedUsage(t, want, r)
	return "ok"
}

func checkCapturedUsage(t *testing.T, want *slowRecord, r *Result) {
	number := func(key string, from map[string]any) int64 {
		if n, ok := from[key].(float64); ok {
			return int64(n)
		}
		return Unset
	}
	if r.HasUsage != (want.usage != nil) {
		t.Errorf("usage %v, want %v", r.HasUsage, want.usage)
	}
	if !r.HasUsage {
		return
	}
	details, _ := want.usage["prompt_tokens_details"].(map[string]any)
	if r.Usage.Prompt != number("prompt_tokens", want.usage) || r.Usage.Completion != number("completion_tokens", want.usage) ||
		r.Usage.Total != number("total_tokens", want.usage) || r.Usage.CacheRead != number("cached_tokens", details) {
		t.Errorf("usage %+v, want %v", r.Usage, want.usage)
	}
}
