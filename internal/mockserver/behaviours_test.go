package mockserver

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// wireRow is what a behaviour must put on the wire, written down by hand.
type wireRow struct {
	name    string
	order   string // parameters, for smaller and faster forms
	end     string // eof, reset, open, serves (open, and the next request is answered)
	head    string // pattern of the response head
	framing string // length, close, whole, cut, bad; empty where there is no head
	body    string // shorthand of transcript_test.go, or a pattern in slashes
}

const (
	chunked = `^HTTP/1.1 200 OK\r\nServer: agentx-mock\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked$`
	answer  = "R T0 T1 T2 T3 F U D"
	halfway = "R T0 T1"
)

func jsonHead(status string) string {
	return `^HTTP/1.1 ` + status + `\r\nServer: agentx-mock\r\n(.*\r\n)?Content-Type: application/json\r\nContent-Length: \d+$`
}

func wireRows() []wireRow {
	return slices.Concat(statusRows(), cutRows(), streamRows(), noiseRows(), shapeRows())
}

func statusRows() []wireRow {
	return []wireRow{
		{"early_answer", "", "serves", chunked, "whole", answerUnknown},
		{"slow_body_read", "bytes=2000", "serves", chunked, "whole", answerUnknown},
		{"stall_before_body", "", "open", "", "", ""},
		{"continue_100", "", "serves", `^HTTP/1.1 100 Continue$`, "close", "/^HTTP/1.1 200 OK/"},
		{"early_hints", "delay_ms=1", "serves", `^HTTP/1.1 102 Processing$`, "close", `/^HTTP/1.1 103 Early Hints\r\nLink: [^\r]*\r\n\r\nHTTP/1.1 200 OK/`},
		{"many_1xx", "count=3", "serves", `^HTTP/1.1 102 Processing$`, "close", `/^(HTTP/1.1 102 Processing\r\n\r\n){2}HTTP/1.1 200 OK/`},
		{"early_413_keep", "", "serves", jsonHead("413 Request Entity Too Large"), "length", `/too large/`},
		{"early_413_close", "", "eof|reset", jsonHead("413 Request Entity Too Large"), "length", `/too large/`},
		{"early_413_linger", "", "eof", jsonHead("413 Request Entity Too Large"), "length", `/too large/`},
		{"reset_before_body", "", "reset", "", "", ""},
		{"close_before_body", "", "eof|reset", "", "", ""},

		{"status", "status=418; body={}", "serves", jsonHead("418 I'm a teapot"), "length", `/^\{\}$/`},
		{"status_503_retry_after", "", "serves", jsonHead("503 Service Unavailable"), "length", `/overloaded/`},
		{"status_429", "", "serves", jsonHead("429 Too Many Requests"), "length", `/too many/`},
		{"status_401_echo", "", "serves", jsonHead("401 Unauthorized"), "length", `/not known: Bearer secret"/`},
		{"status_404_model", "", "serves", jsonHead("404 Not Found"), "length", "/`m` is not served/"},
		{"status_413", "", "serves", jsonHead("413 Request Entity Too Large"), "length", `/too large/`},
		{"overflow_maximum", "", "serves", jsonHead("400 Bad Request"), "length", `/^\{"error":\{.*maximum context length/`},
		{"overflow_available", "", "serves", jsonHead("400 Bad Request"), "length", `/available context size.*exceed_context_size_error/`},
		{"overflow_longer", "", "serves", jsonHead("400 Bad Request"), "length", `/^\{"object":"error","message":".*context length/`},
		{"overflow_422", "", "serves", jsonHead("422 Unprocessable Entity"), "length", `/context_length_exceeded/`},
		{"overflow_words_in_500", "", "serves", jsonHead("500 Internal Server Error"), "length", `/context length/`},
		{"empty_error", "", "serves", `^HTTP/1.1 503 \r\nContent-Length: 0$`, "length", ""},
		{"html_error", "", "serves", `^HTTP/1.1 502 Bad Gateway\r\n.*text/html`, "length", `/Bad Gateway/`},
		{"error_body_cut", "", "eof", `^HTTP/1.1 500 .*Content-Length: 1000$`, "length", `/^\{"error":\{"message":"$/`},
		{"error_body_huge", "bytes=131072", "serves", `Content-Length: 131072$`, "length", `/^all work and no play.*/`},
		{"error_body_endless", "", "open", `^HTTP/1.1 500 .*chunked$`, "cut", `/^x{100000}/`},
		{"redirect", "status=302", "serves", `^HTTP/1.1 302 Found\r\n.*Location: /elsewhere\r\n`, "length", `/moved/`},
		{"no_content", "", "serves", `^HTTP/1.1 204 No Content$`, "close", ""},
	}
}

