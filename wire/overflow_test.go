package wire

import "testing"

func TestOverflowPhrases(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{`{"error":{"message":"This model's Maximum Context length is 4096"}}`, "context length"},
		{`request (233429 tokens) exceeds the available context size (131072 tokens)`, "available context size"},
		{`{"error":{"message":"x","type":"exceed_context_size_error"}}`, "exceed_context_size"},
		{`{"error":"prompt is too \u006cong"}`, "prompt is too long"},
		{`{"object":"error","message":"the model's context len\u0067th"}`, "context length"},
		{`{"error":{"message":"max_completion_tokens=200000 cannot be greater than max_model_len"}}`, ""},
		{``, ""},
	} {
		if got := matchOverflow(DefaultOverflowPhrases(), c.message); got != c.want {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
	if got := matchOverflow([]string{}, "context length"); got != "" {
		t.Errorf("no phrases, but %q matched", got)
	}
}

func TestOverflowIsLookedForInFewStatuses(t *testing.T) {
	for status, want := range map[int]bool{0: true, 400: true, 413: true, 422: true, 401: false, 404: false, 429: false, 500: false, 503: false} {
		if got := overflowStatus(status); got != want {
			t.Errorf("%d: %v, want %v", status, got, want)
		}
	}
}

func TestErrorsThatLookLikeOverflow(t *testing.T) {
	for text, want := range map[string]bool{
		`{"error":{"param":"max_completion_tokens","message":"too many"}}`: true,
		`{"error":{"type":"exceed_context_size_error"}}`:                   true,
		`{"object":"error","code":"context_length_exceeded"}`:              true,
		`{"error":{"param":"model","code":404}}`:                           false,
		`{"error":"Unauthorized"}`:                                         false,
		`nothing`:                                                          false,
	} {
		if got := overflowLike(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
