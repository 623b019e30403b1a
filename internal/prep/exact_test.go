package prep

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/synth/tokentest"
)

// TestNightlyCheckFindsDifferences runs the check of `make nightly` on a small bundle, with its own tokenizer
// and with another, where AGENTX_ORACLE_PYTHON names a Python with the packages tokenizers and jinja2.
func TestNightlyCheckFindsDifferences(t *testing.T) {
	python := os.Getenv("AGENTX_ORACLE_PYTHON")
	if python == "" {
		t.Skip("AGENTX_ORACLE_PYTHON does not name a Python with the tokenizers package")
	}
	program := filepath.Join(t.TempDir(), "agentx-prep")
	if text, err := exec.Command("go", "build", "-o", program, "agentx/cmd/agentx-prep").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	own := filepath.Dir(options.Tokenizer)
	template := `{"chat_template":"{% for m in messages %}<{{ m.role }}>\n{{ m.content }}\n{% endfor %}"}`
	if err := os.WriteFile(filepath.Join(own, "tokenizer_config.json"), []byte(template), 0o600); err != nil {
		t.Fatal(err)
	}
	result := mustBuild(t, options)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "tokenizer.json"), tokentest.ByteLevel([]string{" the", "er"}).JSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, fails := range map[string]bool{own: false, other: true} {
		text, err := exec.Command(python, filepath.Join("testdata", "exact.py"), program, folder, result.Path).CombinedOutput()
		if (err != nil) != fails || !strings.Contains(string(text), "differences: alone") {
			t.Errorf("%v: %s", err, text)
		}
	}
}