// answerUnknown is an answer to a request that was not read: the prompt is not counted.
const answerUnknown = `/"role":"assistant".* the.* of.* and.* to.*"finish_reason":"stop".*"completion_tokens":4.*\[DONE\]\n\n$/`

func cutRows() []wireRow {
	return []wireRow{
		{"delay_head", "delay_ms=30", "serves", chunked, "whole", answer},
		{"delay_first_token", "delay_ms=30", "serves", chunked, "whole", answer},
		{"delay_between", "delay_ms=10", "serves", chunked, "whole", answer},
		{"drip_head", "", "serves", chunked, "whole", answer},
		{"drip_body", "tokens=1", "serves", chunked, "whole", `/the.*DONE/`},
		{"split_chunk", "delay_ms=30", "serves", chunked, "whole", answer},
		{"stall_before_head", "", "open", "", "", ""},
		{"stall_mid_head", "", "open", `^HTTP/1.1 200 OK\r\nContent-Type: text/ev$`, "", ""},
		{"stall_after_head", "", "open", chunked, "cut", ""},
		{"stall_mid_stream", "", "open", chunked, "cut", halfway},
		{"stall_mid_event", "", "open", chunked, "cut", halfway + ` "data: {\"choices\":[{\"index\":0,\"del"`},

		{"close_before_head", "", "eof", "", "", ""},
		{"reset_before_head", "", "reset", "", "", ""},
		{"close_mid_head", "", "eof", `^HTTP/1.1 200 OK\r\nContent-Type: text/ev$`, "", ""},
		{"close_after_head", "", "eof", chunked, "cut", ""},
		{"reset_after_head", "", "reset", `^(HTTP.*)?$`, "", "*"},
		{"close_mid_stream", "", "eof", chunked, "cut", halfway},
		{"reset_mid_stream", "delay_ms=30", "reset", chunked, "cut", halfway},
		{"close_mid_chunk", "", "eof", chunked, "cut", halfway + " T2"},
		{"close_mid_chunk_size", "", "eof", chunked, "cut", halfway},
		{"no_last_chunk", "", "eof", chunked, "cut", answer},
		{"length_too_long", "", "eof", `Content-Type: text/event-stream\r\nContent-Length: \d+$`, "length", "T0 T1"},
		{"length_too_short", "", "eof", `Content-Type: text/event-stream\r\nContent-Length: \d+$`, "length", `T0 T1 "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n" D`},

		{"garbage_head", "", "eof", `^SSH-2.0-OpenSSH_9.9\r\n$`, "", ""},
		{"head_without_end", "bytes=10240", "eof", `^HTTP/1.1 200 OK\r\n(X-Filler: x+\r\n)+$`, "", ""},
		{"bad_chunk_size", "", "eof", chunked, "bad", halfway},
		{"huge_chunk_size", "", "eof", chunked, "bad", halfway},
		{"two_lengths", "", "eof", `Content-Length: 40\r\nContent-Length: 41$`, "length", `/^.{41}$/`},
		{"chunk_extensions", "", "serves", chunked, "whole", "T0 T1 T2 T3 F U D"},
		{"http_1_0", "", "eof", `^HTTP/1.0 200 OK\r\nContent-Type: text/event-stream$`, "close", answer},
		{"close_delimited", "", "eof", `text/event-stream\r\nConnection: close$`, "close", answer},
		{"close_delimited_cut", "", "eof", `text/event-stream\r\nConnection: close$`, "close", halfway},
		{"close_after_answer", "", "eof", chunked, "whole", answer},
	}
}

