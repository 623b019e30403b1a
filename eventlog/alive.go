package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// The mark of a log that is being written: its writer holds a lock on run.db.lock, a file beside it. The
// kernel drops the lock with the process however it ends, so the mark cannot outlive its writer, and needs
// no clock. A log that was closed has no such file; one whose writer died has it without the lock.

// lockPath is the lock file of a log.
func lockPath(path string) string { return path + ".lock" }

// lockLog takes the mark for a new log.
func lockLog(path string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	lock := flock.New(lockPath(path), flock.SetPermissions(0o644))        // who may read the log may look at it
	if _, err := lock.TryLockContext(ctx, time.Millisecond); err != nil { // a reader that looks holds it for a moment
		return nil, fmt.Errorf("locking %s: %w", lockPath(path), err)
	}
	return lock, nil
}

// unlockLog gives the mark back: the log is closed. What fails here costs a stale file, no event.
func unlockLog(path string, lock *flock.Flock) {
	_ = os.Remove(lockPath(path))
	_ = lock.Close()
}

// Writing tells whether a program on this host has the log open for writing at this moment. A log that is
// not being written and has no closing event was left by a run that died.
func (r *Reader) Writing() bool {
	if _, err := os.Stat(lockPath(r.path)); err != nil {
		return false
	}
	lock := flock.New(lockPath(r.path), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !free || errors.Is(err, fs.ErrPermission) // whom it is kept from cannot tell
}
