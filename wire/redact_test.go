package wire

import "testing"

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Authorization": true, "x-api-key": true, "X-My-Session": true, "Set-Cookie": true, "X-AUTH": true, "ocp-apim-subscription-key": true,
		"X-Correlation-ID": false, "X-SMG-Routing-Key": false, "X-My-Sess": false, "Content-Type": false,
	} {
		if got := SecretName(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestOwnHeadersAreNotMasked(t *testing.T) {
	got := RedactHeaders([]Header{{"X-Session-Affinity", "a"}, {"x-dynamo-session-id", "b"}, {"X-Session-Thing", "c"}, {"X-My-Session", "d"}, {"Accept", "e"}}, "x-my-session")
	want := "a b <redacted> d e"
	var show string
	for i, header := range got {
		if i > 0 {
			show += " "
		}
		show += header.Value
	}
	if show != want {
		t.Errorf("%s, want %s", show, want)
	}
}

func TestURLRedaction(t *testing.T) {
	for in, want := range map[string]string{
		"http://u:p@h:1/x":              "http://<redacted>@h:1/x",
		"u:p@h:1":                       "<redacted>@h:1",
		"http://h/x@y":                  "http://h/x@y",
		"http://h/?api_key=1&b=2#f":     "http://h/?api_key=<redacted>&b=2#f",
		"http://h/?api-version=1&sig=x": "http://h/?api-version=1&sig=<redacted>",
		"http://h":                      "http://h",
	} {
		if got := RedactURL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestRedactorFindsEscapedAndNestedSecrets(t *testing.T) {
	r := NewRedactor("sk/TEST\"01", "sk/TEST\"0123", "", "abc")
	for in, want := range map[string]string{
		`key sk/TEST"0123 end`:      `key <redacted> end`,
		`{"k":"sk/TEST\"01"}`:       `{"k":"<redacted>"}`,
		`{"k":"sk\/TEST"01"} abc x`: `{"k":"<redacted>"} abc x`,
	} {
		if got := string(r.Bytes([]byte(in))); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if got := r.Text(in); got != want {
			t.Errorf("%s as text: %s, want %s", in, got, want)
		}
	}
}
