package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bugResponse is one answer of a reported fault, as its mock plays it.
type bugResponse struct {
	Status  int
	Headers map[string]string
	Writes  [][2]json.RawMessage
	End     string
}

// bugExpected is the right record of it; times are those of the write that brought the thing.
type bugExpected struct {
	Outcome, Error         string
	Text, Reasoning, Tools map[string]string
	Finish                 map[string]string
	TTFT                   *int `json:"ttft_ms"`
	TTFO                   *int `json:"ttfo_ms"`
	LastToken              *int `json:"last_token_ms"`
	TokenChunks            int  `json:"token_chunks"`
	Prompt                 *int `json:"prompt_tokens"`
	Completion             *int `json:"completion_tokens"`
	Cached                 *int `json:"cached_tokens"`
	Done                   bool
}

// pieces are the bytes of the answer as the mock sends them: the head, then each write in a chunk of its
// own. at holds the time of each piece.
func (b *bugResponse) pieces(t *testing.T) (pieces [][]byte, at []int, end error) {
	t.Helper()
	headers := map[string]string{"Content-Type": "text/event-stream"}
	for name, value := range b.Headers {
		headers[name] = value
	}
	head := fmt.Sprintf("HTTP/1.1 %d X\r\n", max(b.Status, 200))
	for name, value := range headers {
		head += name + ": " + value + "\r\n"
	}
	pieces, at = append(pieces, []byte(head+"Transfer-Encoding: chunked\r\n\r\n")), append(at, 0)
	for _, write := range b.Writes {
		ms, data := 0, bugData(t, write[1])
		json.Unmarshal(write[0], &ms)
		if data != "" {
			pieces, at = append(pieces, []byte(httpChunk(data))), append(at, ms)
		}
	}
	switch b.End {
	case "hang":
		return pieces, at, errHang
	case "close", "":
		pieces, at = append(pieces, []byte(lastChunk)), append(at, -1)
	}
	return pieces, at, io.EOF
}

func bugData(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var built struct {
		Hex, Pre, Repeat, Post string
		N                      int
	}
	if err := json.Unmarshal(raw, &built); err != nil {
		t.Fatal(err)
	}
	if built.Hex != "" {
		bytes, err := hex.DecodeString(built.Hex)
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes)
	}
	return built.Pre + strings.Repeat(built.Repeat, built.N) + built.Post
}

// TestReportedFaults plays each reported fault of the wire as it was written, and cut at every byte.
func TestReportedFaults(t *testing.T) {
	folders, _ := filepath.Glob(filepath.Join(sharedFolder(t, "bugs"), "*", "expected.json"))
	played := 0
	for _, file := range folders {
		folder := filepath.Dir(file)
		var mock struct{ Responses []bugResponse }
		var expected struct{ Responses []bugExpected }
		readJSON(t, filepath.Join(folder, "mock.json"), &mock)
		readJSON(t, file, &expected)
		for i := range expected.Responses {
			played++
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(folder), i), func(t *testing.T) {
				playFault(t, &mock.Responses[i], &expected.Responses[i])
			})
		}
	}
	if played < 20 {
		t.Errorf("only %d answers found", played)
	}
}

