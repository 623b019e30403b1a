package hub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// mostInfo bounds the hub's description of a repository: 100,000 files have about 20 MB.
const mostInfo = 256 << 20

// Snapshot is a repository at a commit, as the hub describes it.
type Snapshot struct {
	Repo   Repo
	Commit string
	Files  []File // sorted by path
}

// File is a file of a repository.
type File struct {
	Path   string
	Size   int64  // -1: not known yet
	Stated Stated // empty: not known yet
}

// Paths lists the files.
func (s *Snapshot) Paths() []string {
	paths := make([]string, len(s.Files))
	for i, file := range s.Files {
		paths[i] = file.Path
	}
	return paths
}

// find is the file with that path.
func (s *Snapshot) find(path string) (File, bool) {
	at := slices.IndexFunc(s.Files, func(file File) bool { return file.Path == path })
	if at < 0 {
		return File{}, false
	}
	return s.Files[at], true
}

// info is the hub's description of a repository. Sizes and digests come only from hubs that know the
// parameter blobs.
type info struct {
	SHA      string `json:"sha"`
	Siblings []struct {
		Path   string `json:"rfilename"`
		Size   *int64 `json:"size"`
		BlobID string `json:"blobId"`
		LFS    *struct {
			SHA256 string `json:"sha256"`
			Size   *int64 `json:"size"`
		} `json:"lfs"`
	} `json:"siblings"`
}

// Resolve asks the hub for the commit that a revision means, and its files.
func (c *Client) Resolve(ctx context.Context, repo Repo) (*Snapshot, error) {
	var text []byte
	err := c.persist(ctx, func() (further bool, err error) {
		text, err = c.info(ctx, repo)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	var found info
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, failed(Broken, err, "the hub's description of %s cannot be read; is HF_ENDPOINT (%s) the address of a hub?", repo, c.config.Endpoint)
	}
	if !fullCommit.MatchString(found.SHA) {
		return nil, failed(Broken, nil, "the hub says that %s is commit %q, expected 40 hex digits", repo, found.SHA)
	}
	return found.snapshot(repo), nil
}

// info asks once for the hub's description of a repository.
func (c *Client) info(ctx context.Context, repo Repo) ([]byte, error) {
	watch := c.watch(ctx)
	defer watch.end()
	answer, err := c.send(watch, repo.infoURL(c.config.Endpoint), 0)
	if err == nil {
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return nil, failed(Broken, nil, "%s: the hub answers %d", repo, answer.StatusCode)
		}
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(watch.reader(answer.Body, func(int) {}), mostInfo)); err == nil {
			return text, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, watch.why(err, "the hub's description of "+repo.String())
}

func (found *info) snapshot(repo Repo) *Snapshot {
	s := &Snapshot{Repo: repo, Commit: found.SHA}
	for _, sibling := range found.Siblings {
		file := File{Path: sibling.Path, Size: -1, Stated: statedBy(sibling.BlobID)}
		if sibling.Size != nil {
			file.Size = *sibling.Size
		}
		if sibling.LFS != nil {
			file.Stated = statedBy(sibling.LFS.SHA256)
			if sibling.LFS.Size != nil {
				file.Size = *sibling.LFS.Size
			}
		}
		s.Files = append(s.Files, file)
	}
	slices.SortFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// IsUnreachable reports whether there was no answer from a hub, or none was to be asked for.
func IsUnreachable(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Fault == Unreachable || e.Fault == Offline)
}
