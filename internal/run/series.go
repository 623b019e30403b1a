package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentx/eventlog"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/report"

	"github.com/gofrs/flock"
)

// trial is one run of a series.
type trial struct {
	options *Options // its own copy
	dir     string
	point   int // which concurrency, from 0
	number  int // which repetition, from 0
}

// first reports whether nothing was made before it in its series.
func (t *trial) first() bool { return t.number == 0 && t.point == 0 }

// label names the run inside its series.
func (t *trial) label() string { return fmt.Sprintf("run_%04d", t.number+1) }

// series is every run that a command line asks for: each concurrency, each repetition.
type series struct {
	options *Options
	points  []string // folder of each concurrency
	trials  []trial  // in the order in which they are made
	out     io.Writer
	log     io.WriteCloser // of the folder of the concurrency whose run is made, nil for none

	locks []*flock.Flock // of the folders
	done  []made
}

// made is a run of the series that was made.
type made struct {
	*trial
	code     int
	analysis *measure.Analysis // nil where there is none
	err      error
}

// succeeded reports whether the run ran its course.
func (m *made) succeeded() bool {
	return m.analysis != nil && (m.code == exit.Done || m.code == exit.Invalid)
}

// planSeries lays out the runs: seeds, ids and folders (spec scheduling 10, decision 17).
func planSeries(o *Options) (*series, error) {
	dirs, err := artifactDirs(o)
	if err != nil {
		return nil, err
	}
	s := &series{options: o, points: dirs, out: os.Stderr}
	if o.Quiet {
		s.out = io.Discard
	}
	base := o.Seed
	if several := o.Series.Runs > 1 || len(dirs) > 1; base < 0 && several && !o.Series.FreshSeeds {
		base = seriesSeed
	}
	for point := range dirs {
		for number := range o.Series.Runs {
			t, err := s.trial(base, point, number)
			if err != nil {
				return nil, err
			}
			s.trials = append(s.trials, t)
		}
	}
	if !o.Series.PointsTogether {
		slices.SortStableFunc(s.trials, func(a, b trial) int { return a.number - b.number })
	}
	for i := range s.trials {
		own := s.trials[i].options
		own.RunID, own.BenchmarkID = idOfRun(o.RunID, i), idOfRun(o.BenchmarkID, i)
	}
	return s, nil
}

// trial makes the options of one run.
func (s *series) trial(seed int64, point, number int) (trial, error) {
	o := *s.options
	o.Settings = cloneSettings(s.options.Settings)
	var problems []error
	set := func(name string, value any) { problems = append(problems, o.set(name, value)) }
	set("concurrency", o.points()[point])
	if len(s.points) > 1 {
		o.record("sweep", true)
	}
	if seed >= 0 {
		if !o.Series.SameSeed {
			seed += int64(point)
		}
		if o.Series.VarySeed {
			seed = trialSeed(seed, number)
		}
		set("random-seed", seed)
	}
	if number > 0 && o.Series.NoWarmupAfterFirst { // the primers stay
		set("agentic-cache-warmup-duration", float64(unset))
		set("warmup-requests-per-lane", unset)
	}
	dir := s.points[point]
	if o.Series.Runs > 1 {
		dir = filepath.Join(dir, trialsFolder, fmt.Sprintf("run_%04d", number+1))
	}
	if err := eventlog.CheckPath(filepath.Join(dir, logName)); err != nil {
		problems = append(problems, fmt.Errorf("--artifact-dir: %s: %w", filepath.Join(dir, logName), err))
	}
	return trial{options: &o, dir: dir, point: point, number: number}, errors.Join(problems...)
}

// unset is the value of a number that the user has not given.
const unset = -1

func cloneSettings(settings map[string]any) map[string]any {
	clone := make(map[string]any, len(settings)+2)
	for name, value := range settings {
		clone[name] = value
	}
	return clone
}

