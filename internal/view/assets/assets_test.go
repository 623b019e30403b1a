package assets

import (
	"bytes"
	"strings"
	"testing"
)

// Without the script the package must still have something to embed, else nothing would build.
func TestFolderAlwaysHoldsTheReadme(t *testing.T) {
	readme, err := folder.ReadFile("README.md")
	if err != nil || !strings.Contains(string(readme), "make assets") {
		t.Fatalf("README.md is not embedded or does not say how to get the script: %v", err)
	}
}

func TestEmbeddedScriptIsThePinnedOneAndSafeInline(t *testing.T) {
	script, embedded := ECharts()
	if !embedded {
		t.Skip("echarts.min.js is not there: run `make assets`")
	}
	if err := Verify(script); err != nil {
		t.Error(err)
	}
	for _, ending := range []string{"</script", "<!--"} {
		if bytes.Contains(bytes.ToLower(script), []byte(ending)) {
			t.Errorf("the script holds %q, which would end an inline script block", ending)
		}
	}
}

func TestVerifyRefusesAnythingElse(t *testing.T) {
	if err := Verify([]byte("alert(1)")); err == nil || !strings.Contains(err.Error(), PackageVersion) {
		t.Errorf("a foreign script was accepted, or the error does not name the version: %v", err)
	}
	if err := VerifyPackage([]byte("not a package")); err == nil || !strings.Contains(err.Error(), "integrity") {
		t.Errorf("a foreign package was accepted: %v", err)
	}
}
