package eventlog

import (
	"errors"
	"fmt"
	"path/filepath"
)

// LongestPath is how many bytes the absolute path of a log may have, with symbolic links followed: SQLite's VFS for
// Unix has 512 for a name and keeps 8 of them for "-journal".
const LongestPath = 504

// ErrPathTooLong is in the error for a log whose path SQLite cannot take.
var ErrPathTooLong = errors.New("the path is too long")

// CheckPath refuses a path for a log that SQLite cannot take; it would only say that it is unable to open the file.
// Create and Open ask it by themselves.
func CheckPath(path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("finding its absolute path: %w", err)
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil {
		full = filepath.Join(folder, filepath.Base(full))
	}
	if len(full) > LongestPath {
		return fmt.Errorf("%w: it has %d bytes from the root on, and SQLite takes %d; use a folder with a shorter path", ErrPathTooLong, len(full), LongestPath)
	}
	return nil
}