// several reports whether there is more than one run.
func (s *series) several() bool { return len(s.trials) > 1 }

// run makes the runs, one after the other. A signal ends the series.
func (s *series) run(ctx context.Context, recording *recording, signals <-chan os.Signal) (int, error) {
	defer s.release()
	if err := s.claim(); err != nil {
		return exit.Code(err), err
	}
	before := (*trial)(nil) // the run that was made last
	for i := range s.trials {
		t := &s.trials[i]
		if s.converged(t.point) {
			continue
		}
		if before != nil && !s.coolDown(ctx, t, before, signals) {
			return exit.Interrupted, errors.Join(s.conclude(), s.closeLog())
		}
		before = t
		if s.several() {
			if err := s.turnTo(t.point); err != nil {
				return exit.Damage, err
			}
			s.say("run %d of %d: concurrency %d, repetition %d of %d, %s", i+1, len(s.trials), t.options.Load.Concurrency, t.number+1, s.options.Series.Runs, t.dir)
		}
		code, analysis, err := replay(ctx, t, recording, signals, s.options.Series.Runs)
		s.done = append(s.done, made{t, code, analysis, err})
		if !s.several() {
			return code, err
		}
		if err != nil {
			s.say("run %d of %d failed: %s", i+1, len(s.trials), s.options.masked(err))
		}
		if code == exit.Interrupted || code == exit.Damage {
			break
		}
		s.tellConvergence(t)
	}
	err := errors.Join(s.conclude(), s.closeLog())
	return s.code(), err
}

// converged reports whether the repetitions of a concurrency agree, so that no more of them are made.
func (s *series) converged(point int) bool {
	rule := s.options.Series.rule()
	if rule == nil {
		return false
	}
	c := rule.Judge(s.repetitions(point).Runs, s.options.Series.Confidence)
	return c.Reached
}

// tellConvergence says how far repetitions agree, from the least number on that can.
func (s *series) tellConvergence(t *trial) {
	rule := s.options.Series.rule()
	if rule == nil {
		return
	}
	c := rule.Judge(s.repetitions(t.point).Runs, s.options.Series.Confidence)
	switch left := s.options.Series.Runs - t.number - 1; {
	case c.Runs < measure.ConvergenceMinimum:
	case c.Reached && left > 0:
		s.say("converged: %s; the %d repetitions that are left are not made", c.String(), left)
	case !c.Reached:
		s.say("not converged: %s", c.String())
	}
}

// turnTo writes what is said from now on into the folder of a concurrency. A single run has its own log
// there.
func (s *series) turnTo(point int) error {
	if err := s.closeLog(); err != nil || s.options.Series.Runs == 1 {
		return err
	}
	folder := filepath.Join(s.points[point], "logs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder for log lines: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(folder, linesName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("opening the file for log lines: %w", err)
	}
	s.log = file
	return nil
}

func (s *series) closeLog() error {
	if s.log == nil {
		return nil
	}
	log := s.log
	s.log = nil
	return log.Close()
}

// claim makes the folders of the concurrencies, and locks them before anything in them is replaced.
func (s *series) claim() error {
	for _, dir := range s.points {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return exit.With(exit.Damage, fmt.Errorf("making the artifact folder: %w", err))
		}
		lock, err := lockDir(dir)
		if err != nil {
			return err
		}
		s.locks = append(s.locks, lock)
		if err := claimDir(dir); err != nil {
			return exit.With(exit.Damage, err)
		}
	}
	return nil
}

// release gives the folders back. A lock ends with the process at the latest.
func (s *series) release() {
	for _, lock := range s.locks {
		_ = lock.Close()
	}
}

// say tells of the series, on the terminal and, beside repetitions, in their common folder.
func (s *series) say(format string, arguments ...any) {
	line := fmt.Sprintf(format, arguments...)
	fmt.Fprintln(s.out, line)
	if s.log != nil {
		fmt.Fprintln(s.log, time.Now().UTC().Format(logTime), line)
	}
}

