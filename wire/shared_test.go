package wire

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedFolder finds the folder of captures and reported faults, which is not part of the project.
func sharedFolder(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("AGENTX_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	folder := filepath.Join(root, name)
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no %s: set AGENTX_SHARED to the folder that has it", folder)
	}
	return folder
}
