package clidoc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// docs/cli.md is what the programs print of themselves, in this order (`make docs`).
func TestReferenceIsCurrent(t *testing.T) {
	var printed bytes.Buffer
	for _, program := range programs {
		text, err := exec.Command(filepath.Join(built(t), program), "cli-docs").Output()
		if err != nil {
			t.Fatalf("%s cli-docs: %v", program, err)
		}
		printed.Write(text)
	}
	written, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, printed.Bytes()) {
		t.Error("docs/cli.md is not what the programs print: run `make docs`")
	}
}
