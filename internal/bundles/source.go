package bundles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentx/corpus/bundle"
	"agentx/internal/prep"
	"agentx/internal/scenario"
)

// publicDataset: ALIAS or ALIAS@REVISION agrees by the repository that the alias stands for, and by the
// commit.
func publicDataset(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	if spelled(fmt.Sprint(wanted)) == scenario.LoaderHub { // the repository has a flag of its own
		return c.source(), c.bundle.Recipe().Source.Repository != "", nil
	}
	set, err := prep.ParsePublic(fmt.Sprint(wanted))
	if err != nil {
		return "", false, err
	}
	source := &c.bundle.Recipe().Source
	agrees := spelled(source.Alias) == set.Alias || source.Repository == set.Repo.Name
	return c.source(), agrees && sameRevision(set.Repo.Revision, source.Revision), nil
}

// hubDataset: OWNER/NAME or OWNER/NAME@REVISION.
func hubDataset(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	set, err := prep.ParseHub(fmt.Sprint(wanted))
	if err != nil {
		return "", false, err
	}
	source := &c.bundle.Recipe().Source
	return c.source(), source.Repository == set.Repo.Name && sameRevision(set.Repo.Revision, source.Revision), nil
}

// sameRevision compares a wanted revision with the commit that a bundle has. Which commit a branch or a tag
// stands for is known to the hub alone, so only what is, or begins, a commit is judged.
func sameRevision(wanted, commit string) bool {
	const fewest, whole = 7, 40 // hex digits that name a commit
	isCommit := len(wanted) >= fewest && len(wanted) <= whole && strings.Trim(wanted, "0123456789abcdef") == ""
	return !isCommit || strings.HasPrefix(commit, wanted)
}

func subset(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	found := c.bundle.Recipe().Source.Subset
	return show(found), found == wanted, nil
}

func datasetType(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	return c.loader(), spelled(fmt.Sprint(wanted)) == c.loader(), nil
}

// source is where the bundle's traces come from, for the user.
func (c *Candidate) source() string {
	source := &c.bundle.Recipe().Source
	if source.Repository == "" {
		return "local files"
	}
	text := source.Repository
	if source.Alias != "" {
		text = source.Alias + " (" + text + ")"
	}
	if source.Revision != "" {
		text += " at commit " + source.Revision
	}
	return text
}

// inputFiles: files agree by their digests.
func inputFiles(ctx context.Context, c *Candidate, wanted any) (string, bool, error) {
	inputs, _ := wanted.([]string)
	for _, input := range inputs {
		if input == "-" {
			return "", false, errors.New("standard input cannot be compared with a bundle: leave it out, or name files")
		}
	}
	digest, err := prep.SourceDigest(ctx, inputs)
	if err != nil {
		return "", false, err
	}
	source := &c.bundle.Recipe().Source
	return fmt.Sprintf("%d other files", source.Files), digest == source.Digest, nil
}

// tokenizer: a name agrees by itself, with @REVISION by the commit too; a file or folder by its
// tokenizer.json.
func tokenizer(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	path, _ := wanted.(string)
	identity := &c.bundle.Recipe().Tokenizer
	if path == identity.Name || prep.Embedded(path) && identity.Name == defaultTokenizer {
		return "", true, nil
	}
	if name, revision, given := strings.Cut(path, "@"); given && name == identity.Name && identity.Revision != "" {
		return name + " at commit " + identity.Revision, sameRevision(revision, identity.Revision), nil
	}
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, "tokenizer.json")
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return identity.Name + ", and there is no such file here to compare", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return identity.Name, bundle.Sum(data) == identity.Digest, nil
}

// tokenizerRevision: the revision of a repository; what came from a file has none.
func tokenizerRevision(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	revision, _ := wanted.(string)
	found := c.bundle.Recipe().Tokenizer.Revision
	return show(found), found != "" && sameRevision(revision, found), nil
}
