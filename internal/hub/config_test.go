package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func environment(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { value, set := pairs[name]; return value, set }
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Decision 8: a host on which the HuggingFace libraries are logged in needs no further word.
func TestTokenOfALogin(t *testing.T) {
	home, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "key")
	writeFile(t, filepath.Join(home, "token"), "hf_home\n")
	writeFile(t, elsewhere, " hf_elsewhere \r\n")
	for name, c := range map[string]struct {
		variables map[string]string
		want      string
	}{
		"the login's":            {map[string]string{"HF_HOME": home}, "hf_home"},
		"another file":           {map[string]string{"HF_HOME": home, "HF_TOKEN_PATH": elsewhere}, "hf_elsewhere"},
		"the variable before it": {map[string]string{"HF_HOME": home, "HF_TOKEN": "hf_own"}, "hf_own"},
		"not needed offline":     {map[string]string{"HF_HOME": home, "HF_HUB_OFFLINE": "1"}, ""},
		"none":                   {map[string]string{"HF_HOME": t.TempDir()}, ""},
		"no such file":           {map[string]string{"HF_HOME": home, "HF_TOKEN_PATH": filepath.Join(home, "no")}, ""},
		"nothing below a file":   {map[string]string{"HF_HOME": home, "HF_TOKEN_PATH": filepath.Join(elsewhere, "no")}, ""},
	} {
		config, err := FromEnvironment(environment(c.variables))
		if err != nil || config.Token != c.want {
			t.Errorf("%s: %q, %v; want %q", name, config.Token, err, c.want)
		}
	}
}

// What is no token is refused without showing it: it may be another secret.
func TestFilesThatHoldNoToken(t *testing.T) {
	for name, text := range map[string]string{"two words": "secret words", "long": strings.Repeat("s", 5000), "not text": "s\x00\xff"} {
		home := t.TempDir()
		writeFile(t, filepath.Join(home, "token"), text)
		_, err := FromEnvironment(environment(map[string]string{"HF_HOME": home}))
		if err == nil || !strings.Contains(err.Error(), "HF_TOKEN_PATH") || strings.Contains(err.Error(), text[:1]+"ecret") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "token"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := FromEnvironment(environment(map[string]string{"HF_HOME": home})); err == nil {
		t.Error("a folder was read as a token")
	}
}