func streamRows() []wireRow {
	return []wireRow{
		{"no_done", "", "serves", chunked, "whole", "R T0 T1 T2 T3 F U"},
		{"no_finish", "", "serves", chunked, "whole", "R T0 T1 T2 T3 D"},
		{"no_end", "", "serves", chunked, "whole", "R T0 T1 T2 T3"},
		{"open_after_done", "", "open", chunked, "cut", answer},
		{"open_after_finish", "", "open", chunked, "cut", "R T0 T1 T2 T3 F"},
		{"late_usage", "delay_ms=30", "open", chunked, "cut", "R T0 T1 T2 T3 F U"},
		{"data_after_done", "", "serves", chunked, "whole", answer + " T0 T1"},
		{"empty_stream", "", "serves", chunked, "whole", ""},
		{"comments_only", "", "serves", chunked, "whole", `": nothing\n\n" ": to see\n\n"`},
		{"no_visible_output", "", "serves", chunked, "whole", "R F U D"},

		{"in_stream_error", "", "serves", chunked, "whole", halfway + ` "data: {\"error\":{\"message\":\"the engine died\",\"type\":\"InternalServerError\",\"param\":null,\"code\":500}}\n\n" D`},
		{"in_stream_error_first", "", "serves", chunked, "whole", `/^data: \{"error":\{"message":"the engine is dead"[^\n]*\n\n$/`},
		{"in_stream_overflow", "", "serves", chunked, "whole", `/^data: \{"error":\{"message":"the maximum context length here is 4096 tokens","code":400\}\}\n\n$/`},
		{"error_event", "", "serves", chunked, "whole", halfway + ` "event: error\ndata: {\"message\":\"the engine died\"}\n\n"`},
		{"error_event_comment", "", "serves", chunked, "whole", halfway + ` "event: error\n: the engine died\ndata: {\"x\":1}\n\n"`},
		{"unframed_error", "", "serves", chunked, "whole", `"{\"error\":{\"code\":500,\"message\":\"slot failed\",\"type\":\"server_error\"}}"`},
		{"json_error_200", "", "serves", jsonHead("200 OK"), "length", `"{\"error\": {\"message\": \"quota used up\"}}"`},
		{"json_overflow_200", "", "serves", jsonHead("200 OK"), "length", `"{\"error\":{\"message\":\"prompt is too long\"}}"`},
		{"json_answer", "", "serves", jsonHead("200 OK"), "length", `/"chat.completion".* the of.*"completion_tokens":2/`},
		{"html_200", "", "serves", `^HTTP/1.1 200 OK\r\n.*Content-Type: text/html`, "length", `/log in/`},
	}
}

// noisyRow has the noise before the role, before the first token and in the middle.
func noisyRow(name, noise string) wireRow {
	return wireRow{name, "", "serves", chunked, "whole", noise + " R " + noise + " T0 T1 " + noise + " T2 T3 F U D"}
}

func noiseRows() []wireRow {
	return []wireRow{
		{"keep_alive_comments", "delay_ms=1", "serves", chunked, "whole", `R ": keep-alive\n\n" ": keep-alive\n\n" ": keep-alive\n\n" T0 T1 T2 T3 F U D`},
		{"comment_without_blank", "", "serves", chunked, "whole", `/^: gateway is processing\ndata: .*assistant.*\n\n: gateway is processing\ndata: [^\n]* the"/`},
		noisyRow("pings", `"event: ping\ndata: {}\n\n"`),
		noisyRow("empty_data", `"data:\n\n" "\n\n"`),
		noisyRow("comment_in_data", `"data: : keep-alive\n\n"`),
		noisyRow("other_fields", `"id: 7\nretry: 10\nevent: message\nfoo: bar\n\n"`),
		noisyRow("broken_json_event", `"data: {\"choices\":[{\"index\":0,\n\n"`),
		noisyRow("json_but_no_object", `"data: [1,2]\n\n" "data: 7\n\n" "data: null\n\n"`),
		{"comment_flood", "", "open", chunked, "cut", `/the"\},"logprobs":null,"finish_reason":null\}\]\}\n\n(: keep-alive\n\n){3,}$/`},

		{"long_line", "bytes=200000", "serves", chunked, "whole", `/the.*of.*"content":"x{200000}"\},"finish_reason":null\}\]\}\n\ndata.* and.*DONE/`},
		{"line_over_bound", "bytes=300000", "serves", chunked, "whole", `/"content":"x{300000}"/`},
		{"line_without_end", "", "open", chunked, "cut", `/^data: \{"choices":\[\{"index":0,"delta":\{"content":"x{100000}[^\n]*$/`},
		{"event_flood", "count=300", "serves", chunked, "whole", `/^data: [^\n]*\n\n(data: \{[^\n]*"content":" [a-z]+"[^\n]*\n\n){300}data: [^\n]*stop/`},
		{"blank_flood", "bytes=20480", "serves", chunked, "whole", `/^\n{1000}\n*data: [^\n]*assistant/`},
	}
}

