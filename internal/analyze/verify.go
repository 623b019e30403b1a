package analyze

import (
	"errors"
	"fmt"
	"io"

	"agentx/eventlog"
	"agentx/internal/audit"
	"agentx/internal/exit"
)

// VerifyOptions say how far a verification goes.
type VerifyOptions struct {
	Bundle  string
	LogOnly bool // database, sequence and chain; no second run, no bundle
}

// Verify checks a log and says what agreed, what did not, and what could not be checked. Disagreement is
// an error with the exit code for damage.
func Verify(out, notes io.Writer, run string, options VerifyOptions) (err error) {
	log, err := Open(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	told := &teller{to: out}
	out = told
	defer func() { err = errors.Join(err, told.err) }() // a verdict that nobody could read is none
	report := log.Check()
	for _, damage := range report.Damages {
		fmt.Fprintln(out, "damage:", damage)
	}
	fmt.Fprintf(out, "checked log: %d events in %d batches, chain head %x\n", report.Events, report.Batches, report.Head)
	switch {
	case report.Interrupted() && log.Writing():
		fmt.Fprintln(out, liveNote)
	case report.Interrupted():
		fmt.Fprintln(out, diedNote)
	case report.Cut():
		fmt.Fprintln(out, "the log could not be written to the end: what it lacks there is no disagreement")
	}
	damaged := len(report.Damages) + report.MoreDamages
	findings := 0
	if !options.LogOnly {
		result, err := log.audit(out, options.Bundle, report.Cut())
		switch {
		case err == nil:
			findings = result.Findings
			printAudit(out, result)
		case damaged > 0: // no wonder; what could be read was looked at
			fmt.Fprintln(out, "not checked further:", err)
		default:
			return err
		}
	}
	if damaged+findings > 0 {
		return exit.With(exit.Damage, fmt.Errorf("%s: %d damages, %d disagreements", log.Path, damaged, findings))
	}
	fmt.Fprintln(out, "verified")
	return nil
}

// teller keeps the first error of writing.
type teller struct {
	to  io.Writer
	err error
}

func (t *teller) Write(p []byte) (int, error) {
	n, err := t.to.Write(p)
	if t.err == nil {
		t.err = err
	}
	return n, err
}

// audit holds the log against what it must agree with, and tells each finding as it comes.
func (l *Log) audit(out io.Writer, bundlePath string, cut bool) (*audit.Result, error) {
	config, err := l.config()
	if err != nil {
		return nil, err
	}
	tell := func(finding audit.Finding) { fmt.Fprintln(out, "disagreement:", finding) }
	opened, err := l.findBundle(bundlePath, config)
	if errors.Is(err, errNoBundle) {
		fmt.Fprintln(out, "note:", err)
		return audit.Run(l, nil, cut, tell)
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	bodies, err := audit.NewBodies(opened, config)
	if err != nil {
		return nil, err
	}
	return audit.Run(l, bodies, cut, tell)
}

// config reads the run's first event.
func (l *Log) config() (eventlog.RunConfig, error) {
	for event, err := range l.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRunConfig}}) {
		if err != nil {
			return eventlog.RunConfig{}, err
		}
		return eventlog.Decode[eventlog.RunConfig](event)
	}
	return eventlog.RunConfig{}, exit.With(exit.Damage, fmt.Errorf("%s has no run configuration", l.Path))
}

func printAudit(out io.Writer, result *audit.Result) {
	for _, line := range result.Done {
		fmt.Fprintln(out, "checked", line)
	}
	for _, line := range result.NotDone {
		fmt.Fprintln(out, "not checked", line)
	}
}
