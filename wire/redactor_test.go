package wire

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// Servers send back what they were sent in many dresses; the secret is masked in each.
func TestRedactorFindsSecretsInDisguise(t *testing.T) {
	const secret = "sk/é-\U0001F511\"1234"
	r := NewRedactor(secret, "other-one")
	units := func(format string) string {
		var out strings.Builder
		for _, c := range []rune{'s', 'k', '/', 'é', '-', 0xd83d, 0xdd11, '"', '1', '2', '3', '4'} {
			fmt.Fprintf(&out, format, c)
		}
		return out.String()
	}
	for name, in := range map[string]string{
		"escaped":             units(`\u%04x`),
		"escaped, capitals":   units(`\u%04X`),
		"partly escaped":      `sk\u002fé-` + "\U0001F511" + `\"123\u0034`,
		"read as Latin-1":     asLatin1(secret),
		"percent":             url.QueryEscape(secret),
		"percent of a path":   url.PathEscape(secret),
		"one that is another": `other\u002done`,
	} {
		if got := r.Text("a " + in + ` \u0041 b`); got != `a <redacted> \u0041 b` {
			t.Errorf("%s: %s", name, got)
		}
	}
	for before := range 4 {
		encoded := base64.StdEncoding.EncodeToString([]byte("Bearer "[:before] + secret + " and more"))
		if got := r.Text(encoded); !strings.Contains(got, Masked) {
			t.Errorf("%d bytes before it in base64: %s", before, got)
		}
	}
	for _, whole := range []string{`sk\u002fé-x`, `\u00`, `\ud83d`, `\`, `c2s=`, "other-on"} {
		if got := r.Text(whole); got != whole {
			t.Errorf("%s became %s", whole, got)
		}
	}
}

// A stream gives a text in pieces, however it likes; put together by an export it would be whole again.
func TestRedactorFindsSecretsInPieces(t *testing.T) {
	const secret = `the/"key"é`
	event := func(key, piece string) string {
		return `data: {"id":"1","choices":[{"delta":{"` + key + `":"` + piece + "\"}}]}\n\n"
	}
	r := NewRedactor(secret)
	for name, pieces := range map[string][]string{
		"two":                {"a the/", `\"key\"é b`},
		"characters":         {"a ", "t", "h", "e", "/", `\"`, "k", "e", "y", `\u0022`, `\u00e9`, " b"},
		"twice":              {"a the", `/\"key\"éthe/\"ke`, `y\"é b`},
		"beside other texts": {"a the/\\\"key\\\"é, the/", `\"key\"é b`},
	} {
		var body, want string
		for i, piece := range pieces {
			body += event("content", piece) + event("reasoning_content", []string{"x", "y"}[i%2])
		}
		got := string(r.Answer([]byte(body)))
		plain := map[string][]byte{}
		eachString([]byte(got), func(key string, start, end int) { plain[key] = appendPlain(plain[key], []byte(got)[start:end]) })
		switch name {
		case "twice":
			want = "a <redacted><redacted> b"
		case "beside other texts":
			want = "a <redacted>, <redacted> b"
		default:
			want = "a <redacted> b"
		}
		if string(plain["content"]) != want || strings.Count(got, "data: ") != 2*len(pieces) {
			t.Errorf("%s: %q in\n%s", name, plain["content"], got)
		}
	}
	whole := event("content", "the/") + event("reasoning_content", `\"key\"é`) + `"open`
	if got := string(r.Answer([]byte(whole))); got != whole {
		t.Errorf("pieces of different texts became\n%s", got)
	}
}
