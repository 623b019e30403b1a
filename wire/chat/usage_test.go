package chat

import (
	"fmt"
	"testing"
)

func showUsage(u Usage) string {
	show := func(n int64) string {
		if n == Unset {
			return "-"
		}
		return fmt.Sprint(n)
	}
	tool := ""
	if u.ToolUsePrompt != Unset {
		tool = fmt.Sprintf(" tool%d", u.ToolUsePrompt)
	}
	return fmt.Sprintf("p%s c%s t%s r%s read%s write%s miss%s raw%s acc%s rej%s", show(u.Prompt), show(u.Completion), show(u.Total), show(u.Reasoning),
		show(u.CacheRead), show(u.CacheWrite), show(u.CacheMiss), show(u.UncachedPrompt), show(u.AcceptedPrediction), show(u.RejectedPrediction)) + tool
}

// TestUsageVectors are the usage rules: the shapes of the table, and the vectors.
func TestUsageVectors(t *testing.T) {
	for _, c := range []struct{ usage, want string }{
		{`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6},"completion_tokens_details":{"reasoning_tokens":3}}`,
			"p10 c4 t- r3 read6 write- miss- raw- acc- rej-"},
		{`{"input_tokens":4,"cache_read_input_tokens":10,"cache_creation_input_tokens":2,"output_tokens":3}`,
			"p16 c3 t- r- read10 write2 miss- raw4 acc- rej-"},
		{`{"prompt_tokens":null,"input_tokens":5}`, "p- c- t- r- read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":null},"cached_tokens":3}`, "p9 c- t- r- read3 write- miss- raw- acc- rej-"},
		{`{"promptTokenCount":7,"candidatesTokenCount":2,"totalTokenCount":9,"thoughtsTokenCount":1,"cachedContentTokenCount":5}`,
			"p7 c2 t9 r1 read5 write- miss- raw- acc- rej-"},
		{`{"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2,"toolUsePromptTokenCount":4}}`,
			"p7 c2 t- r- read- write- miss- raw- acc- rej- tool4"},
		{`{"inputTokens":4,"outputTokens":2,"totalTokens":6,"cacheReadInputTokens":3,"cacheWriteInputTokens":1}`,
			"p8 c2 t6 r- read3 write1 miss- raw4 acc- rej-"},
		{`{"input_token_count":4,"generated_token_count":2}`, "p4 c2 t- r- read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":4,"cache_read_input_tokens":3}`, "p4 c- t- r- read3 write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":9,"prompt_cache_hit_tokens":5,"prompt_cache_miss_tokens":4}`, "p9 c- t- r- read5 write- miss4 raw- acc- rej-"},
		{`{"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":2}}`, "p7 c2 t- r- read- write- miss- raw- acc- rej-"},
		{`{"meta":{"tokens":{"input_tokens":7,"output_tokens":2},"cached_tokens":3}}`, "p7 c2 t- r- read3 write- miss- raw- acc- rej-"},
		{`{"tokens":{"input_tokens":7.0,"output_tokens":2},"input_tokens":8}`, "p8 c2 t- r- read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":1,"output_tokens_details":{"reasoning_tokens":4}}`, "p1 c- t- r4 read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":1,"output_tokens_details":{"reasoning_tokens":4},"completion_tokens_details":{"reasoning_tokens":5}}`, "p1 c- t- r5 read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":1,"completion_tokens_details":{},"output_tokens_details":{"reasoning_tokens":4}}`, "p1 c- t- r4 read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":1,"completion_tokens_details":{"accepted_prediction_tokens":2,"rejected_prediction_tokens":0}}`, "p1 c- t- r- read- write- miss- raw- acc2 rej0"},
		{`{"prompt_tokens":1119,"total_tokens":1127,"completion_tokens":8,"prompt_tokens_details":{"cached_tokens":0},"reasoning_tokens":0,"completion_tokens_details":null}`,
			"p1119 c8 t1127 r0 read0 write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":"12","completion_tokens":true,"total_tokens":3}`, "p- c- t3 r- read- write- miss- raw- acc- rej-"},
		{`{"prompt_tokens":-1,"completion_tokens":1.5,"total_tokens":99999999999999999999}`, "nothing"},
		{`{"prompt_tokens":9,"tokens":{"tokens":{"output_tokens":3}}}`, "p9 c- t- r- read- write- miss- raw- acc- rej-"},
		{`{}`, "nothing"},
		{`null`, "nothing"},
		{`[]`, "nothing"},
		{`7`, "nothing"},
		{`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, "nothing"},
		{`{"something":5}`, "nothing"},
	} {
		var parser Parser
		chunk, ok := parser.Parse([]byte(`{"usage":` + c.usage + `}`))
		if !ok {
			t.Errorf("%s: not read", c.usage)
			continue
		}
		got := "nothing"
		if chunk.HasUsage {
			got = showUsage(chunk.Usage)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.usage, got, c.want)
		}
	}
}

// FuzzUsage holds the rules against what must be true of any usage object.
func FuzzUsage(f *testing.F) {
	f.Add(`{"prompt_tokens":10,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":6}}`)
	f.Add(`{"input_tokens":4,"cache_read_input_tokens":10,"output_tokens":3}`)
	f.Add(`{"usageMetadata":{"promptTokenCount":1e3},"meta":{"tokens":{}}}`)
	f.Fuzz(func(t *testing.T, usage string) {
		var parser Parser
		chunk, ok := parser.Parse([]byte(`{"usage":` + usage + `,"model":"after"}`))
		if !ok {
			return
		}
		u := chunk.Usage
		some := false
		for _, n := range []int64{u.Prompt, u.Completion, u.Total, u.Reasoning, u.CacheRead, u.CacheWrite, u.CacheMiss, u.UncachedPrompt, u.AcceptedPrediction, u.RejectedPrediction, u.ToolUsePrompt} {
			if n < Unset {
				t.Errorf("%s: count %d", usage, n)
			}
			some = some || n > 0
		}
		if some && !chunk.HasUsage {
			t.Errorf("%s: counts, but no usage", usage)
		}
		if chunk.HasUsage && u.UncachedPrompt != Unset && u.Prompt < u.UncachedPrompt {
			t.Errorf("%s: prompt %d below its uncached part %d", usage, u.Prompt, u.UncachedPrompt)
		}
	})
}
