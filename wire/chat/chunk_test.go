package chat

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func showChunk(c *Chunk) string {
	var out strings.Builder
	if c.Failed {
		fmt.Fprintf(&out, "failed %s|%s|%d ", c.ErrorType, c.ErrorMessage, c.ErrorCode)
	}
	for _, choice := range c.Choices {
		fmt.Fprintf(&out, "%d:", choice.Index)
		if choice.Role {
			out.WriteString("role")
		}
		fmt.Fprintf(&out, "|%s|%s|%s|%s ", choice.Text, choice.Reasoning, choice.Tool, choice.Finish)
	}
	if c.Whole {
		out.WriteString("whole ")
	}
	if c.HasUsage {
		out.WriteString("usage ")
	}
	return strings.TrimSpace(out.String())
}

// delta is a chunk with one delta, as the vectors write C(x).
func delta(x string) string {
	return `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":` + x + `}]}`
}

// TestChunkVectors are the vectors about the JSON of chunks, and the shapes of the reported faults.
func TestChunkVectors(t *testing.T) {
	for _, c := range []struct{ id, in, want string }{
		{"S1 role", delta(`{"role":"assistant","content":""}`), "0:role||||"},
		{"S1 text", delta(`{"content":"Hi"}`), "0:|Hi|||"},
		{"S13", `{"error":{"message":"maximum context length","code":400}}`, "failed |maximum context length|400"},
		{"S13 text", `{"error":"Unauthorized"}`, "failed |Unauthorized|-1"},
		{"S13 flat", `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}`, "failed BadRequestError|too long|400"},
		{"S13 typed", `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`, "failed overloaded_error|busy|-1"},
		{"code text", `{"error":{"code":"rate_limit"}}`, "failed ||-1"},
		{"code digits", `{"error":{"code":"429","type":"t"}}`, "failed t||429"},
		{"no error", `{"error":null,"choices":[]}`, ""},
		{"empty error", `{"error":{ }}`, ""},
		{"false error", `{"error":false}`, ""},
		{"true error", `{"error":true}`, "failed ||-1"},
		{"S21", delta(`{"tool_calls":[{"index":0,"function":null}]}`), "0:||||"},
		{"S23", `{"choices":[{"delta":{"content":"A"}}]}`, "0:|A|||"},
		{"S24", `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}`, "usage"},
		{"S25", `{"choices":[],"usage":{}}`, ""},
		{"S26", delta(`{"reasoning_content":"","reasoning":"r"}`), "0:||r||"},
		{"both names", delta(`{"reasoning":"a","reasoning_content":"b"}`), "0:||b||"},
		{"S27", delta(`{"content":"p","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`), "0:|p||f{}|"},
		{"two calls", delta(`{"tool_calls":[{"function":{"arguments":"1","name":"f"}},{"function":{"arguments":"\"2\""}},{"function":{"arguments":{"a":1}}}]}`), `0:|||f1"2"{"a":1}|`},
		{"S7", delta("{\"content\":\"a\xffb\"}"), "0:|a\xffb|||"},
		{"S20", delta("{\"content\":\"a\u2028b\"}"), "0:|a\u2028b|||"},
		{"null delta", `{"choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}`, "0:||||stop"},
		{"no delta", `{"choices":[{"index":2}]}`, "2:||||"},
		{"null choices", `{"choices":null}`, ""},
		{"odd choices", `{"choices":[null,1,"x",[],{"delta":[]}]}`, "0:||||"},
		{"empty finish", `{"choices":[{"finish_reason":""}]}`, "0:||||"},
		{"odd finish", `{"choices":[{"finish_reason":"eos"},{"index":1,"finish_reason":null}]}`, "0:||||eos 1:||||"},
		{"two choices", `{"choices":[{"index":1,"delta":{"content":"y"}},{"index":0,"delta":{"content":"b"}}]}`, "1:|y||| 0:|b|||"},
		{"whole", `{"choices":[{"message":{"role":"assistant","content":"AB"},"finish_reason":"stop"}]}`, "0:role|AB|||stop whole"},
		{"completion", `{"choices":[{"text":"x","index":0}]}`, "0:|x|||"},
		{"parts", delta(`{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`), "0:|ab|||"},
		{"escapes", delta(`{"content":"\"\\\/\n\u00e9\ud83d\ude80\ud83d\u0041"}`), "0:|\"\\/\né🚀\ufffdA|||"},
		{"escaped key", `{"choices":[{"delta":{"cont\u0065nt":"A"}}]}`, "0:|A|||"},
		{"unknown", `{"x":{"choices":[{"delta":{"content":"no"}}]},"y":[[{}],"]"],"choices":[{"z":"}","delta":{"content":"A","q":[1,{"content":"no"}]}}]}`, "0:|A|||"},
		{"huge index", `{"choices":[{"index":99999999,"delta":{"content":"A"}}]}`, "0:|A|||"},
		{"raw break", delta("{\"content\":\"a\tb\"}"), "0:|a\tb|||"},
	} {
		var parser Parser
		chunk, ok := parser.Parse([]byte(c.in))
		if !ok {
			t.Errorf("%s: %s is not read", c.id, c.in)
		} else if got := showChunk(chunk); got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
}

func TestWhatIsNoObjectIsNotRead(t *testing.T) {
	for _, in := range []string{
		"", "null", "[1,2]", `"x"`, "{", "{}}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":"x}`, `{"a":tru}`, `{"a":[1`,
		`{"choices":[{"delta":{"content":"A"}}`, `{"choices":[{"delta":{"content":"\x"}}]}`, `{"choices":[{"delta":{"content":"\u12"}}]}`, `{"a":1}x`,
		`{"choices":[{"delta":{"content":"A"},}]}`, `{"choices":[{"delta":{"content":"A"}},]}`, `{"a":-}x`, `{"a":"\`,
	} {
		var parser Parser
		if chunk, ok := parser.Parse([]byte(in)); ok {
			t.Errorf("%q was read as %s", in, showChunk(chunk))
		}
	}
}

// slowChunk reads the same with encoding/json: the twin that the walker must agree with on valid text.
func slowChunk(text []byte) (string, bool) {
	var root map[string]any
	if json.Unmarshal(text, &root) != nil || root == nil {
		return "", false
	}
	var out []string
	list, _ := root["choices"].([]any)
	for _, item := range list {
		choice, ok := item.(map[string]any)
		if !ok {
			continue
		}
		text := func(from map[string]any, key string) string { s, _ := from[key].(string); return s }
		object := func(from map[string]any, key string) map[string]any { m, _ := from[key].(map[string]any); return m }
		d := object(choice, "delta")
		reasoning := text(d, "reasoning_content")
		if reasoning == "" {
			reasoning = text(d, "reasoning")
		}
		var tool string
		calls, _ := d["tool_calls"].([]any)
		for _, call := range calls {
			if call, ok := call.(map[string]any); ok {
				tool += text(object(call, "function"), "name") + text(object(call, "function"), "arguments")
			}
		}
		out = append(out, fmt.Sprintf("%q %q %q %q", text(d, "content"), reasoning, tool, text(choice, "finish_reason")))
	}
	return strings.Join(out, ";"), true
}

// comparable says whether the slow reader reads text in the same way: no repeated keys (it keeps the
// last), no parts, no completion text, no whole message.
func comparableText(text string) bool {
	for _, key := range []string{"choices", "delta", "content", "reasoning", "reasoning_content", "tool_calls", "function", "name", "arguments", "finish_reason"} {
		if strings.Count(text, `"`+key+`"`) > 1 && key != "delta" && key != "content" {
			return false
		}
	}
	return !strings.Contains(text, `"message"`) && !strings.Contains(text, `"text"`) && !strings.Contains(text, `\u`) &&
		!strings.Contains(text, `"arguments":{`) && strings.Count(text, `"content"`) < 2 && strings.Count(text, `"delta"`) < 2
}

// FuzzChunk holds the walker against encoding/json where both must agree, and against faults elsewhere.
func FuzzChunk(f *testing.F) {
	f.Add([]byte(delta(`{"role":"assistant","content":"Hi"}`)))
	f.Add([]byte(delta(`{"content":"p","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`)))
	f.Add([]byte(delta(`{"reasoning_content":"r"}`)))
	f.Add([]byte(`{"choices":[{"index":0,"delta":{"content":"\"\\\n"},"logprobs":{"x":[[],{}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`))
	f.Add([]byte(`{"error":{"message":"x","code":400,"type":"t"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var parser Parser
		chunk, ok := parser.Parse(text)
		if !json.Valid(text) {
			return
		}
		want, object := slowChunk(text)
		if ok != object {
			t.Fatalf("%q: read %v, but an object %v", text, ok, object)
		}
		if !ok || !comparableText(string(text)) {
			return
		}
		var got []string
		for _, c := range chunk.Choices {
			valid := func(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }
			got = append(got, fmt.Sprintf("%q %q %q %q", valid(c.Text), valid(c.Reasoning), valid(c.Tool), valid(c.Finish)))
		}
		if show := strings.Join(got, ";"); show != want && validUTF8(text) {
			t.Fatalf("%q: %s, want %s", text, show, want)
		}
	})
}

func validUTF8(text []byte) bool { return strings.ToValidUTF8(string(text), "") == string(text) }

func TestParsingDoesNotAllocate(t *testing.T) {
	var parser Parser
	texts := [][]byte{
		[]byte(delta(`{"content":" tok\n1"}`)),
		[]byte(delta(`{"content":"p","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]}`)),
		[]byte(`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6}}}`),
	}
	allocations := testing.AllocsPerRun(100, func() {
		for _, text := range texts {
			if _, ok := parser.Parse(text); !ok {
				t.Error("not read")
			}
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations a run", allocations)
	}
}

func BenchmarkChunk(b *testing.B) {
	for name, text := range map[string]string{
		"text":  `{"id":"chatcmpl-ac7491487bf34286","object":"chat.completion.chunk","created":1795968905,"model":"tiny","choices":[{"index":0,"delta":{"content":" tok1"},"logprobs":null,"finish_reason":null,"token_ids":null}]}`,
		"usage": `{"id":"chatcmpl-ac7491487bf34286","object":"chat.completion.chunk","created":1795968905,"model":"tiny","choices":[],"usage":{"prompt_tokens":1119,"total_tokens":1123,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":1088,"created_cache_tokens":0}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			var parser Parser
			data := []byte(text)
			b.ReportAllocs()
			for b.Loop() {
				parser.Parse(data)
			}
		})
	}
}
