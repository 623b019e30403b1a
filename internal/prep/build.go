package prep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/progress"
	"agentx/internal/synth/filler"
)

// Result is what a build gives.
type Result struct {
	Path     string // of the bundle: Output, or else in the cache
	Size     int64
	Key      bundle.Digest
	Content  bundle.Digest
	Reused   bool // the cache had it
	Manifest *bundle.Manifest
	Recipe   *bundle.Recipe
	Elapsed  time.Duration
}

// Build makes the bundle that the options describe, or finds it in the cache.
func Build(ctx context.Context, options Options, show *progress.Printer) (*Result, error) {
	began := time.Now()
	if err := options.validate(); err != nil {
		return nil, err
	}
	if err := mayReplace(options.Output); err != nil {
		return nil, classed(Usage, err)
	}
	result, err := build(ctx, &options, show)
	if err != nil {
		return nil, err
	}
	result.Elapsed = time.Since(began)
	return result, nil
}

// mayReplace refuses an output that names a file which is not a bundle: a slip of the hand should not cost
// somebody's file.
func mayReplace(output string) error {
	info, err := os.Stat(output)
	if output == "" || err != nil || info.Size() == 0 {
		return nil // there is nothing to lose; a folder that is missing is named when it is written to
	}
	opened, err := bundle.Open(output)
	if foreign := (*bundle.NotABundle)(nil); errors.As(err, &foreign) {
		return fmt.Errorf("--output %s exists and is not a bundle: name another file, or remove it first", output)
	}
	if err != nil {
		return nil // a damaged bundle, or a newer one, may be replaced
	}
	return opened.Close()
}

// job is a build whose key is known.
type job struct {
	options   *Options
	show      *progress.Printer
	origin    *origin // nil: local files
	sources   []weka.Source
	files     []weka.File // as hashed before reading; nil for standard input
	tokenizer *tokenizerChoice
	corpus    *weka.Corpus // nil until it is surveyed
	recipe    *bundle.Recipe
	key       bundle.Digest
}

func build(ctx context.Context, options *Options, show *progress.Printer) (*Result, error) {
	from, err := locate(ctx, options, show)
	if err != nil {
		return nil, err
	}
	j := &job{options: options, show: show, origin: from, sources: from.sources}
	if j.tokenizer, err = findTokenizer(ctx, options, show); err != nil {
		return nil, err
	}
	if j.files, err = hashFiles(ctx, j.sources, options.Workers, show); err != nil {
		return nil, err
	}
	if j.files == nil {
		if err := j.survey(ctx); err != nil {
			return nil, err
		}
	}
	defer j.close()
	if err := j.name(); err != nil {
		return nil, err
	}
	if options.NoCache {
		return j.make(ctx, options.Output)
	}
	return j.throughCache(ctx)
}

// close forgets what the reader stored beside the files; that it could not is no reason to fail.
func (j *job) close() {
	if j.corpus != nil {
		_ = j.corpus.Close()
	}
}

// name makes the recipe and its key.
func (j *job) name() error {
	files := j.files
	if files == nil {
		files = j.corpus.Files
	}
	o := j.options
	j.recipe = &bundle.Recipe{
		Format: bundle.Format, Generator: filler.Version, Rules: RulesVersion,
		Source:    j.origin.source(files),
		Tokenizer: j.tokenizer.identity, Options: o.Corpus, Strict: o.Strict, SkipInvalid: o.SkipInvalid,
		PromptCorpus: string(o.Style), RandomSeed: o.Seed,
	}
	var err error
	j.key, _, err = j.recipe.Key()
	return err
}

func (j *job) survey(ctx context.Context) error {
	var err error
	if j.corpus, err = survey(ctx, j.sources, j.options, j.show); err != nil {
		return err
	}
	return checkUnchanged(j.files, j.corpus.Files)
}

// make builds the bundle at path.
func (j *job) make(ctx context.Context, path string) (*Result, error) {
	if j.corpus == nil {
		if err := j.survey(ctx); err != nil {
			return nil, err
		}
	}
	tokenizer, err := j.tokenizer.load()
	if err != nil {
		return nil, err
	}
	a, err := j.selectTraces()
	if err != nil {
		return nil, err
	}
	a.tokenizer = tokenizer
	if a.writer, err = bundle.Create(path, len(a.units), j.options.Workers); err != nil {
		return nil, classed(Damage, fmt.Errorf("%w; give a folder that can be written (--output, --cache-dir)", err))
	}
	result, err := a.run(ctx)
	if err != nil {
		return nil, errors.Join(err, a.writer.Abort())
	}
	result.Path = path
	return result, nil
}

// samePath reports whether two names are the same place.
func samePath(a, b string) bool { return absolute(filepath.Clean(a)) == absolute(filepath.Clean(b)) }
