package prep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/corpus/weka"
	"agentx/internal/progress"
)

// DefaultContextLimits are the context windows that statistics look at, in tokens.
func DefaultContextLimits() []int64 { return []int64{32768, 65536, 131072, 200000, 262144, 1048576} }

// StatsOptions say what to count.
type StatsOptions struct {
	Trace  string // only this trace; empty: the corpus, and a row for each trace
	JSON   bool
	Limits []int64 // context windows, in tokens
}

// Stats prints the recorded shape of a bundle, or of traces that no bundle was made of yet: these are
// read with the settings of a build without flags.
func Stats(ctx context.Context, out io.Writer, path string, options StatsOptions, show *progress.Printer) error {
	for _, limit := range options.Limits {
		if limit < 1 {
			return classed(Usage, fmt.Errorf("context limit %d: expected at least 1", limit))
		}
	}
	plans, err := plansOf(ctx, path, options.Trace, show)
	if err != nil {
		return err
	}
	stats := corpus.Stats(plans, slices.Compact(slices.Sorted(slices.Values(options.Limits))))
	if options.Trace != "" {
		return printStats(out, &stats.Traces[0], nil, options.JSON)
	}
	return printStats(out, &stats.Corpus, stats.Traces, options.JSON)
}

// plansOf gives the plans of a bundle or of traces: all, or one.
func plansOf(ctx context.Context, path, trace string, show *progress.Printer) ([]*corpus.Plan, error) {
	b, err := bundle.Open(path)
	if err == nil {
		plans, err := bundlePlans(b, trace)
		return plans, errors.Join(err, b.Close())
	}
	if path != weka.Stdin && errors.Is(err, fs.ErrNotExist) {
		return nil, classed(Input, fmt.Errorf("%s: %w; give a bundle, or a folder or file of traces", path, fs.ErrNotExist))
	}
	if path != weka.Stdin && !isTraces(path, err) {
		return nil, err
	}
	options := DefaultOptions()
	options.Inputs, options.Workers = []string{path}, runtime.GOMAXPROCS(0)
	return tracePlans(ctx, &options, trace, show)
}

// isTraces reports whether a path that cannot be opened as a bundle, for that reason, may be one of traces.
// What is packed in the same way and damaged from its beginning is told by its name.
func isTraces(path string, reason error) bool {
	var other *bundle.NotABundle
	var damaged *bundle.Damaged
	return errors.As(reason, &other) || errors.As(reason, &damaged) && !strings.HasSuffix(path, bundle.Suffix) && !bundle.Begins(path)
}

func bundlePlans(b *bundle.Bundle, trace string) ([]*corpus.Plan, error) {
	if trace == "" {
		return b.Plans()
	}
	at, err := findTrace(b, trace)
	if err != nil {
		return nil, err
	}
	plan, err := b.Plan(at)
	return []*corpus.Plan{plan}, err
}

// tracePlans builds the plans of traces, and no text.
func tracePlans(ctx context.Context, options *Options, trace string, show *progress.Printer) (plans []*corpus.Plan, err error) {
	sources, err := weka.List(options.Inputs)
	if err != nil {
		return nil, classed(Input, err)
	}
	read, err := survey(ctx, sources, options, show)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, read.Close()) }()
	selection, err := corpus.Select(read.Summaries(), options.Corpus)
	if err != nil {
		return nil, classed(Input, err)
	}
	var units []*weka.Unit
	for _, i := range selection.Kept {
		if trace == "" || string(read.Units[i].Summary.Trace) == trace {
			units = append(units, read.Units[i])
		}
	}
	if len(units) == 0 {
		return nil, classed(Usage, fmt.Errorf("%s has no trace %q among its %d", options.Inputs[0], trace, len(selection.Kept)))
	}
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	plans = make([]*corpus.Plan, len(units))
	work := show.Start("building traces", len(units))
	defer work.End()
	err = forEach(ctx, options.Workers, order, func(i int) error {
		defer work.Step()
		recorded, err := units[i].Read()
		if err == nil {
			plans[i], _, _, err = corpus.Build(recorded, options.Corpus)
		}
		return classed(Input, err)
	})
	return plans, err
}

// printStats prints one shape, and a list of those of its traces unless each is nil.
func printStats(out io.Writer, whole *corpus.Shape, each []corpus.Shape, asJSON bool) error {
	if !asJSON {
		return printStatsText(out, whole, each)
	}
	var value any = whole
	if each != nil {
		value = corpus.Statistics{Corpus: *whole, Traces: each}
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("writing statistics: %w", err)
	}
	_, err = out.Write(append(text, '\n'))
	return err
}
