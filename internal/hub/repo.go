package hub

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Kind is what a repository holds.
type Kind string

// The kinds; their text is the hub's own word.
const (
	Dataset Kind = "datasets"
	Model   Kind = "models"
)

// DefaultRevision is the branch that is meant when none is named.
const DefaultRevision = "main"

// Repo names a repository at a revision.
type Repo struct {
	Kind     Kind
	Name     string // owner/name, or name alone
	Revision string // branch, tag or commit; empty: DefaultRevision
}

// repoName is what the hub accepts as a name.
var repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?$`)

// revisionName is what can stand for a revision: no blanks, no way up.
var revisionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+-]*$`)

// fullCommit is a commit in full.
var fullCommit = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// IsRepoName reports whether text can be the name of a repository, with or without a revision.
func IsRepoName(text string) bool {
	name, _, _ := strings.Cut(text, "@")
	return repoName.MatchString(name)
}

// ParseRepo reads NAME or NAME@REVISION.
func ParseRepo(kind Kind, text string) (Repo, error) {
	name, revision, given := strings.Cut(text, "@")
	if !repoName.MatchString(name) || strings.Contains(name, "..") || strings.Contains(name, "--") {
		return Repo{}, fmt.Errorf("%q is not the name of a repository, expected OWNER/NAME or OWNER/NAME@REVISION", text)
	}
	repo := Repo{Kind: kind, Name: name, Revision: revision}
	if given {
		return repo, repo.checkRevision()
	}
	return repo, nil
}

// At is the repository at another revision; an empty one changes nothing.
func (r Repo) At(revision string) (Repo, error) {
	if revision == "" {
		return r, nil
	}
	r.Revision = revision
	return r, r.checkRevision()
}

func (r Repo) checkRevision() error {
	if !revisionName.MatchString(r.Revision) || strings.Contains(r.Revision, "..") {
		return fmt.Errorf("%q is not a revision, expected a branch, a tag or a commit", r.Revision)
	}
	return nil
}

func (r Repo) String() string {
	if r.Revision == "" {
		return r.Name
	}
	return r.Name + "@" + r.Revision
}

// revision is the revision to ask for.
func (r Repo) revision() string {
	if r.Revision == "" {
		return DefaultRevision
	}
	return r.Revision
}

// Folder is the name of the repository's folder, in caches and mirrors.
func (r Repo) Folder() string {
	return string(r.Kind) + "--" + strings.ReplaceAll(r.Name, "/", "--")
}

// infoURL is where the hub tells the commit and the files.
func (r Repo) infoURL(endpoint string) string {
	return endpoint + "/api/" + string(r.Kind) + "/" + r.Name + "/revision/" + url.PathEscape(r.revision()) + "?blobs=true"
}

// fileURL is where the hub has a file of a commit.
func (r Repo) fileURL(endpoint, commit, file string) string {
	base := endpoint + "/"
	if r.Kind != Model {
		base += string(r.Kind) + "/"
	}
	parts := strings.Split(file, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return base + r.Name + "/resolve/" + commit + "/" + strings.Join(parts, "/")
}

// checkPath refuses file names that would leave the folder, or that no repository has.
func checkPath(file string) error {
	if file == "" || path.IsAbs(file) || path.Clean(file) != file || file == ".." || strings.HasPrefix(file, "../") || strings.ContainsAny(file, "\\:\x00\n\r") {
		return failed(Broken, nil, "the hub lists a file named %q, which no repository can have", file)
	}
	return nil
}
