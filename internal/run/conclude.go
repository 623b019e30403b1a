package run

import (
	"errors"
	"fmt"
	"os"

	"agentx/eventlog"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/rawlog"
	"agentx/internal/view/report"
)

// conclude computes the results from the closed log, as agentx-analyze does, shows the summary of a run
// that began, writes the default exports, and gives the exit code.
func (s *session) conclude(end eventlog.RunEnd, began bool) (code int, analysis *measure.Analysis, err error) {
	log, err := eventlog.Open(s.placement.Final)
	if err != nil {
		return exit.Damage, nil, fmt.Errorf("reading the run back: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if analysis, err = measure.Analyze(log, measure.Options{}); err != nil {
		return exit.Failure, nil, err
	}
	results := &s.options.Results
	if began && !s.options.Quiet {
		if err := report.Summary(os.Stdout, analysis, report.ConsoleOptions{HTTPTrace: results.ShowTrace}); err != nil {
			return exit.Failure, analysis, err
		}
	}
	set := report.Set{
		Level: s.options.ExportLevel, Prefix: s.options.ExportPrefix,
		HTTPTrace: results.HTTPTrace, Outputs: results.OutputsJSON, ShowTrace: results.ShowTrace,
	}
	if set.NeedsRaw() {
		raw, err := rawlog.Open(log, s.recording.bundle, analysis.Config)
		if err != nil {
			return exit.Failure, analysis, fmt.Errorf("reading requests and answers back: %w", err)
		}
		defer raw.Close()
		set.Raw = raw
	}
	if _, err := report.Export(s.dir, analysis, set); err != nil {
		return exit.Failure, analysis, fmt.Errorf("writing the results into %s: %w", s.dir, err)
	}
	if !s.options.Quiet {
		fmt.Printf("\nlog and results: %s\n", s.dir)
	}
	return exitOf(end.ExitCode, &analysis.Verdict), analysis, nil
}

// exitOf gives a run that ran its course the exit code of its verdict: a submission that is invalid for
// another reason than that the user asked for it (spec decision 20).
func exitOf(code int, verdict *measure.Verdict) int {
	if code != exit.Done || verdict.Scenario == "" || verdict.Valid {
		return code
	}
	if verdict.OnlyOverride() {
		return exit.Done
	}
	return exit.Invalid
}
