package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/view/assets"
)

func TestNoNpmIsOneLineAndNoError(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	message, err := fetch(dir, "")
	if err != nil {
		t.Fatalf("a missing npm stopped the build: %v", err)
	}
	if !strings.Contains(message, "npm is not installed") || strings.Contains(message, "\n") {
		t.Errorf("message %q, expected one line that names npm", message)
	}
}

func TestFileGivenByHandIsChecked(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "given.js")
	if err := os.WriteFile(foreign, []byte("alert(1)"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(dir, foreign); err == nil {
		t.Error("a script with another digest was kept")
	}
	if _, err := os.Stat(filepath.Join(dir, assets.ScriptName)); err == nil {
		t.Error("a refused script stands under the final name")
	}
}

func TestExtractTakesOneFile(t *testing.T) {
	packed := pressed(t, map[string]string{"package/a.js": "one", "package/b.js": "two"})
	got, err := extract(packed, "package/b.js")
	if err != nil || string(got) != "two" {
		t.Errorf("extract = %q, %v; expected two", got, err)
	}
	if _, err := extract(packed, "package/c.js"); err == nil || !strings.Contains(err.Error(), "package/c.js") {
		t.Errorf("a missing file gave %v, expected an error that names it", err)
	}
}

func pressed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipper := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipper)
	for name, text := range files {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipper.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