func shapeRows() []wireRow {
	respelled := func(from, to string) string {
		list := []string{"R"}
		for _, word := range words[:4] {
			list = append(list, fmt.Sprintf("%q", strings.ReplaceAll(token(word), from, to)))
		}
		return strings.Join(append(list, "F U D"), " ")
	}
	return []wireRow{
		{"no_space_after_colon", "", "serves", chunked, "whole", respelled("data: ", "data:")},
		{"crlf_lines", "", "serves", chunked, "whole", `/^data: [^\n\r]*\n\n(data: [^\n\r]* (the|of|and|to)"[^\n\r]*\r\n\r\n){4}data: [^\n\r]*stop/`},
		{"cr_lines", "", "serves", chunked, "whole", `/^data: [^\n\r]*\n\n(data: [^\n\r]* (the|of|and|to)"[^\n\r]*\r\r){4}data: [^\n\r]*stop/`},
		{"mixed_lines", "", "serves", chunked, "whole", `/ the"[^\n\r]*\r\n\r\ndata: [^\n\r]* of"[^\n\r]*\n\n/`},
		{"byte_order_mark", "", "serves", chunked, "whole", `/^\x{feff}data: [^\n]* the"/`},
		{"multi_line_data", "", "serves", chunked, "whole", `/"choices":\ndata: \[\{[^\n]* the"/`},
		{"one_write", "", "serves", chunked, "whole", answer},
		{"split_utf8", "", "serves", chunked, "whole", `R "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"中文🚀\u2028\u0085é\"},\"finish_reason\":null}]}\n\n" F U D`},
		{"invalid_utf8", "", "serves", chunked, "whole", `"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xff\xfeb\"},\"finish_reason\":null}]}\n\n" F U D`},
		{"empty_choices", "", "serves", chunked, "whole", `"data: {\"id\":\"\",\"object\":\"\",\"choices\":[],\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n" "data: {\"choices\":null}\n\n" T0 T1 "data: {\"id\":\"x\"}\n\n" "data: {\"choices\":[{\"index\":0,\"delta\":null,\"finish_reason\":null}]}\n\n" "data: {\"choices\":[{\"index\":0,\"finish_reason\":null}]}\n\n" "data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n" T2 T3 F U D`},
		{"several_choices", "", "serves", chunked, "whole", `/"index":1.* x".*"index":0.* a".*"index":1.* y".*"index":0.* b".*"stop".*"index":1.* z".*"length".*DONE/`},
		{"tool_calls_only", "", "serves", chunked, "whole", `/"content":null.*"name":"read_file","arguments":"".*"arguments":"\{\\"path\\":".*"arguments":"\\"a.go\\"\}".*"finish_reason":"tool_calls"/`},
		{"function_null", "", "serves", chunked, "whole", `/"function":null.* the.* of.* and.* to/`},
		{"reasoning_short_name", "", "serves", chunked, "whole", `/"reasoning":" hm","reasoning_content":null.*"reasoning":" so","reasoning_content":"".* the/`},
		{"finish_reason_empty", "", "serves", chunked, "whole", respelled(`"finish_reason":null`, `"finish_reason":""`)},
		{"finish_reason_unknown", "", "serves", chunked, "whole", `R T0 T1 T2 T3 "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"moon_phase\"}],\"object\":\"chat.completion.chunk\"}\n\n" D`},
		{"usage_null", "", "serves", chunked, "whole", respelled("]}\n\n", "],\"usage\":null}\n\n")},
	}
}

// chatBody is 8 tokens of prompt and 4 of answer.
const chatBody = `{"messages":[{"role":"user","content":"x"}],"model":"m","stream":true,"max_completion_tokens":4,"stream_options":{"include_usage":true}}`

// TestBehavioursAreOnTheWireAsOrdered plays every behaviour to a raw client, all at once.
func TestBehavioursAreOnTheWireAsOrdered(t *testing.T) {
	s := start(t, Options{})
	rows := wireRows()
	transcripts := make([]transcript, len(rows))
	places := make(chan struct{}, 16) // at once
	var clients sync.WaitGroup
	for i, row := range rows {
		places <- struct{}{}
		clients.Go(func() {
			held := 0
			if row.name == "reset_before_body" || strings.HasPrefix(row.name, "early_413") || row.name == "close_before_body" {
				held = 1 // so that an answer before the end of the body can be seen
			}
			var err error
			transcripts[i], err = talk(s, row, chatBody, held)
			if err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			<-places
		})
	}
	clients.Wait()
	covered := map[string]bool{"reset_at_accept": true, "close_at_accept": true} // TestAcceptFaultsCountConnections
	for i, row := range rows {
		covered[row.name] = true
		for _, problem := range problems(row, transcripts[i]) {
			t.Errorf("%s: %s", row.name, problem)
		}
	}
	for _, behaviour := range Behaviours() {
		if !covered[behaviour.Name] {
			t.Errorf("behaviour %s has no row", behaviour.Name)
		}
	}
}