func playFault(t *testing.T, response *bugResponse, want *bugExpected) {
	client := newClient(t, Options{Timeouts: Timeouts{FinishGrace: time.Nanosecond}}, "http://h")
	pieces, at, end := response.pieces(t)
	request := chatRequest()
	request.KeepReads = true
	r := doScripted(client, request, end, pieces...)
	if got := faultRecord(&r); got != wantedRecord(want) {
		t.Errorf("as written:\n got %s\nwant %s", got, wantedRecord(want))
	}
	times := func(ns int64) string {
		for i, read := range r.ReadList {
			if read.At == ns && i < len(at) {
				return strconv.Itoa(at[i])
			}
		}
		return "none"
	}
	gotTimes := fmt.Sprintf("ttft %s ttfo %s last %s", times(r.FirstTokenNs), times(r.FirstTextNs), times(r.LastTokenNs))
	wantTimes := fmt.Sprintf("ttft %s ttfo %s last %s", showInt(want.TTFT), showInt(want.TTFO), showInt(want.LastToken))
	if oneReadEach := len(r.ReadList) == len(pieces); oneReadEach && gotTimes != wantTimes {
		t.Errorf("times: %s, want %s", gotTimes, wantTimes)
	}
	var all []byte
	for _, piece := range pieces {
		all = append(all, piece...)
	}
	step := 1 + len(all)*len(all)/40_000_000 // every byte, but within a line of megabytes
	for cut := 1; cut < len(all); cut++ {
		if step > 1 && cut%step != 0 && !nearLineEnd(all, cut) {
			continue
		}
		r := doScripted(client, chatRequest(), end, all[:cut], all[cut:])
		if got := faultRecord(&r); got != wantedRecord(want) {
			t.Fatalf("cut at %d:\n got %s\nwant %s", cut, got, wantedRecord(want))
		}
	}
}

// nearLineEnd tells whether a cut lies where a scanner has to decide something: near the ends of lines, of which
// the framing of HTTP has its share, or of the whole.
func nearLineEnd(all []byte, cut int) bool {
	const near = 8
	from, to := max(cut-near, 0), min(cut+near, len(all))
	return from == 0 || to == len(all) || bytes.IndexByte(all[from:to], '\n') >= 0
}

func showInt(n *int) string {
	if n == nil {
		return "none"
	}
	return strconv.Itoa(*n)
}

// faultRecord and wantedRecord show a result and an expectation in the same words.
func faultRecord(r *Result) string {
	outcome := string(r.Outcome)
	switch {
	case r.Class == ClassNotStreamed:
		outcome = "ok_not_streamed"
	case r.Class == ClassNoVisibleOutput:
		outcome = "error no_visible_output" // in the terms of the compatible export
	case r.Outcome == OutcomeOK:
	case r.Class == ClassInStream:
		outcome = "error in_band"
	case r.Class == ClassHTTP:
		outcome = fmt.Sprintf("error http_%d", r.Status)
	default:
		outcome = "error " + r.Class
	}
	text, reasoning, tools, finish := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for _, c := range r.Choices {
		for _, part := range []struct {
			to   map[string]string
			text string
		}{{text, strings.ToValidUTF8(string(c.Text), "\ufffd")}, {reasoning, string(c.Reasoning)}, {tools, string(c.Tool)}, {finish, c.Finish}} {
			if part.text != "" {
				part.to[strconv.Itoa(c.Index)] = part.text
			}
		}
	}
	chunks := r.Counts.Content()
	if !r.Streamed {
		chunks = 0
	}
	show := func(n int64) string {
		if !r.HasUsage || n == Unset {
			return "none"
		}
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s %q %q %q %q chunks %d usage %s %s %s done %v", outcome, text, reasoning, tools, finish, chunks,
		show(r.Usage.Prompt), show(r.Usage.Completion), show(r.Usage.CacheRead), r.Done)
}

func wantedRecord(want *bugExpected) string {
	outcome := want.Outcome
	if want.Error != "" {
		outcome += " " + want.Error
	}
	texts := map[string]string{}
	for index, text := range want.Text {
		if text != "" {
			// one sign for each run of bytes that are none, as in Go
			for strings.Contains(text, "\ufffd\ufffd") {
				text = strings.ReplaceAll(text, "\ufffd\ufffd", "\ufffd")
			}
			texts[index] = text
		}
	}
	filled := func(m map[string]string) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			if v != "" {
				out[k] = v
			}
		}
		return out
	}
	return fmt.Sprintf("%s %q %q %q %q chunks %d usage %s %s %s done %v", outcome, texts, filled(want.Reasoning), filled(want.Tools), filled(want.Finish), want.TokenChunks,
		showInt(want.Prompt), showInt(want.Completion), showInt(want.Cached), want.Done)
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
