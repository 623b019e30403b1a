package mockserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// transcript is what a raw client saw of one connection.
type transcript struct {
	bytes []byte
	end   string // eof, reset, open
	again string // on a connection that stayed open: the status line of a second, ordinary request
}

// patience is how long the tests wait for what must come; it is never waited out when all is well.
const patience = 30 * time.Second

// talk orders a fault by hand and reads until the answer has ended the way the row says, or is silent
// once all that the row expects is there. A request that is held back sends all but one byte of its body
// first.
func talk(s *Server, row wireRow, body string, held int) (transcript, error) {
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		return transcript{}, err
	}
	defer conn.Close()
	order := row.name + "; " + row.order
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nX-Mock-Fault: %s\r\nX-Request-ID: %s\r\nAuthorization: Bearer secret\r\nContent-Length: %d\r\n\r\n", chatPath, order, row.name, len(body))
	if _, err := io.WriteString(conn, head+body[:len(body)-held]); err != nil {
		return transcript{}, err
	}
	serves := row.end == "serves"
	got := listen(conn, 300*time.Millisecond, func(soFar []byte) bool { return serves && complete(soFar) }, func(soFar []byte) bool {
		return !serves && len(problems(row, transcript{bytes: soFar, end: row.end})) == 0
	})
	if held > 0 { // now the rest: whoever answers early must read it, or not, as it says
		if _, err := io.WriteString(conn, body[len(body)-held:]); err != nil {
			return got, nil
		}
	}
	if serves && got.end == "open" {
		got.again = knock(conn)
	}
	return got, nil
}

// listen reads until the connection ends, enough says that nothing more is to come, or there is silence
// and satisfied says that all is there.
func listen(conn net.Conn, silence time.Duration, enough, satisfied func([]byte) bool) transcript {
	var got transcript
	buffer := make([]byte, 1<<16)
	deadline := time.Now().Add(patience)
	for got.end == "" {
		_ = conn.SetReadDeadline(time.Now().Add(silence))
		n, err := conn.Read(buffer)
		got.bytes = append(got.bytes, buffer[:n]...)
		var timeout net.Error
		switch {
		case errors.Is(err, io.EOF):
			got.end = "eof"
		case errors.Is(err, syscall.ECONNRESET):
			got.end = "reset"
		case errors.As(err, &timeout) && timeout.Timeout():
			if satisfied(got.bytes) || time.Now().After(deadline) {
				got.end = "open"
			}
		case err != nil:
			got.end = err.Error()
		case enough(got.bytes), len(got.bytes) > 2<<20, len(got.bytes) > 0 && satisfied(got.bytes) && time.Now().After(deadline.Add(2*time.Second-patience)):
			got.end = "open" // or without end: comments that go on for ever
		}
	}
	_ = conn.SetReadDeadline(time.Time{})
	return got
}

// complete says whether the bytes are a whole HTTP answer, interim heads before it included.
func complete(soFar []byte) bool {
	for bytes.HasPrefix(soFar, []byte("HTTP/1.1 1")) {
		_, rest, found := bytes.Cut(soFar, []byte("\r\n\r\n"))
		if !found {
			return false
		}
		soFar = rest
	}
	head, body, framing := split(soFar)
	if announced := regexp.MustCompile(`(?i)content-length: (\d+)`).FindStringSubmatch(head); announced != nil && framing == "length" {
		length, _ := strconv.Atoi(announced[1])
		return len(body) >= length
	}
	return framing == "whole" && bytes.HasSuffix(soFar, []byte("\r\n\r\n")) || framing == "close" && strings.HasPrefix(head, "HTTP/1.1 204")
}

// knock sends an ordinary request on a connection and returns the status line, or "" where none comes.
func knock(conn net.Conn) string {
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return ""
	}
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSpace(line)
}

// split cuts a response into head and body and undoes HTTP chunks. framing is length, close, whole
// (chunked, with its last chunk), cut, or bad.
func split(response []byte) (head, body, framing string) {
	headBytes, rest, found := bytes.Cut(response, []byte("\r\n\r\n"))
	if !found {
		return string(response), "", ""
	}
	head = string(headBytes)
	if !strings.Contains(head, "Transfer-Encoding: chunked") {
		if strings.Contains(head, "Content-Length") {
			return head, string(rest), "length"
		}
		return head, string(rest), "close"
	}
	for {
		line, after, found := bytes.Cut(rest, []byte("\r\n"))
		if !found {
			return head, body, "cut"
		}
		size, err := strconv.ParseInt(strings.Split(string(line), ";")[0], 16, 64)
		switch {
		case err != nil:
			return head, body, "bad"
		case size == 0:
			return head, body, "whole"
		case int64(len(after)) < size+2:
			return head, body + string(after), "cut"
		}
		body += string(after[:size])
		rest = after[size+2:]
	}
}

var envelope = regexp.MustCompile(`"id":"chatcmpl-[0-9a-f]+","object":"chat.completion.chunk","created":[0-9]+,"model":"m",`)

// summary writes a body in shorthand: R for the role, T0 for the first word and so on, F for finish
// reason stop, U for usage, D for [DONE]; anything else as a Go string without the usual envelope.
func summary(body string) string {
	var parts []string
	for body != "" {
		event, rest, found := strings.Cut(body, "\n\n")
		if found {
			event += "\n\n"
		}
		body = rest
		parts = append(parts, shorthand(envelope.ReplaceAllString(event, "")))
	}
	return strings.Join(parts, " ")
}

