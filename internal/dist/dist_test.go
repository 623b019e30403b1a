package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil { // the program runs at the root of the repository
		panic(err)
	}
	os.Exit(m.Run())
}

// TestEveryLinkedModuleHasItsLicence: what `make dist` would refuse is found here first.
func TestEveryLinkedModuleHasItsLicence(t *testing.T) {
	packages, err := linkedPackages("linux", "arm64")
	if err != nil {
		t.Fatal(err)
	}
	collected := tree{}
	var modules []string
	for i := range packages {
		if err := collected.licencesOf(&packages[i]); err != nil {
			t.Fatal(err)
		}
		if m := packages[i].Module; m != nil && !m.Main {
			modules = append(modules, m.Path+"@"+m.Version)
		}
	}
	if len(modules) < 20 {
		t.Fatalf("%d packages of modules", len(modules))
	}
	if err := collected.covered(modules); err != nil {
		t.Error(err)
	}
	if err := collected.covered([]string{"example.org/none@v1"}); err == nil || !strings.Contains(err.Error(), "example.org/none@v1") {
		t.Errorf("a module without a licence gave %v", err)
	}
}

// TestTheSameFilesGiveTheSameBytes, whenever they were written and whatever order they came in.
func TestTheSameFilesGiveTheSameBytes(t *testing.T) {
	pack := func(names ...string) []byte {
		dir := t.TempDir()
		for i, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(name+" text"), 0o600); err != nil {
				t.Fatal(err)
			}
			when := time.Unix(int64(1e9+i), 0)
			if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
				t.Fatal(err)
			}
		}
		files := tree{}
		if err := files.add("docs", dir, 0o644); err != nil {
			t.Fatal(err)
		}
		files["SHA256SUMS"] = file{0o644, files.sums()}
		packed, err := files.pack("agentx-1")
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	packed := pack("a", "b", "c")
	if !bytes.Equal(packed, pack("c", "a", "b")) {
		t.Error("two packings of the same files differ")
	}
	checkSums(t, packed)
}

// checkSums does what sha256sum -c does.
func checkSums(t *testing.T, packed []byte) {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		contents[strings.TrimPrefix(header.Name, "agentx-1/")] = string(text)
	}
	lines := strings.Split(strings.TrimSpace(contents["SHA256SUMS"]), "\n")
	if len(lines) != len(contents)-1 {
		t.Errorf("%d sums for %d files", len(lines), len(contents)-1)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if digest := sha256.Sum256([]byte(contents[name])); sum != hex.EncodeToString(digest[:]) {
			t.Errorf("the sum of %s is not that of its content %q", name, contents[name])
		}
	}
}
