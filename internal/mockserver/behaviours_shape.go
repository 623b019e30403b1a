package mockserver

import (
	"fmt"
	"slices"
	"strings"
)

// shapeBehaviours are whole answers in forms that the standards allow or servers have.
func shapeBehaviours() []Behaviour { return slices.Concat(spellings(), contents()) }

// spellings are of lines, events and characters.
func spellings() []Behaviour {
	return []Behaviour{
		{"no_space_after_colon", "data:{…} without the blank", "ok", "", afterBody, 0, respelled(func(event string) string { return strings.Replace(event, "data: ", "data:", 1) })},
		{"crlf_lines", "lines that end in CRLF", "ok", "", afterBody, 0, respelled(func(event string) string { return strings.ReplaceAll(event, "\n", "\r\n") })},
		{"cr_lines", "lines that end in CR", "ok", "", afterBody, 0, respelled(func(event string) string { return strings.ReplaceAll(event, "\n", "\r") })},
		{"mixed_lines", "an event ended by CRLF CRLF and one by LF LF in one write", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			p.text(strings.ReplaceAll(p.tokenEvent(0), "\n", "\r\n") + p.tokenEvent(1))
			p.tokens(2, max(2, p.count()))
			p.closing()
		}},
		{"byte_order_mark", "a UTF-8 byte order mark before the first event", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.text("\xef\xbb\xbf" + p.tokenEvent(0))
			p.tokens(1, p.count())
			p.closing()
		}},
		{"multi_line_data", "JSON spread over two data lines", "ok", "", afterBody, 0, respelled(func(event string) string {
			return strings.Replace(event, `"choices":[`, "\"choices\":\ndata: [", 1)
		})},
		{"one_write", "head and all events in one write", "ok", "", afterBody, 0, func(p *play) {
			p.answer()
			var all []byte
			for _, s := range p.steps {
				all = append(all, s.data...)
			}
			p.steps = []step{{data: all, times: 1}}
		}},
		{"split_utf8", "characters of several bytes cut between writes, and U+2028 and U+0085 in the text", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			event := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"中文🚀\u2028\u0085é\"},\"finish_reason\":null}]}\n\n"
			from := strings.Index(event, "中")
			p.text(event[:from+1])
			for i := from + 1; i < from+len("中文🚀"); i++ {
				p.text(event[i : i+1])
			}
			p.text(event[from+len("中文🚀"):])
			p.closing()
		}},
		{"invalid_utf8", "a text with bytes that are no UTF-8", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\xff\xfeb\"},\"finish_reason\":null}]}")
			p.closing()
		}},
	}
}

