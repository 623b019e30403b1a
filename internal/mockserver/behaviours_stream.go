package mockserver

// endBehaviours end their streams oddly.
func endBehaviours() []Behaviour {
	return []Behaviour{
		{"no_done", "finish reason and usage, no [DONE], a proper last HTTP chunk", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.usage()
			p.last()
		}},
		{"no_finish", "all tokens and [DONE], no finish reason", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.done()
			p.last()
		}},
		{"no_end", "all tokens, then neither finish reason nor usage nor [DONE], but a proper last HTTP chunk", "error", "incomplete_stream", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.last()
		}},
		{"open_after_done", "everything up to [DONE], then the socket stays open without a last HTTP chunk", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.usage()
			p.done()
			p.ending = endHang
		}},
		{"open_after_finish", "everything up to the finish reason, then the socket stays open", "ok", "no_end", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.ending = endHang
		}},
		{"late_usage", "finish reason, usage delay_ms later, no [DONE], then the socket stays open", "ok", "no_end", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.delay()
			p.usage()
			p.ending = endHang
		}},
		{"data_after_done", "two more token events after [DONE], then a proper last HTTP chunk", "ok", "", afterBody, 0, func(p *play) {
			p.opening()
			p.rest()
			p.finish("stop")
			p.usage()
			p.done()
			p.tokens(0, 2)
			p.last()
		}},
		{"empty_stream", "an event stream of zero bytes", "error", "incomplete_stream", afterBody, 0, func(p *play) { p.streamHead(); p.last() }},
		{"comments_only", "a stream of comments and nothing else", "error", "incomplete_stream", afterBody, 0, func(p *play) {
			p.streamHead()
			p.text(": nothing\n\n: to see\n\n")
			p.last()
		}},
		{"no_visible_output", "role, an empty delta with a finish reason, usage, [DONE]: an answer in which nothing is visible", "ok", "no_visible_output", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			p.closing()
		}},
	}
}

// inStreamBehaviours say 200 and mean an error.
func inStreamBehaviours() []Behaviour {
	return []Behaviour{
		{"in_stream_error", "half of the tokens, then data: {\"error\": …} and [DONE]", "error", "in_stream", afterBody, 0, func(p *play) {
			p.opening()
			p.data(`{"error":{"message":"the engine died","type":"InternalServerError","param":null,"code":500}}`)
			p.done()
			p.last()
		}},
		{"in_stream_error_first", "data: {\"error\": …} as the only event", "error", "in_stream", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data(`{"error":{"message":"the engine is dead","type":"InternalServerError","param":null,"code":500}}`)
			p.last()
		}},
		{"in_stream_overflow", "data: {\"error\": …} about the maximum context length as the only event", "overflow", "in_stream", afterBody, 0, func(p *play) {
			p.streamHead()
			p.data(`{"error":{"message":"the maximum context length here is 4096 tokens","code":400}}`)
			p.last()
		}},
		{"error_event", "half of the tokens, then event: error with data", "error", "in_stream", afterBody, 0, func(p *play) {
			p.opening()
			p.text("event: error\ndata: {\"message\":\"the engine died\"}\n\n")
			p.last()
		}},
		{"error_event_comment", "half of the tokens, then event: error with a comment for a reason", "error", "in_stream", afterBody, 0, func(p *play) {
			p.opening()
			p.text("event: error\n: the engine died\ndata: {\"x\":1}\n\n")
			p.last()
		}},
		{"unframed_error", "a bare JSON error object, without data:, in an event stream", "error", "in_stream", afterBody, 0, func(p *play) {
			p.streamHead()
			p.text(`{"error":{"code":500,"message":"slot failed","type":"server_error"}}`)
			p.last()
		}},
		{"json_error_200", "200 with a JSON error body", "error", "in_stream", afterBody, 0, func(p *play) {
			p.whole(200, "application/json", `{"error": {"message": "quota used up"}}`)
		}},
		{"json_overflow_200", "200 with a JSON error body that says prompt is too long", "overflow", "in_stream", afterBody, 0, func(p *play) {
			p.whole(200, "application/json", `{"error":{"message":"prompt is too long"}}`)
		}},
		{"json_answer", "200 with a whole chat.completion as JSON, although a stream was asked for", "ok", "not_streamed", afterBody, 0, func(p *play) {
			p.whole(200, "application/json", `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":" the of"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`)
		}},
		{"html_200", "200 with an HTML page", "error", "incomplete_stream", afterBody, 0, func(p *play) {
			p.whole(200, "text/html", "<html><body>please log in</body></html>\n")
		}},
	}
}

// noiseBehaviours are whole answers with things between the events that a reader must step over.
func noiseBehaviours() []Behaviour {
	noisy := func(noise string) func(*play) {
		return func(p *play) {
			p.streamHead()
			p.text(noise)
			p.role()
			p.text(noise)
			p.tokens(0, p.half())
			p.text(noise)
			p.rest()
			p.closing()
		}
	}
	return []Behaviour{
		{"keep_alive_comments", "comments as keep-alives, delay_ms apart, before the first token", "ok", "", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			for range 3 {
				p.delay()
				p.text(": keep-alive\n\n")
			}
			p.tokens(0, p.count())
			p.closing()
		}},
		{"comment_without_blank", "comments that end without a blank line, right before events", "ok", "", afterBody, 0, noisy(": gateway is processing\n")},
		{"pings", "event: ping with data", "ok", "", afterBody, 0, noisy("event: ping\ndata: {}\n\n")},
		{"empty_data", "data lines without a value, and blank events", "ok", "", afterBody, 0, noisy("data:\n\n\n\n")},
		{"comment_in_data", "a comment wrapped in data", "ok", "", afterBody, 0, noisy("data: : keep-alive\n\n")},
		{"other_fields", "id, retry and unknown fields", "ok", "", afterBody, 0, noisy("id: 7\nretry: 10\nevent: message\nfoo: bar\n\n")},
		{"broken_json_event", "an event whose data is no JSON", "ok", "", afterBody, 0, noisy("data: {\"choices\":[{\"index\":0,\n\n")},
		{"json_but_no_object", "events whose data is an array, a number, null", "ok", "", afterBody, 0, noisy("data: [1,2]\n\ndata: 7\n\ndata: null\n\n")},
		{"comment_flood", "comments for ever, 50 ms apart, after the first token, and nothing else", "error", "timeout", afterBody, 0, func(p *play) {
			p.streamHead()
			p.role()
			p.tokens(0, 1)
			p.steps = append(p.steps, step{p.atNs, []byte("e\r\n: keep-alive\n\n\r\n"), -1, 50e6})
			p.ending = endHang
		}},
	}
}
