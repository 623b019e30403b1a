package run

import (
	"fmt"
	"path/filepath"

	"agentx/internal/exit"

	"github.com/gofrs/flock"
)

// lockName is the file that a run holds locked while it writes into a folder. It stays behind: removing a
// lock file would let two runs lock two files of the same name.
const lockName = ".agentx.lock"

// lockDir keeps other runs out of a folder, also those that are told to overwrite.
func lockDir(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockName))
	free, err := lock.TryLock()
	if err != nil {
		return nil, exit.With(exit.Damage, fmt.Errorf("locking the artifact folder %s: %w", dir, err))
	}
	if !free {
		return nil, exit.With(exit.Usage, fmt.Errorf("a run is writing into %s: wait for its end, or give another --artifact-dir", dir))
	}
	return lock, nil
}
