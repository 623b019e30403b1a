package eventlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// copyToTemp copies a log in WAL mode, with its WAL, to a temporary folder and goes on there: SQLite
// cannot read a WAL where it may not make its shared-memory file. A log in another mode is not copied.
func (r *Reader) copyToTemp() (copied bool, err error) {
	head, err := readFileHead(r.path)
	if err != nil || !head.magic || !head.wal {
		return false, err
	}
	temp, err := os.MkdirTemp("", "agentx-log-")
	if err != nil {
		return false, err
	}
	r.temp = temp
	target := filepath.Join(temp, "run.db")
	if err := copyFile(r.path, target); err != nil {
		return false, err
	}
	if err := copyFile(r.path+"-wal", target+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	r.notes = append(r.notes, fmt.Sprintf("%s is still in WAL mode on read-only media: reading a temporary copy in %s", r.path, temp))
	r.path = target
	return true, nil
}

// copyFile copies and syncs; the target must not exist.
func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}
