package eventlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lookTable answers for folders by their base name.
func lookTable(table map[string]fileSystem) func(string) (fileSystem, error) {
	return func(path string) (fileSystem, error) {
		for name, found := range table {
			if strings.Contains(path, name) {
				return found, nil
			}
		}
		return fileSystem{}, fmt.Errorf("no such folder: %s", path)
	}
}

func TestALogOnALocalFileSystemStaysThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	p, err := LogPlacement(path, "")
	if err != nil {
		t.Skipf("the temporary folder is not local here: %v", err)
	}
	if p.Moved() || p.Live != path {
		t.Errorf("the placement is %+v", p)
	}
	if err := p.Finish(); err != nil {
		t.Error(err)
	}
}

func TestALogOnANetworkFileSystemIsWrittenElsewhereAndCopied(t *testing.T) {
	root := t.TempDir()
	shared, local, full := filepath.Join(root, "shared"), filepath.Join(root, "local"), filepath.Join(root, "full")
	for _, dir := range []string{shared, local, full} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	look := lookTable(map[string]fileSystem{
		"shared": {"nfs", fsNetwork, 1 << 40}, "local": {"ext4", fsLocal, 1 << 40}, "full": {"ext4", fsLocal, 1 << 20},
	})
	path := filepath.Join(shared, "run.db")
	p, err := place(path, "", []string{full, local}, look)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Moved() || !strings.HasPrefix(p.Live, local) || !strings.Contains(p.Why, "nfs") {
		t.Fatalf("the placement is %+v", p)
	}
	w, err := Create(p.Live, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sample{events: 40, group: 10}.write(t, w)
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	// As after a kill: the final path leads to the live log.
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.Path() != p.Live || len(r.Notes()) != 1 || !strings.Contains(r.Notes()[0], p.Live) {
		t.Errorf("reads %s, notes %q", r.Path(), r.Notes())
	}
	// The reader keeps it from becoming one file; the copy is one all the same.
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.OneFile() {
		t.Error("the live log is one file with a reader open")
	}
	if err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if report := checkLog(t, path); len(report.Damages) > 0 || report.Events != 44 || report.Interrupted() {
		t.Errorf("the copied log: %+v", report)
	}
	left, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil || len(left) != 1 || left[0] != path {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestNoPlaceForTheLiveLogIsRefused(t *testing.T) {
	look := lookTable(map[string]fileSystem{
		"shared": {"lustre", fsNetwork, 1 << 40}, "fuse": {"fuse", fsUnknown, 1 << 40}, "full": {"ext4", fsLocal, 1 << 20},
	})
	_, err := place("/shared/run.db", "", []string{"/fuse", "/full"}, look)
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range []string{"/shared/run.db", "lustre", "/fuse", "1 MiB free", "--log-dir"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func TestAFailedCopyLeavesTheLiveLogAndItsPointer(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "run.db")
	p, err := place(path, filepath.Join(root, "logs"), nil, lookTable(map[string]fileSystem{"": {"ext4", fsLocal, 1 << 40}}))
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(p.Live, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sample{events: 4, group: 4}.write(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil { // in the way of the rename
		t.Fatal(err)
	}
	if err := p.Finish(); err == nil || !strings.Contains(err.Error(), p.Live) {
		t.Errorf("the error does not name the live log: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if report := checkLog(t, path); len(report.Damages) > 0 || report.Interrupted() {
		t.Errorf("by the pointer: %+v", report)
	}
	if _, err := os.Stat(path + ".copying"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a half copy is left: %v", err)
	}
}

func TestAPointerToAnotherHostIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	content := `{"log":"/nowhere/agentx-log-1/run.db","host":"node-of-old","pid":1}`
	if err := os.WriteFile(path+".where", []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "node-of-old") || !strings.Contains(err.Error(), "/nowhere/agentx-log-1/run.db") {
		t.Errorf("the error names neither host nor place: %v", err)
	}
}
