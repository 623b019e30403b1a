package hub

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	lockName   = ".agentx-fetch.lock"
	partPrefix = ".agentx-part-"
	lockPause  = 200 * time.Millisecond
	// transfers is how many files are downloaded at a time.
	transfers = 4
)

// Request is a repository to be brought into a folder.
type Request struct {
	Repo   Repo
	Folder string // gets the repository's files; made if it is not there
	Alias  string // for the record
	Subset string // configuration of a data set; empty: the default one

	// Progress is told how many bytes are there, of how many; it may be nil. It is called by one
	// goroutine at a time.
	Progress func(done, total int64)
	Now      func() time.Time // nil: the system's
}

// Fetch brings a repository into a folder: the data files of a data set and its README, or the files of
// a tokenizer. What is there already, here or in the HuggingFace cache, is not downloaded again. Files of
// an earlier fetch that the commit does not have any more are removed.
func (c *Client) Fetch(ctx context.Context, request Request) (record *Record, err error) {
	snapshot, err := c.Resolve(ctx, request.Repo)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(request.Folder, 0o755); err != nil {
		return nil, failed(Local, err, "making the folder")
	}
	lock := flock.New(filepath.Join(request.Folder, lockName))
	defer func() { err = errors.Join(err, lock.Close()) }()
	free, err := lock.TryLock()
	if err == nil && !free {
		c.config.Notice("waiting for another fetch into " + request.Folder)
		_, err = lock.TryLockContext(ctx, lockPause)
	}
	if err != nil {
		return nil, failed(Local, err, "locking %s", request.Folder)
	}
	before, err := ReadRecord(request.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.config.Notice(err.Error())
	}
	if before != nil && (before.Kind != request.Repo.Kind || before.Repository != request.Repo.Name) {
		return nil, failed(Local, nil, "%s holds %s already; give another folder", request.Folder, before.Repository)
	}
	if record, err = c.bring(ctx, snapshot, &request, before); err != nil {
		return nil, err
	}
	return record, tidy(request.Folder, before, record)
}

// bring downloads and writes the record. A record of another commit is removed first: files of two
// commits must not stand under one.
func (c *Client) bring(ctx context.Context, s *Snapshot, request *Request, before *Record) (*Record, error) {
	t := &transfer{client: c, snapshot: s, folder: request.Folder, progress: request.Progress}
	if before != nil && before.Commit != s.Commit {
		if err := os.Remove(filepath.Join(request.Folder, RecordName)); err != nil {
			return nil, failed(Local, err, "removing the record of the fetch before")
		}
	}
	var readme []RecordFile
	if _, has := s.find(readmeFile); has && s.Repo.Kind == Dataset {
		file, err := t.file(ctx, readmeFile)
		if err != nil {
			return nil, err
		}
		readme = append(readme, file)
	}
	record, _, err := describe(s, request.Folder, request.Subset)
	if err != nil {
		return nil, err
	}
	record.Alias, record.Endpoint = request.Alias, c.config.Endpoint
	if err := t.files(ctx, record.Files); err != nil {
		return nil, err
	}
	record.Files = append(record.Files, readme...)
	now := request.Now
	if now == nil {
		now = time.Now
	}
	record.FetchedAt = now().UTC().Truncate(time.Second)
	return record, record.write(request.Folder)
}

// tidy removes what no record needs: files of the fetch before, and parts of downloads that were never
// finished.
func tidy(folder string, before, now *Record) error {
	var gone []string
	if before != nil {
		for _, file := range before.Files {
			if !slices.ContainsFunc(now.Files, func(own RecordFile) bool { return own.Path == file.Path }) {
				gone = append(gone, filepath.FromSlash(file.Path))
			}
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return failed(Local, err, "tidying up")
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), partPrefix) {
			gone = append(gone, entry.Name())
		}
	}
	for _, name := range gone {
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed(Local, err, "tidying up")
		}
	}
	return nil
}

// transfer is the downloading of one snapshot into one folder.
type transfer struct {
	client   *Client
	snapshot *Snapshot
	folder   string
	progress func(done, total int64)

	mu    sync.Mutex
	done  int64
	total int64 // of the data files; -1: not known, 0: they are not being fetched
}

// files downloads several files at a time and completes their entries.
func (t *transfer) files(ctx context.Context, list []RecordFile) error {
	t.done, t.total = 0, 0
	for _, file := range list {
		if file.Size < 0 {
			t.total = -1
			break
		}
		t.total += file.Size
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var first error
	var once sync.Once
	parallel(transfers, len(list), func(i int) {
		if ctx.Err() != nil {
			return
		}
		file, err := t.file(ctx, list[i].Path)
		if err != nil {
			once.Do(func() { first = fmt.Errorf("fetching %s: %w", list[i].Path, err) })
			stop()
			return
		}
		file.Data = list[i].Data
		list[i] = file
	})
	if first == nil {
		return ctx.Err()
	}
	return first
}

// count tells of bytes that are there.
func (t *transfer) count(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done += n
	if t.progress != nil && t.total != 0 {
		t.progress(t.done, t.total)
	}
}
