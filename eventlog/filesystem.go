package eventlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// fsClass says whether SQLite's WAL may live on a file system: it needs shared memory and locks.
type fsClass int

const (
	fsUnknown fsClass = iota
	fsLocal
	fsNetwork
)

// fileSystem is what a path lies on.
type fileSystem struct {
	name  string // e.g. ext4, nfs; a number where it has none
	class fsClass
	free  int64 // bytes that an unprivileged user may take
}

func (class fsClass) String() string {
	return [...]string{"a file system of unknown kind", "a local file system", "a network file system"}[class]
}

// nearestDir is the path's nearest ancestor that exists, or the path itself.
func nearestDir(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(absolute)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || absolute == filepath.Dir(absolute) {
			return absolute, err
		}
		absolute = filepath.Dir(absolute)
	}
}
