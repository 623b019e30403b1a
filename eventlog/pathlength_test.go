package eventlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A path of 504 bytes is the longest that SQLite takes; one byte more is refused in words, nothing is left on disk,
// and a short link to a long folder does not help, as SQLite follows it.
func TestLogPathThatSQLiteCannotTakeIsRefusedInWords(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folderOf := func(length int) string { // so that folder/run.db has length bytes
		folder := top
		for left := length - len("/run.db") - len(folder); left > 0; left = length - len("/run.db") - len(folder) {
			part := min(left-1, 200)
			if left-1-part == 1 {
				part-- // a part needs a byte beside its slash
			}
			folder += "/" + strings.Repeat("x", part)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	long := filepath.Join(folderOf(LongestPath), "run.db")
	if len(long) != 504 {
		t.Fatalf("the path has %d bytes", len(long))
	}
	w, err := Create(long, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenUnverified(long)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	folder := folderOf(LongestPath + 1)
	link := filepath.Join(top, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for _, tooLong := range []string{filepath.Join(folder, "run.db"), filepath.Join(link, "run.db")} {
		const words = "the path is too long: it has 505 bytes from the root on, and SQLite takes 504; use a folder with a shorter path"
		_, err := Create(tooLong, Options{})
		if !errors.Is(err, ErrPathTooLong) || !strings.Contains(err.Error(), words) {
			t.Errorf("Create: %v", err)
		}
		if _, err := os.Stat(tooLong); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("something was left at the path: %v", err)
		}
	}
	bytes, err := os.ReadFile(long)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "run.db"), bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(folder, "run.db")); !errors.Is(err, ErrPathTooLong) {
		t.Errorf("Open: %v", err)
	}
}