func shorthand(event string) string {
	switch event {
	case `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}` + "\n\n":
		return "R"
	case `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"object":"chat.completion.chunk"}` + "\n\n":
		return "F"
	case "data: [DONE]\n\n":
		return "D"
	}
	for i, word := range words {
		if event == token(word) {
			return "T" + strconv.Itoa(i)
		}
	}
	if strings.HasPrefix(event, `data: {"choices":[],"usage":{"prompt_tokens":8,"total_tokens":12,"completion_tokens":4,`) {
		return "U"
	}
	return strconv.Quote(event)
}

// token is the event of one word as the tests expect it.
func token(word string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + word + `"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
}

// TestRulesChooseRequests: conditions are by number, times, path, header and a draw by seed.
func TestRulesChooseRequests(t *testing.T) {
	s := start(t, Options{Faults: Faults{Rules: []Rule{
		{Fault: "status", Args: Args{Status: 501}, From: 1, Every: 3, Times: 2},
		{Fault: "status", Args: Args{Status: 502}, Header: "X-Group: b"},
		{Fault: "status", Args: Args{Status: 503}, Path: "/v1/models", Times: 1},
		{Fault: "status", Args: Args{Status: 504}, Probability: 0.5, From: 10},
	}}})
	var got []int
	for i := range 10 {
		group := "a"
		if i == 3 {
			group = "b"
		}
		response, _ := post(t, s, request("x", `,"max_tokens":1`), "X-Group", group)
		got = append(got, response.StatusCode)
	}
	if fmt.Sprint(got) != "[200 501 200 502 501 200 200 200 200 200]" {
		t.Errorf("statuses %v", got)
	}
	first, err := http.Get(s.URL() + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	first.Body.Close()
	if get(t, s, "/v1/models"); first.StatusCode != 503 {
		t.Errorf("first GET /v1/models: %d", first.StatusCode)
	}
	draws := func() (list []int) {
		for i := range 100 {
			response, _ := post(t, s, request("x", `,"max_tokens":1`), "X-Request-ID", fmt.Sprint(i))
			list = append(list, response.StatusCode)
		}
		return list
	}
	once, twice := draws(), draws()
	failed := 0
	for i := range once {
		if once[i] != twice[i] {
			t.Fatalf("request %d: %d, then %d", i, once[i], twice[i])
		}
		if once[i] == 504 {
			failed++
		}
	}
	if failed < 30 || failed > 70 {
		t.Errorf("%d of 100 requests failed at a probability of 0.5", failed)
	}
}

func TestAcceptFaultsCountConnections(t *testing.T) {
	s := start(t, Options{Faults: Faults{Rules: []Rule{{Fault: "reset_at_accept", From: 1, Times: 1}, {Fault: "close_at_accept", From: 2, Times: 1}}}})
	for i, want := range []string{"open", "reset", "eof", "open"} {
		conn, err := net.Dial("tcp", s.listener.Addr().String())
		got := transcript{end: "reset"}
		if err == nil {
			all := func([]byte) bool { return want == "open" }
			got = listen(conn, 100*time.Millisecond, func([]byte) bool { return false }, all)
			conn.Close()
		} else if !errors.Is(err, syscall.ECONNRESET) { // RST may come before connect returns
			t.Fatal(err)
		}
		if got.end != want || len(got.bytes) > 0 {
			t.Errorf("connection %d: %s after %q; expected %s", i, got.end, got.bytes, want)
		}
	}
}

func TestFaultProblemsAreNamed(t *testing.T) {
	for _, faults := range []Faults{
		{Rules: []Rule{{Fault: "no_such"}}},
		{Rules: []Rule{{Fault: "status", Probability: 2}}},
		{Responses: []Response{{End: "vanish"}}},
		{Responses: []Response{{}}, ByMaxTokens: map[string]int{"3": 1}},
	} {
		if s, err := Start(Options{Faults: faults}); err == nil {
			s.Close()
			t.Errorf("%+v is accepted", faults)
		}
	}
	s := start(t, Options{})
	for _, order := range []string{"no_such", "status; colour=red", "status; status=x", "reset_at_accept"} {
		if response, body := post(t, s, request("x", ""), "X-Mock-Fault", order); response.StatusCode != 400 {
			t.Errorf("order %q: %d %s", order, response.StatusCode, body)
		}
	}
}

// TestScriptedWriteForms: a string, hex, and a repetition.
func TestScriptedWriteForms(t *testing.T) {
	var writes []ScriptedWrite
	raw := `[[0,"a\n"],[1.5,{"hex":"e4b8"}],[2,{"pre":"<","repeat":"xy","n":3,"post":">"}]]`
	if err := json.Unmarshal([]byte(raw), &writes); err != nil {
		t.Fatal(err)
	}
	for i, want := range []ScriptedWrite{{0, []byte("a\n")}, {1.5, []byte("\xe4\xb8")}, {2, []byte("<xyxyxy>")}} {
		if writes[i].AtMs != want.AtMs || !bytes.Equal(writes[i].Data, want.Data) {
			t.Errorf("write %d is %v %q", i, writes[i].AtMs, writes[i].Data)
		}
	}
	for _, bad := range []string{`[[0]]`, `[["x","y"]]`, `[[0,{"repeat":"x","n":-1}]]`, `[[0,{"hex":"zz"}]]`, `[[0,7]]`} {
		if err := json.Unmarshal([]byte(bad), &writes); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
