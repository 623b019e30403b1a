package hub

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// settle makes a whole download durable and gives it its name.
func settle(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// copyInto copies a file under a temporary name first.
func copyInto(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.CreateTemp(filepath.Dir(to), partPrefix+"*")
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	err = errors.Join(err, target.Chmod(0o644), target.Close())
	if err == nil {
		err = settle(target.Name(), to)
	}
	if err != nil {
		_ = os.Remove(target.Name())
	}
	return err
}
