package prep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"agentx/corpus/bundle"
)

// lockPause is the time between two tries to get the lock of a build.
const lockPause = 100 * time.Millisecond

// DefaultCacheDir is the folder for bundles: agentx in the user's cache ($XDG_CACHE_HOME).
func DefaultCacheDir() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for the cache (%w); give --cache-dir, or --no-cache with --output", err)
	}
	return filepath.Join(folder, "agentx"), nil
}

// CachePath is where the cache has the bundle of a key.
func CachePath(folder string, key bundle.Digest) string {
	return filepath.Join(folder, key.String()+bundle.Suffix)
}

// throughCache finds the bundle in the cache or builds it there, one builder at a time, and puts it
// where it is wanted.
func (j *job) throughCache(ctx context.Context) (*Result, error) {
	folder := j.options.CacheDir
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, classed(Damage, fmt.Errorf("the cache: %w; give another --cache-dir, or --no-cache with --output", err))
	}
	path := CachePath(folder, j.key)
	result, err := j.cached(path)
	if err != nil {
		return nil, err
	}
	if result == nil {
		if result, err = j.buildLocked(ctx, path); err != nil {
			return nil, err
		}
	}
	if output := j.options.Output; output != "" && !samePath(output, path) {
		if err := place(path, output); err != nil {
			return nil, classed(Damage, fmt.Errorf("putting the bundle where it is wanted: %w", err))
		}
		result.Path = output
	}
	return result, nil
}

// cached returns the bundle at path, nil if there is none that can be used. A damaged one is said and
// replaced.
func (j *job) cached(path string) (*Result, error) {
	b, err := bundle.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		j.show.Line("%v; building it again", err)
		return nil, nil
	}
	result := &Result{Path: path, Size: b.Size(), Key: b.Manifest().Key, Content: b.ContentDigest(), Reused: true, Manifest: b.Manifest(), Recipe: b.Recipe()}
	if err := b.Close(); err != nil {
		return nil, err
	}
	if result.Key != j.key {
		j.show.Line("%s has the key %s, not the one that it is named for; building it again", path, result.Key)
		return nil, nil
	}
	return result, nil
}

// buildLocked builds at path while holding the lock of the key. A bundle that another builder finished
// meanwhile is taken.
func (j *job) buildLocked(ctx context.Context, path string) (result *Result, err error) {
	lock := flock.New(strings.TrimSuffix(path, bundle.Suffix) + ".lock")
	defer func() { err = errors.Join(err, lock.Close()) }()
	free, err := lock.TryLock()
	if err != nil {
		return nil, classed(Damage, fmt.Errorf("locking the cache: %w", err))
	}
	if !free {
		j.show.Line("waiting for %s, which is building this bundle (key %.12s)", holder(lock.Path()), j.key)
		if _, err := lock.TryLockContext(ctx, lockPause); err != nil {
			return nil, classed(Interrupted, err)
		}
		if result, err := j.cached(path); result != nil || err != nil {
			return result, err
		}
	}
	// Whoever waits reads here for whom. That it cannot be written matters to no one else.
	_ = os.WriteFile(lock.Path(), []byte(me()), 0o644)
	return j.make(ctx, path)
}

// me names this process to others.
func me() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// holder names the process that has a lock.
func holder(lockPath string) string {
	text, err := os.ReadFile(lockPath)
	if err != nil || len(text) == 0 {
		return "another process"
	}
	return string(text)
}

// place puts the bundle at from under the name to: a hard link where that is possible, else a copy
// under a temporary name first.
func place(from, to string) error {
	file, err := os.CreateTemp(filepath.Dir(to), bundle.TempPrefix+"*")
	if err != nil {
		return err
	}
	temporary := file.Name()
	err = errors.Join(file.Close(), os.Remove(temporary))
	if err == nil && os.Link(from, temporary) != nil {
		err = copyFile(from, temporary)
	}
	if err == nil {
		err = os.Rename(temporary, to)
		// Renaming one link of a file to another does nothing and leaves both.
		_ = os.Remove(temporary)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return errors.Join(err, source.Close())
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close(), source.Close())
}
