package wire

import (
	"encoding/json"
	"strings"
	"testing"
)

func planned(options *Options, body *Body) string {
	var plan bodyPlan
	plan.plan(options, body)
	out := plan.appendTo(nil)
	if int64(len(out)) != plan.length {
		return "length is wrong: " + string(out)
	}
	return string(out)
}

func message(role string, pieces ...string) Message {
	var content Pieces
	for _, piece := range pieces {
		content = append(content, AppendEscaped(nil, piece))
	}
	return Message{Role: role, Content: content}
}

func mustFields(t *testing.T, values ...string) Fields {
	t.Helper()
	fields, err := ParseFields(values)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestBodyVectors are the vectors of the request body.
func TestBodyVectors(t *testing.T) {
	const m = `[{"role":"user","content":"hi"}]`
	messages := []Message{message("user", "h", "i")}
	for _, c := range []struct {
		name    string
		options Options
		body    Body
		want    string
	}{
		{"ignore_eos", Options{Extra: mustFields(t, "ignore_eos:true")}, Body{Model: "m1", Stream: true, MaxTokens: 12},
			`{"messages":M,"model":"m1","stream":true,"max_completion_tokens":12,"ignore_eos":true,"stream_options":{"include_usage":true}}`},
		{"legacy", Options{LegacyMaxTokens: true}, Body{Model: "m1", Stream: true, MaxTokens: 12},
			`{"messages":M,"model":"m1","stream":true,"max_tokens":12,"stream_options":{"include_usage":true}}`},
		{"overwritten", Options{Extra: mustFields(t, "max_completion_tokens:5,model:zz,stream:false")}, Body{Model: "m1", Stream: true, MaxTokens: 12},
			`{"messages":M,"model":"zz","stream":false,"max_completion_tokens":5}`},
		{"turn's own", Options{Extra: mustFields(t, "temperature:0.5")}, Body{Model: "mm", Stream: true, MaxTokens: 3, Extra: mustFields(t, "temperature:0.1,min_tokens:3")},
			`{"messages":M,"model":"mm","stream":true,"max_completion_tokens":3,"temperature":0.1,"min_tokens":3,"stream_options":{"include_usage":true}}`},
		{"no limit", Options{}, Body{Model: "m1", Stream: true}, `{"messages":M,"model":"m1","stream":true,"stream_options":{"include_usage":true}}`},
		{"no stream", Options{PerChunkUsage: true}, Body{Model: "m1"}, `{"messages":M,"model":"m1","stream":false}`},
		{"per-chunk usage", Options{PerChunkUsage: true}, Body{Model: "m1", Stream: true},
			`{"messages":M,"model":"m1","stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`},
		{"usage off", Options{Extra: mustFields(t, `{"stream_options":{"include_usage":false}}`), PerChunkUsage: true}, Body{Model: "m1", Stream: true},
			`{"messages":M,"model":"m1","stream":true,"stream_options":{"include_usage":false,"continuous_usage_stats":true}}`},
		{"odd stream_options", Options{Extra: mustFields(t, `{"stream_options":7}`)}, Body{Model: "m1", Stream: true},
			`{"messages":M,"model":"m1","stream":true,"stream_options":7}`},
		{"null is sent", Options{Extra: mustFields(t, "stop:null")}, Body{Model: "m1"}, `{"messages":M,"model":"m1","stream":false,"stop":null}`},
		{"tools", Options{}, Body{Model: "m1", Tools: []byte(`[{"type":"function"}]`), MaxTokens: 1},
			`{"messages":M,"model":"m1","stream":false,"tools":[{"type":"function"}],"max_completion_tokens":1}`},
		{"messages overwritten", Options{Extra: mustFields(t, `{"messages":[]}`)}, Body{Model: "m1"}, `{"messages":[],"model":"m1","stream":false}`},
		{"model with odd signs", Options{}, Body{Model: "a\"<é>"}, `{"messages":M,"model":"a\"<é>","stream":false}`},
	} {
		c.body.Messages = messages
		if got, want := planned(&c.options, &c.body), strings.ReplaceAll(c.want, "M", m); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

func TestBodyMessages(t *testing.T) {
	body := Body{Model: "m", Messages: []Message{
		message("system"),
		message("user", "a\n\"", "", "<b>"),
		{Role: "assistant", Content: message("", "x").Content, ToolCalls: []ToolCall{{"call_turn_1", "recorded_tool", "{}"}, {"b", "g", `{"q":"\n"}`}}},
		{Role: "tool", Content: message("", "y").Content, ToolCallID: "call_turn_1"},
	}}
	want := `{"messages":[{"role":"system","content":""},{"role":"user","content":"a\n\"<b>"},` +
		`{"role":"assistant","content":"x","tool_calls":[{"id":"call_turn_1","type":"function","function":{"name":"recorded_tool","arguments":"{}"}},` +
		`{"id":"b","type":"function","function":{"name":"g","arguments":"{\"q\":\"\\n\"}"}}]},` +
		`{"role":"tool","content":"y","tool_call_id":"call_turn_1"}],"model":"m","stream":false}`
	got := planned(&Options{}, &body)
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Error("the body is not valid JSON")
	}
}

// TestKeptBytesBeginTheNextBody: what KeptMessages promises is what the next turn's body starts with.
func TestKeptBytesBeginTheNextBody(t *testing.T) {
	all := []Message{message("system", "s"), message("user", "one"), message("assistant", "two"), message("user", "three")}
	for kept := range 4 {
		var plan bodyPlan
		plan.plan(&Options{}, &Body{Model: "m", Stream: true, Messages: all[:3], KeptMessages: kept})
		body := string(plan.appendTo(nil))
		next := planned(&Options{}, &Body{Model: "other", Messages: append(append([]Message{}, all[:kept]...), all[3])})
		if !strings.HasPrefix(next, body[:plan.kept]) {
			t.Errorf("%d kept: %s does not begin with %s", kept, next, body[:plan.kept])
		}
		if want := strings.Join([]string{``, `{"role":"system","content":"s"}`, `{"role":"user","content":"one"}`, `{"role":"assistant","content":"two"}`}[kept:kept+1], ""); !strings.HasSuffix(body[:plan.kept], want) || (kept > 0) != (plan.kept > 0) {
			t.Errorf("%d kept: %q does not end with its last message", kept, body[:plan.kept])
		}
	}
}

// TestAPlanIsReusable plans bodies of falling and rising size with one plan.
func TestAPlanIsReusable(t *testing.T) {
	var plan bodyPlan
	for _, n := range []int{3, 50, 1, 400, 2} {
		body := Body{Model: "m", Stream: true, MaxTokens: int64(n)}
		for range n {
			body.Messages = append(body.Messages, message("user", "text", "more"))
		}
		plan.plan(&Options{}, &body)
		if got, want := string(plan.appendTo(nil)), planned(&Options{}, &body); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%d messages: %s", n, got)
		}
	}
}
