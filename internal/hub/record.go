package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// RecordName is the file in a mirror folder that says what was fetched into it. It is hidden, so that
// a reader of the folder does not take it for data.
const RecordName = ".agentx-fetch.json"

// recordFormat is the version of the record's form.
const recordFormat = 1

// Record says what a folder holds: a repository at a commit, with the digests that the hub states.
type Record struct {
	Format     int          `json:"format"`
	Kind       Kind         `json:"kind"`
	Repository string       `json:"repository"`
	Revision   string       `json:"revision"` // as asked for
	Commit     string       `json:"commit"`
	Alias      string       `json:"alias,omitempty"`
	Subset     string       `json:"subset,omitempty"`
	Choice     string       `json:"choice"` // how the data files were found
	Endpoint   string       `json:"endpoint"`
	FetchedAt  time.Time    `json:"fetched_at"`
	Files      []RecordFile `json:"files"` // data files first, in the order in which they are read
}

// RecordFile is a fetched file.
type RecordFile struct {
	Path   string `json:"path"` // in repository and folder, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Stated Stated `json:"stated"` // by the hub; empty: it states none
	Data   bool   `json:"data"`   // holds traces, or is the tokenizer
}

// Data are the data files.
func (r *Record) Data() []RecordFile {
	var data []RecordFile
	for _, file := range r.Files {
		if file.Data {
			data = append(data, file)
		}
	}
	return data
}

// Proved reports whether repository and commit can be proved by the files: the hub states the commit and
// the digest of every data file. Whether the files have these digests is Verify's to say.
func (r *Record) Proved() bool {
	for _, file := range r.Data() {
		if file.Stated == "" {
			return false
		}
	}
	return r.Commit != "" && len(r.Data()) > 0
}

// Repo is the repository at the revision that was asked for.
func (r *Record) Repo() Repo { return Repo{Kind: r.Kind, Name: r.Repository, Revision: r.Revision} }

// Verify checks that every data file in the folder is there, with the size and the digest of the record.
func (r *Record) Verify(ctx context.Context, folder string, workers int) error {
	data := r.Data()
	faults := make([]error, len(data))
	parallel(workers, len(data), func(i int) {
		faults[i] = data[i].verify(ctx, folder)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	return nil
}

func (f *RecordFile) verify(ctx context.Context, folder string) error {
	name := filepath.Join(folder, filepath.FromSlash(f.Path))
	found, err := sumFile(ctx, name, f.Stated)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(Corrupt, nil, "%s is missing, though the record of the fetch lists it", name)
	case err != nil:
		return failed(Local, err, "checking what was fetched")
	case f.Size >= 0 && found.size != f.Size:
		return failed(Corrupt, nil, "%s has %d bytes, and had %d when it was fetched", name, found.size, f.Size)
	case f.Stated != "" && !found.matches(f.Stated):
		return failed(Corrupt, nil, "%s is not the file that the hub has: its SHA-256 is %s, the hub states %s", name, found.sha256, f.Stated)
	case f.Stated == "" && f.SHA256 != "" && found.sha256 != f.SHA256:
		return failed(Corrupt, nil, "%s has the SHA-256 %s, and had %s when it was fetched", name, found.sha256, f.SHA256)
	}
	return nil
}

// ReadRecord reads the record of a folder. The error is fs.ErrNotExist where there is none.
func ReadRecord(folder string) (*Record, error) {
	name := filepath.Join(folder, RecordName)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, failed(Corrupt, err, "%s cannot be read; fetch again", name)
	}
	if r.Format > recordFormat {
		return nil, failed(Corrupt, nil, "%s has format %d, this program reads up to %d; use a newer agentx-prep, or fetch again", name, r.Format, recordFormat)
	}
	if !fullCommit.MatchString(r.Commit) || !repoName.MatchString(r.Repository) || r.Kind != Dataset && r.Kind != Model {
		return nil, failed(Corrupt, nil, "%s names no repository and commit; fetch again", name)
	}
	for _, file := range r.Files {
		if checkPath(file.Path) != nil || file.Stated != "" && statedBy(file.Stated.hex()) != file.Stated {
			return nil, failed(Corrupt, nil, "%s has an entry for %q that no fetch writes; fetch again", name, file.Path)
		}
	}
	return r, nil
}

// write puts the record into the folder.
func (r *Record) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	name := filepath.Join(folder, RecordName)
	if err := os.WriteFile(name+".new", append(text, '\n'), 0o644); err != nil {
		return failed(Local, err, "writing the record")
	}
	if err := os.Rename(name+".new", name); err != nil {
		return failed(Local, err, "writing the record")
	}
	return nil
}

// parallel calls work for 0 … n−1 on so many goroutines and waits for them.
func parallel(workers, n int, work func(i int)) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(1, min(workers, n)) {
		wait.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}