// problems says where a transcript is not what the row says.
func problems(row wireRow, got transcript) (list []string) {
	report := func(format string, arguments ...any) { list = append(list, fmt.Sprintf(format, arguments...)) }
	end := got.end
	if got.again == "HTTP/1.1 200 OK" {
		end = "serves"
	}
	if got.end != row.end && !slices.Contains(strings.Split(row.end, "|"), end) {
		report("connection %s, then %q; expected %s", got.end, got.again, row.end)
	}
	head, body, framing := split(got.bytes)
	if !regexp.MustCompile("(?s)" + row.head).MatchString(head) {
		report("head %q; expected %s", head, row.head)
	}
	if row.body == "*" {
		return list
	}
	if framing != row.framing {
		report("framing %q; expected %q", framing, row.framing)
	}
	pattern, isPattern := strings.CutPrefix(row.body, "/")
	if isPattern && !matches(strings.TrimSuffix(pattern, "/"), body) || !isPattern && summary(body) != row.body {
		report("body\n %s\nexpected\n %s", cut(summary(body)), row.body)
	}
	return list
}

var manyX = regexp.MustCompile(`x\{(\d{4,})\}`)

// matches is a match of a pattern in which x{n} with a large n, which regexp refuses, stands for exactly
// the longest run of so many x.
func matches(pattern, body string) bool {
	if large := manyX.FindStringSubmatch(pattern); large != nil {
		n, _ := strconv.Atoi(large[1])
		body = strings.Replace(body, strings.Repeat("x", n), "@", 1)
		pattern = manyX.ReplaceAllString(pattern, "@")
	}
	return regexp.MustCompile("(?s)" + pattern).MatchString(body)
}

func cut(text string) string { return text[:min(len(text), 600)] }

// TestDelaysAreAtLeastAsOrdered: by the server's own clock, below the kernel nothing can be earlier.
func TestDelaysAreAtLeastAsOrdered(t *testing.T) {
	s := start(t, Options{})
	for name, least := range map[string]int64{"delay_head": 0, "delay_first_token": 20e6, "delay_between": 80e6, "split_chunk": 20e6, "late_usage": 20e6} {
		for _, row := range wireRows() {
			if row.name != name {
				continue
			}
			row.order = "delay_ms=20"
			if _, err := talk(s, row, chatBody, 0); err != nil {
				t.Fatal(err)
			}
		}
		var record Record
		for record.Fault != name { // hanging plays are recorded when the client has gone
			time.Sleep(time.Millisecond)
			if list := s.Records(); len(list) > 0 {
				record = list[len(list)-1]
			}
		}
		if took := record.EndNs - record.FirstByteNs; took < least {
			t.Errorf("%s: %d ns from first to last write; expected at least %d", name, took, least)
		}
		if wait := record.FirstByteNs - record.BodyReadNs; name == "delay_head" && wait < 20e6 {
			t.Errorf("%s: answered after %d ns", name, wait)
		}
	}
}

// TestDrippedBytesAreWrittenOneByOne: what the socket may join again was written apart.
func TestDrippedBytesAreWrittenOneByOne(t *testing.T) {
	for _, name := range []string{"drip_head", "drip_body"} {
		p := &play{stream: newChunkWriter("x", "m", 1, "reasoning_content")}
		for _, behaviour := range Behaviours() {
			if behaviour.Name == name {
				behaviour.build(p)
			}
		}
		single := 0
		for _, s := range p.steps {
			if len(s.data) == 1 {
				single++
			}
		}
		if single < 100 {
			t.Errorf("%s: %d of %d writes are single bytes", name, single, len(p.steps))
		}
	}
}

// TestOrdinaryClientReadsGoodBehaviours: net/http, which knows nothing of event streams, reads those that
// are good HTTP to their end.
func TestOrdinaryClientReadsGoodBehaviours(t *testing.T) {
	s := start(t, Options{})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // close_after_answer would spoil the next
	for _, behaviour := range Behaviours() {
		switch behaviour.Name {
		case "open_after_done", "open_after_finish", "late_usage", "no_last_chunk":
			continue // good for a reader of events only
		}
		if behaviour.Outcome != "ok" {
			continue
		}
		r, err := http.NewRequest("POST", s.URL()+chatPath, strings.NewReader(chatBody))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Mock-Fault", behaviour.Name+"; delay_ms=1; count=4; bytes=4096")
		response, err := client.Do(r)
		if err != nil {
			t.Errorf("%s: %v", behaviour.Name, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != 200 || len(body) == 0 {
			t.Errorf("%s: %d, %d bytes, %v", behaviour.Name, response.StatusCode, len(body), err)
		}
	}
}
