package prep

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"agentx/corpus"
	"agentx/internal/synth/filler"
)

// RulesVersion names what reader and plan rules make of a trace. It goes up when they make something
// else of the same input: it is part of the key.
const RulesVersion = 1

// Options are the settings of a build.
type Options struct {
	Inputs      []string // files, folders, "-" for standard input
	DataSet     *DataSet // on the hub, in place of Inputs; nil: none
	Mirror      string   // folder that has the data set, the tokenizer or both, as Fetch leaves them; empty: none
	Tokenizer   string   // path of a tokenizer.json or of a folder with one, or a repository; empty: the embedded one
	Corpus      corpus.Options
	Strict      bool
	SkipInvalid bool
	Force       bool // allow a block size that is not the traces' own
	Style       filler.Style
	Seed        int64

	TokenizerRevision string // of a repository
	Agent             string // User-Agent for the hub

	Output   string // where the bundle is wanted; empty: in the cache only
	CacheDir string
	NoCache  bool
	Workers  int // 0: one a processor

	fillerLengths []int // filler.Lengths(), but in tests
}

// DefaultOptions are the settings without any flag.
func DefaultOptions() Options {
	return Options{Corpus: corpus.DefaultOptions(), Style: filler.Coding, fillerLengths: filler.Lengths()}
}

// validate refuses settings that cannot be followed, and fills in defaults.
func (o *Options) validate() error {
	switch {
	case len(o.Inputs) == 0 && o.DataSet == nil:
		return classed(Usage, errors.New("there is nothing to build from: give --input-file PATH (a folder of traces, a .json, .jsonl or .parquet file, or -), --public-dataset ALIAS or --hf-weka-dataset OWNER/NAME"))
	case len(o.Inputs) > 0 && o.DataSet != nil:
		return classed(Usage, errors.New("--input-file and a data set of the hub are given; give one of them (to read the data set from a folder, add --mirror DIR)"))
	}
	if err := o.Corpus.Validate(); err != nil {
		return classed(Usage, err)
	}
	if !slices.Contains(filler.Styles(), o.Style) {
		return classed(Usage, fmt.Errorf("prompt corpus %q: expected one of %v", o.Style, filler.Styles()))
	}
	if o.NoCache && o.Output == "" {
		return classed(Usage, errors.New("--no-cache needs --output FILE: otherwise the bundle would be nowhere"))
	}
	if o.Workers < 0 {
		return classed(Usage, fmt.Errorf("%d workers: expected 0 (one a processor) or more", o.Workers))
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if !o.NoCache && o.CacheDir == "" {
		folder, err := DefaultCacheDir()
		if err != nil {
			return classed(Usage, err)
		}
		o.CacheDir = folder
	}
	return nil
}