// contents are of the JSON in the events.
func contents() []Behaviour {
	return []Behaviour{
		{"empty_choices", "events with choices [], null and absent, and deltas null, {} and absent, among the tokens", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data(`{"id":"","object":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`)
			p.data(`{"choices":null}`)
			p.tokens(0, p.half())
			p.data(`{"id":"x"}`)
			p.data(`{"choices":[{"index":0,"delta":null,"finish_reason":null}]}`)
			p.data(`{"choices":[{"index":0,"finish_reason":null}]}`)
			p.data(`{"choices":[{"index":0,"delta":{}}]}`)
			p.rest()
			p.closing()
		}},
		{"several_choices", "two choices, interleaved, both in one event once", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			choice := func(index int, text, finish string) string {
				return fmt.Sprintf(`{"index":%d,"delta":{"content":%q},"finish_reason":%s}`, index, text, finish)
			}
			p.data(`{"choices":[` + choice(1, " x", "null") + `]}`)
			p.data(`{"choices":[` + choice(0, " a", "null") + `]}`)
			p.data(`{"choices":[` + choice(1, " y", "null") + "," + choice(0, " b", `"stop"`) + `]}`)
			p.data(`{"choices":[` + choice(1, " z", `"length"`) + `]}`)
			p.done()
			p.last()
		}},
		{"tool_calls_only", "an answer of tool call deltas only, content null", "ok", "", afterBody, 0, toolCalls},
		{"function_null", "a tool call delta whose function is null, then tokens", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":null}]},"finish_reason":null}]}`)
			p.tokens(0, p.count())
			p.closing()
		}},
		{"reasoning_short_name", "reasoning under the key reasoning, with reasoning_content null or empty beside it, then tokens", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data(`{"choices":[{"index":0,"delta":{"reasoning":" hm","reasoning_content":null},"finish_reason":null}]}`)
			p.data(`{"choices":[{"index":0,"delta":{"reasoning":" so","reasoning_content":""},"finish_reason":null}]}`)
			p.tokens(0, p.count())
			p.closing()
		}},
		{"finish_reason_empty", "finish_reason \"\" on every token, a real one at the end", "ok", "", afterBody, 0, respelled(func(event string) string {
			return strings.Replace(event, `"finish_reason":null`, `"finish_reason":""`, 1)
		})},
		{"finish_reason_unknown", "a finish reason that no list has", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("moon_phase")
			p.done()
			p.last()
		}},
		{"usage_null", "usage null on every event, the real one at the end", "ok", "", afterBody, 0, respelled(func(event string) string {
			return strings.Replace(event, "}\n\n", ",\"usage\":null}\n\n", 1)
		})},
	}
}

func toolCalls(p *play) {
	p.streamHead()
	p.data(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}`)
	for _, call := range []string{
		`{"index":0,"id":"call_1","type":"function","function":{"name":"read_file","arguments":""}}`,
		`{"index":0,"function":{"arguments":"{\"path\":"}}`,
		`{"index":0,"function":{"arguments":"\"a.go\"}"}}`,
	} {
		p.data(`{"choices":[{"index":0,"delta":{"tool_calls":[` + call + `]},"finish_reason":null}]}`)
	}
	p.finish("tool_calls")
	p.usage()
	p.done()
	p.last()
}

// respelled is a whole answer whose token events are spelled differently.
func respelled(spell func(event string) string) func(*play) {
	return func(p *play) {
		p.streamHead()
		p.role()
		for i := range p.count() {
			p.text(spell(p.tokenEvent(i)))
		}
		p.closing()
	}
}

// volumeBehaviours send much.
func volumeBehaviours() []Behaviour {
	line := func(size int64) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", int(size)) + `"},"finish_reason":null}]}` + "\n\n"
	}
	return []Behaviour{
		{"long_line", "one event of bytes (default 3,000,000) among the tokens", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.text(line(orDefault(p.args.Bytes, 3_000_000)))
			p.rest()
			p.closing()
		}},
		{"line_over_bound", "one event of bytes (default 20 MiB) among the tokens", "error", "line_too_long", afterBody, 0, func(p *play) {
			p.opening()
			p.text(line(orDefault(p.args.Bytes, 20<<20)))
			p.rest()
			p.closing()
		}},
		{"line_without_end", "a line that never ends, until the client is gone", "error", "line_too_long", afterBody, 0, func(p *play) {
			p.streamHead()
			p.text("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"")
			p.many("10000\r\n"+strings.Repeat("x", 0x10000)+"\r\n", -1)
		}},
		{"event_flood", "count (default 100,000) token events as fast as they go", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			var batch strings.Builder
			for i := range 100 {
				batch.WriteString(p.tokenEvent(i))
			}
			framed := hexLength(batch.Len()) + batch.String() + "\r\n"
			p.many(framed, max(1, orDefault(p.args.Count, 100_000)/100))
			p.closing()
		}},
		{"blank_flood", "bytes (default 16 MiB) of blank lines before the first token", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.many("1000\r\n"+strings.Repeat("\n", 0x1000)+"\r\n", max(1, orDefault(p.args.Bytes, 16<<20)>>12))
			p.role()
			p.tokens(0, p.count())
			p.closing()
		}},
	}
}
