package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// MirrorFolder is the folder of a repository in a mirror: the name of the repository, and the revision
// where one is named.
func MirrorFolder(mirror string, repo Repo) string {
	name := repo.Folder()
	if repo.Revision != "" {
		name += "@" + strings.ReplaceAll(repo.Revision, "/", "--")
	}
	return filepath.Join(mirror, name)
}

// FindMirror finds a repository in a mirror: in the folder that Fetch made for it, or in the mirror
// itself, if that is a copy of the repository. The record is nil where the files were copied by hand.
// The error is fs.ErrNotExist where the mirror does not have it.
func FindMirror(mirror string, repo Repo) (folder string, record *Record, err error) {
	if info, err := os.Stat(mirror); err != nil || !info.IsDir() {
		return "", nil, failed(Local, err, "the mirror %s is not a folder", mirror)
	}
	candidates := []string{MirrorFolder(mirror, repo), filepath.Join(mirror, repo.Folder())}
	if repo.Revision == "" {
		// A single revision that was fetched by name is good enough when none is asked for.
		if named, _ := filepath.Glob(MirrorFolder(mirror, repo) + "@*"); len(named) == 1 {
			candidates = append(candidates, named[0])
		}
	}
	for _, candidate := range candidates {
		if info, err := os.Stat(candidate); err != nil || !info.IsDir() {
			continue
		}
		record, err := ReadRecord(candidate)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
		if record == nil {
			return candidate, nil, unfinished(candidate)
		}
		if record.fits(repo) {
			return candidate, record, nil
		}
	}
	return itself(mirror, repo)
}

// unfinished is the error of a folder without a record into which a fetch has begun; nil for a copy.
func unfinished(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, lockName)); err == nil {
		return failed(Corrupt, nil, "a fetch into %s did not finish; run it again", folder)
	}
	return nil
}

// itself takes the mirror as a copy of the repository.
func itself(mirror string, repo Repo) (string, *Record, error) {
	record, err := ReadRecord(mirror)
	switch {
	case err == nil && record.fits(repo):
		return mirror, record, nil
	case err == nil:
		return "", nil, failed(Unfit, nil, "the mirror %s holds %s at %s, not %s", mirror, record.Repository, record.Commit, repo)
	case !errors.Is(err, fs.ErrNotExist):
		return "", nil, err
	}
	files, err := listing(mirror)
	if err != nil {
		return "", nil, failed(Local, err, "the mirror %s", mirror)
	}
	for _, file := range files {
		if isFetched(file) {
			return "", nil, failed(Missing, fs.ErrNotExist, "the mirror %s does not have %s; it has %s", mirror, repo, filepath.ToSlash(filepath.Dir(file)))
		}
	}
	for _, file := range files {
		if repo.Kind == Dataset && kindOf(file) != "" || repo.Kind == Model && file == tokenizerFile {
			return mirror, nil, unfinished(mirror)
		}
	}
	return "", nil, failed(Missing, fs.ErrNotExist, "the mirror %s does not have %s", mirror, repo)
}

// isFetched reports whether the path is a record of a fetch.
func isFetched(file string) bool { return filepath.Base(file) == RecordName }

// fits reports whether the record is of the repository, at the revision that is asked for if one is.
func (r *Record) fits(repo Repo) bool {
	if r.Kind != repo.Kind || r.Repository != repo.Name {
		return false
	}
	return repo.Revision == "" || repo.Revision == r.Revision || len(repo.Revision) >= 7 && strings.HasPrefix(r.Commit, repo.Revision)
}

// listing lists the files below a folder, with slashes, sorted. Symbolic links to files are files.
func listing(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		if info, err := os.Stat(at); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		relative, err := filepath.Rel(folder, at)
		if err == nil {
			files = append(files, filepath.ToSlash(relative))
		}
		return err
	})
	return files, err
}

// Unrecorded describes a folder that was copied by hand: its data files are chosen as in a repository,
// and nothing of it is proved.
func Unrecorded(folder string, repo Repo, subset string) (*Record, error) {
	files, err := listing(folder)
	if err != nil {
		return nil, failed(Local, err, "reading %s", folder)
	}
	chosen := make([]File, len(files))
	for i, file := range files {
		chosen[i] = File{Path: file, Size: -1}
	}
	record, _, err := describe(&Snapshot{Repo: repo, Files: chosen}, folder, subset)
	return record, err
}
