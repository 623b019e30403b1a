package wire

import (
	"strings"
	"testing"
)

func textPointer(s string) *string { return &s }

// TestURLVectors are the vectors of the rules for joining a base URL and a path.
func TestURLVectors(t *testing.T) {
	for _, c := range []struct {
		base string
		path *string
		want string
	}{
		{"localhost:8000", nil, "http://localhost:8000/v1/chat/completions"},
		{"http://h:1/", nil, "http://h:1/v1/chat/completions"},
		{"http://h:1/v1", nil, "http://h:1/v1/chat/completions"},
		{"http://h:1/v1/", nil, "http://h:1/v1/chat/completions"},
		{"http://h:1/v1/chat/completions", nil, "http://h:1/v1/chat/completions"},
		{"http://h:1/openai/v1", nil, "http://h:1/openai/v1/chat/completions"},
		{"http://h:1/base", nil, "http://h:1/base/v1/chat/completions"},
		{"http://h:1/v1/chat", nil, "http://h:1/v1/chat/v1/chat/completions"},
		{"HTTPS://H:1", nil, "https://H:1/v1/chat/completions"},
		{"http://h:1/x?api-version=2#f", nil, "http://h:1/x/v1/chat/completions?api-version=2#f"},
		{"http://h:1", textPointer("/custom/gen"), "http://h:1/custom/gen"},
		{"http://h:1/v1", textPointer("/v1/foo"), "http://h:1/v1/foo"},
		{"http://h:1/v1", textPointer(""), "http://h:1/v1"},
		{"http://[::1]:8000", nil, "http://[::1]:8000/v1/chat/completions"},
		{"http://u:p@h:1", nil, "http://u:p@h:1/v1/chat/completions"},
		{"http://h:1/a%20b", nil, "http://h:1/a%20b/v1/chat/completions"},
		{"unix:///run/x.sock", nil, "http+unix://%2Frun%2Fx.sock/v1/chat/completions"},
		{"unix:///run/x.sock:/v1", nil, "http+unix://%2Frun%2Fx.sock/v1/chat/completions"},
		{"http+unix://%2Frun%2Fx.sock/openai/v1/", nil, "http+unix://%2Frun%2Fx.sock/openai/v1/chat/completions"},
	} {
		endpoint, err := ParseEndpoint(c.base, c.path)
		if err != nil {
			t.Errorf("%s: %v", c.base, err)
			continue
		}
		if got := endpoint.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.base, got, c.want)
		}
	}
}

func TestURLPartsOnTheWire(t *testing.T) {
	endpoint, err := ParseEndpoint("https://u:p%40w@Host.Example/x?api-version=2&sig=abc#f", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ what, got, want string }{
		{"target", endpoint.target(), "/x/v1/chat/completions?api-version=2&sig=abc"},
		{"host", endpoint.authority, "Host.Example"},
		{"origin", endpoint.Origin(), "https://Host.Example"},
		{"base", endpoint.Base(), "/x"},
		{"auth", endpoint.basicAuth(), "Basic dTpwQHc="},
		{"redacted", endpoint.Redacted(), "https://<redacted>@Host.Example/x/v1/chat/completions?api-version=2&sig=<redacted>#f"},
		{"models", endpoint.At("/v1/models").String(), "https://u:p%40w@Host.Example/v1/models"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
	if endpoint.Port != 443 {
		t.Errorf("port %d, want 443", endpoint.Port)
	}
}

func TestURLRefusals(t *testing.T) {
	for _, base := range []string{
		" http://h:1", "http://h:1 ", "http://h h:1", "http://", "http://:8000", "ftp://h", "http://h:0", "http://h:65536",
		"http://h:x", "http://h:", "http://h:+1", "http://[::1", "http://[h]:1", "http://[::1]8000", "http://::1:8000", "unix://x.sock", "",
	} {
		if endpoint, err := ParseEndpoint(base, nil); err == nil {
			t.Errorf("%q was taken as %s", base, endpoint)
		}
	}
	if _, err := ParseEndpoint("http://h", textPointer("v1/x")); err == nil {
		t.Error("a path without its slash was taken")
	}
	_, err := ParseEndpoint("http://user:hunter22@h:x", nil)
	if err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("the error shows the password, or there is none: %v", err)
	}
}
