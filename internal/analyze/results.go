package analyze

import (
	"errors"
	"fmt"
	"io"
	"os"

	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/report"
)

// analysed opens a run, computes its numbers and hands both to do.
func analysed(notes io.Writer, run string, options measure.Options, do func(*Log, *measure.Analysis) error) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.Writing() {
		fmt.Fprintln(notes, "note:", liveNote)
		options.Live = true
	}
	damage := log.checkBeside()
	defer func() { err = errors.Join(err, damage()) }()
	analysis, err := measure.Analyze(log, options)
	if err != nil { // settings were checked before: the log is not what a run writes
		return exit.With(exit.Damage, fmt.Errorf("%s: %w", log.Path, err))
	}
	if err := nothingChosen(log.Path, analysis); err != nil {
		return err
	}
	return do(log, analysis)
}

// Summary prints the tables and the verdict of a run.
func Summary(out, notes io.Writer, run string, options measure.Options, console report.ConsoleOptions) error {
	return analysed(notes, run, options, func(_ *Log, analysis *measure.Analysis) error {
		return report.Summary(out, analysis, console)
	})
}

// Breakdown prints a row for each group of a run's requests.
func Breakdown(out, notes io.Writer, run, by string, options measure.Options, format report.Format) error {
	options.NoChunks, options.NoCurves = true, true
	return analysed(notes, run, options, func(_ *Log, analysis *measure.Analysis) error {
		return report.Breakdown(out, analysis, by, format)
	})
}

// HoldsRuns reports whether run is a folder of runs rather than a run.
func HoldsRuns(run string) bool {
	series, err := seriesIn(run)
	return err == nil && (len(series) != 1 || series[0] != run)
}

// Compare prints a row for each run; a folder of runs, or a comma list, stands for its runs. A run that cannot be
// read is left out, and its error returned.
func Compare(out, notes io.Writer, runs []string, options measure.Options, format report.Format) error {
	options.NoChunks, options.NoCurves = true, true
	var labels []string
	var analyses []*measure.Analysis
	var failed error
	for _, group := range runs {
		found, err := runsOf(group)
		if err != nil {
			return err
		}
		for _, run := range found {
			err := analysed(notes, run, options, func(_ *Log, analysis *measure.Analysis) error {
				labels, analyses = append(labels, run), append(analyses, analysis)
				return nil
			})
			failed = errors.Join(failed, err)
		}
	}
	if len(analyses) == 0 {
		return failed
	}
	return errors.Join(failed, report.Runs(out, labels, analyses, format))
}

// Export writes the files of a set, into dir or else the run folder, and names them. The bundle is for
// request bodies; empty: found by the log.
func Export(out, notes io.Writer, run, dir, bundle string, options measure.Options, set report.Set) error {
	if info, err := os.Stat(dir); dir != "" && err == nil && !info.IsDir() {
		return exit.With(exit.Usage, fmt.Errorf("export: -o %s is a file: give the name of a folder", dir))
	}
	return analysed(notes, run, options, func(log *Log, analysis *measure.Analysis) error {
		if dir == "" {
			dir = log.Dir
		}
		if set.NeedsRaw() {
			raw, release, err := log.raw(notes, bundle, analysis.Config)
			if err != nil {
				return err
			}
			defer release()
			set.Raw = raw
		}
		written, err := report.Export(dir, analysis, set)
		for _, path := range written {
			fmt.Fprintln(out, path)
		}
		for _, reason := range set.Unwritten(analysis) {
			fmt.Fprintln(notes, "note: "+reason)
		}
		return err
	})
}

// Validate checks an exported file, or all in a folder, against their schemas. A file that breaks its
// schema is damage; one that cannot be read or has no schema, and a folder without any, are refused input.
func Validate(out io.Writer, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return exit.With(exit.Input, fmt.Errorf("validating: %w; expected a file that agentx-analyze export wrote, or a folder of them", err))
	}
	if !info.IsDir() {
		return validateFile(out, path)
	}
	paths, err := report.Exported(path)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: no exported file is in this folder; agentx-analyze export writes them", path)
	}
	if err != nil {
		return exit.With(exit.Input, err)
	}
	var problems []error
	for _, file := range paths {
		if err := validateFile(out, file); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return exit.With(exit.Code(problems[0]), errors.Join(problems...))
	}
	_, err = fmt.Fprintf(out, "%s: %d files, all valid\n", path, len(paths))
	return err
}

func validateFile(out io.Writer, path string) error {
	records, err := report.Validate(path)
	var invalid *report.InvalidError
	switch {
	case err == nil:
		counted := ""
		if records >= 0 {
			counted = fmt.Sprintf(", records: %d", records)
		}
		_, err = fmt.Fprintln(out, path+": valid"+counted)
		return err
	case errors.As(err, &invalid):
		return exit.With(exit.Damage, err)
	}
	return exit.With(exit.Input, err)
}