// coolDown waits between two runs; false when a signal came.
func (s *series) coolDown(ctx context.Context, next, before *trial, signals <-chan os.Signal) bool {
	wait := 0.0
	if next.number != before.number {
		wait = s.options.Series.Cooldown
	}
	if next.point != before.point {
		wait = max(wait, s.options.Series.PointCooldown)
	}
	if wait > 0 {
		s.say("waiting %g s before the next run", wait)
	}
	timer := time.NewTimer(seconds(wait))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-signals:
	case <-ctx.Done():
	}
	s.say("interrupted: the runs that are left are not made")
	return false
}

// conclude writes what the repetitions of each concurrency say together, where at least two have
// succeeded, and the table of all runs.
func (s *series) conclude() error {
	var problems []error
	for point, dir := range s.points {
		repetitions := s.repetitions(point)
		if s.options.Series.Runs < 2 || len(repetitions.Runs) < 2 {
			continue
		}
		written, err := report.Aggregate(filepath.Join(dir, aggregateName), repetitions, s.options.Series.Cooldown)
		problems = append(problems, err)
		if s.options.Quiet || len(written) == 0 {
			continue
		}
		problems = append(problems, report.AggregateSummary(os.Stdout, repetitions))
		fmt.Printf("\nwhat %d runs say together: %s\n", len(repetitions.Runs), filepath.Dir(written[0]))
	}
	return errors.Join(append(problems, s.table())...)
}

func (s *series) repetitions(point int) *measure.Repetitions {
	r := &measure.Repetitions{Level: s.options.Series.Confidence, Rule: s.options.Series.rule()}
	for i := range s.done {
		run := &s.done[i]
		switch {
		case run.point != point:
		case run.succeeded():
			r.Runs, r.Labels = append(r.Runs, run.analysis), append(r.Labels, run.label())
		default:
			r.Failed = append(r.Failed, measure.FailedRun{
				Label: run.label(), Error: run.failure(), Cancelled: run.analysis != nil && run.analysis.Verdict.Cancelled,
			})
		}
	}
	return r
}

// failure says why a run gave no result.
func (m *made) failure() string {
	if m.err != nil {
		return m.err.Error()
	}
	if m.analysis != nil && m.analysis.Verdict.CancelReason != "" {
		return "cancelled: " + m.analysis.Verdict.CancelReason
	}
	return fmt.Sprintf("exit code %d", m.code)
}

// table prints a row for each run of several concurrencies.
func (s *series) table() error {
	if len(s.points) < 2 || s.options.Series.NoTable || s.options.Quiet {
		return nil
	}
	var labels []string
	var runs []*measure.Analysis
	for _, run := range s.done {
		if run.analysis != nil {
			labels, runs = append(labels, run.dir), append(runs, run.analysis)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return report.Runs(os.Stdout, labels, runs, report.FormatText)
}

// code is the exit code of the whole series: of repetitions two that succeed are enough, as the peer has
// it; of concurrencies every one counts (decision 20).
func (s *series) code() int {
	worst := exit.Done
	for point := range s.points {
		successes, code := 0, exit.Done
		for i := range s.done {
			if run := &s.done[i]; run.point == point {
				if run.succeeded() {
					successes++
				}
				code = graver(code, run.code)
			}
		}
		if successes >= 2 && code == exit.Failure {
			code = exit.Done
			if v := s.repetitions(point).Verdict(); v.Scenario != "" && !v.Valid && !v.OnlyOverride() {
				code = exit.Invalid
			}
		}
		worst = graver(worst, code)
	}
	return worst
}

// graver is the exit code that wins of two (decision 20).
func graver(a, b int) int {
	for _, code := range []int{exit.Usage, exit.Input, exit.Damage, exit.Interrupted, exit.Failure, exit.Invalid} {
		if a == code || b == code {
			return code
		}
	}
	return exit.Done
}
