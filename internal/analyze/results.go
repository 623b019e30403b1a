package analyze

import (
	"errors"
	"fmt"
	"io"

	"agentx/internal/measure"
	"agentx/internal/view/report"
)

// Summary prints the tables and the verdict of a run.
func Summary(out, notes io.Writer, run string, options measure.Options, console report.ConsoleOptions) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	analysis, err := measure.Analyze(log, options)
	if err != nil {
		return fmt.Errorf("%s: %w", log.Path, err)
	}
	return report.Summary(out, analysis, console)
}

// Export writes the files of a set, into dir or else the run folder, and names them.
func Export(out, notes io.Writer, run, dir string, options measure.Options, set report.Set) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	analysis, err := measure.Analyze(log, options)
	if err != nil {
		return fmt.Errorf("%s: %w", log.Path, err)
	}
	if dir == "" {
		dir = log.Dir
	}
	written, err := report.Export(dir, analysis, set)
	for _, path := range written {
		fmt.Fprintln(out, path)
	}
	return err
}
