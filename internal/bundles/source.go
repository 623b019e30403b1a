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

// publicDataset: an alias agrees by the repository that it stands for.
func publicDataset(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	alias := spelled(fmt.Sprint(wanted))
	source := &c.bundle.Recipe().Source
	if spelled(source.Alias) == alias {
		return "", true, nil
	}
	repository, known := scenario.Repository(alias)
	return c.source(), known && source.Repository == repository, nil
}

func hubDataset(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	return c.source(), c.bundle.Recipe().Source.Repository == wanted, nil
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
	switch {
	case source.Alias != "":
		return source.Alias + " (" + source.Repository + ")"
	case source.Repository != "":
		return source.Repository
	}
	return "local files"
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

// tokenizer: a name agrees by itself, a file or folder by its tokenizer.json.
func tokenizer(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	path, _ := wanted.(string)
	identity := &c.bundle.Recipe().Tokenizer
	if path == identity.Name || prep.Embedded(path) && identity.Name == defaultTokenizer {
		return "", true, nil
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

// tokenizerRevision: a branch cannot be told from the commit that it stood for, and is not judged.
func tokenizerRevision(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	revision, _ := wanted.(string)
	found := c.bundle.Recipe().Tokenizer.Revision
	return show(found), revision == "main" || found != "" && strings.HasPrefix(found, revision), nil
}
