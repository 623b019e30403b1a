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
	root := filepath.Join("..", "..")
	var printed bytes.Buffer
	for _, program := range []string{"agentx-prep", "agentx-run", "agentx-analyze"} {
		binary := filepath.Join(t.TempDir(), program)
		build := exec.Command("go", "build", "-o", binary, "./cmd/"+program)
		build.Dir = root
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", program, err, output)
		}
		text, err := exec.Command(binary, "cli-docs").Output()
		if err != nil {
			t.Fatalf("%s cli-docs: %v", program, err)
		}
		printed.Write(text)
	}
	written, err := os.ReadFile(filepath.Join(root, "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, printed.Bytes()) {
		t.Error("docs/cli.md is not what the programs print: run `make docs`")
	}
}
