package mockserver

import (
	"fmt"
	"strings"
)

// statusBehaviours answer with a status and a body.
func statusBehaviours() []Behaviour {
	overflow := func(status int, kind, message string) func(*play) {
		return func(p *play) { p.apiError(status, kind, message) }
	}
	return []Behaviour{
		{"status", "status (default 500) with an error object, or with body as JSON; the connection serves on", "error", "http", afterBody, 0,
			func(p *play) { p.apiError(500, "InternalServerError", "ordered by a fault rule") }},
		{"status_503_retry_after", "503 with Retry-After: 1", "error", "http", afterBody, 0,
			func(p *play) { p.apiError(503, "ServiceUnavailable", "overloaded", "Retry-After: 1") }},
		{"status_429", "429 with Retry-After: 1", "error", "http", afterBody, 0,
			func(p *play) { p.apiError(429, "RateLimitError", "too many requests", "Retry-After: 1") }},
		{"status_401_echo", "401 whose message repeats the Authorization header", "error", "http", afterBody, 0,
			func(p *play) { p.apiError(401, "authentication_error", "this key is not known: "+p.apiKey) }},
		{"status_404_model", "404 for the model", "error", "http", afterBody, 0,
			func(p *play) {
				p.apiError(404, "NotFoundError", fmt.Sprintf("The model `%s` is not served here.", p.request.Model))
			}},
		{"status_413", "413 after the body was read", "error", "http", afterBody, 0,
			func(p *play) {
				p.apiError(413, "RequestEntityTooLarge", "the request body is too large for this server")
			}},
		{"overflow_maximum", "400 whose message has the words maximum context length", "overflow", "http", afterBody, 0,
			overflow(400, "BadRequestError", "The maximum context length here is 4096 tokens, and your prompt alone has 5000.")},
		{"overflow_available", "400 in llama.cpp's manner: type exceed_context_size_error, exceeds the available context size", "overflow", "http", afterBody, 0,
			overflow(400, "exceed_context_size_error", "a prompt of 5000 tokens exceeds the available context size of 4096")},
		{"overflow_longer", "400 in SGLang's manner: flat object, input longer than the context length", "overflow", "http", afterBody, 0,
			func(p *play) {
				p.whole(400, "application/json", `{"object":"error","message":"an input of 5000 tokens is longer than the context length of 4096","type":"BadRequestError","param":null,"code":400}`)
			}},
		{"overflow_422", "422 with the words context_length_exceeded", "overflow", "http", afterBody, 0,
			overflow(422, "invalid_request_error", "context_length_exceeded")},
		{"overflow_words_in_500", "500 whose message has the words context length: no overflow, by its status", "error", "http", afterBody, 0,
			overflow(500, "InternalServerError", "assertion failed: context length")},
		{"empty_error", "503 without a reason phrase and without a body", "error", "http", afterBody, 0,
			func(p *play) { p.raw("HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n") }},
		{"html_error", "502 with an HTML page, as proxies answer", "error", "http", afterBody, 0,
			func(p *play) { p.whole(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>\n") }},
		{"error_body_cut", "500 that announces 1,000 body bytes, sends 20 and closes", "error", "http", afterBody, 0, func(p *play) {
			p.head(500, "Content-Type: application/json", "Content-Length: 1000")
			p.raw(`{"error":{"message":"`)
			p.ending = endClose
		}},
		{"error_body_huge", "500 with a body of bytes (default 64 MiB)", "error", "http", afterBody, 0, func(p *play) {
			size := orDefault(p.args.Bytes, 64<<20) &^ 0xffff
			p.head(500, "Content-Type: text/plain", fmt.Sprintf("Content-Length: %d", size))
			p.many(strings.Repeat("all work and no play.", 1<<16/21+1)[:1<<16], size>>16)
		}},
		{"error_body_endless", "500 whose chunked body never ends", "error", "http", afterBody, 0, func(p *play) {
			p.head(500, "Content-Type: text/plain", "Transfer-Encoding: chunked")
			p.many("1000\r\n"+strings.Repeat("x", 0x1000)+"\r\n", -1)
		}},
		{"redirect", "307 (or status) to location (default /elsewhere)", "error", "http", afterBody, 0, func(p *play) {
			p.args.Status = int(orDefault(int64(p.args.Status), 307))
			if p.args.Location == "" {
				p.args.Location = "/elsewhere"
			}
			p.whole(p.args.Status, "text/plain", "moved\n", "Location: "+p.args.Location)
		}},
		{"no_content", "204 without a body", "error", "incomplete_stream", afterBody, 0,
			func(p *play) { p.raw("HTTP/1.1 204 No Content\r\n\r\n") }},
	}
}
