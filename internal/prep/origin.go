package prep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/hub"
	"agentx/internal/progress"
)

// origin is where the traces of a build come from.
type origin struct {
	sources []weka.Source
	set     *DataSet // nil for local files
	found   *found   // of the set
}

// locate finds the files of a build.
func locate(ctx context.Context, options *Options, show *progress.Printer) (*origin, error) {
	if options.DataSet == nil {
		sources, err := weka.List(options.Inputs)
		return &origin{sources: sources}, classed(Input, err)
	}
	places, err := openHub(options, show)
	if err != nil {
		return nil, err
	}
	at, err := places.find(ctx, options.DataSet.wanted())
	if err != nil {
		return nil, err
	}
	o := &origin{set: options.DataSet, found: at}
	for _, file := range at.record.Data() {
		path := filepath.Join(at.folder, filepath.FromSlash(file.Path))
		info, err := os.Stat(path)
		if err != nil {
			return nil, classed(Input, fmt.Errorf("reading the traces: %w", err))
		}
		o.sources = append(o.sources, weka.Source{Path: path, Name: file.Path, Size: info.Size()})
	}
	return o, nil
}

// source is what the recipe says of it.
func (o *origin) source(files []weka.File) bundle.Source {
	source := bundle.Source{Digest: sourceDigest(files), Files: len(files), Evidence: evidenceLocal}
	if o != nil && o.set != nil {
		source.Alias, source.Subset, source.Evidence = o.set.Alias, o.set.Subset, o.found.evidence
		source.Repository, source.Revision = o.found.record.Repository, o.found.record.Commit
	}
	return source
}

// tokenizerRepo reads the name of a tokenizer's repository; revision is that of its own flag.
func tokenizerRepo(name, revision string) (hub.Repo, error) {
	repo, err := hub.ParseRepo(hub.Model, name)
	if err == nil && revision != "" {
		if repo.Revision != "" && repo.Revision != revision {
			err = fmt.Errorf("--tokenizer %s and --tokenizer-revision %s name two revisions", name, revision)
		} else {
			repo, err = repo.At(revision)
		}
	}
	return repo, classed(Usage, err)
}

func wantedTokenizer(repo hub.Repo) wanted {
	return wanted{repo: repo, fetch: "agentx-prep fetch --tokenizer " + repo.String()}
}

// findTokenizer finds the tokenizer of a build: the embedded one, a file or folder, or, where there is no
// such file, a repository of that name.
func findTokenizer(ctx context.Context, options *Options, show *progress.Printer) (*tokenizerChoice, error) {
	name := options.Tokenizer
	_, missing := os.Stat(name)
	if Embedded(name) || missing == nil || !hub.IsRepoName(name) || filepath.Ext(name) == ".json" {
		if options.TokenizerRevision != "" {
			return nil, classed(Usage, errors.New("--tokenizer-revision needs --tokenizer OWNER/NAME, the name of a repository"))
		}
		return openTokenizer(name)
	}
	repo, err := tokenizerRepo(name, options.TokenizerRevision)
	if err != nil {
		return nil, err
	}
	places, err := openHub(options, show)
	if err != nil {
		return nil, err
	}
	at, err := places.find(ctx, wantedTokenizer(repo))
	if err != nil {
		return nil, fmt.Errorf("the tokenizer (there is no file %s): %w", name, err)
	}
	choice, err := openTokenizer(at.folder)
	if err != nil {
		return nil, err
	}
	choice.identity.Name, choice.identity.Revision = repo.Name, at.record.Commit
	return choice, nil
}
