package analyze

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/exit"
)

// startCheck holds a log against its chain beside whatever else reads it, on a connection of its own. The result
// waits for it: an error with the exit code for damage where the log is not as it was written. A log that was not
// closed in order was checked when it was opened.
func (l *Log) startCheck() (result func() error) {
	if l.Verified() {
		return func() error { return nil }
	}
	found := make(chan error, 1)
	go func() { found <- checkChain(l.Path) }()
	return func() error { return <-found }
}

// checkBeside is startCheck for who is about to read all events: the check takes them from that reading.
func (l *Log) checkBeside() (result func() error) {
	if l.Verified() {
		return func() error { return nil }
	}
	report := l.CheckBeside()
	return func() error { return damageIn(l.Path, report) }
}

func checkChain(path string) error {
	log, err := eventlog.OpenUnverified(path)
	if err != nil {
		return exit.With(exit.Damage, err)
	}
	defer log.Close()
	return damageIn(path, func() (*eventlog.Report, error) { return log.CheckChain(), nil })
}

func damageIn(path string, check func() (*eventlog.Report, error)) error {
	report, err := check()
	if err != nil {
		return exit.With(exit.Damage, err)
	}
	if len(report.Damages) == 0 {
		return nil
	}
	return exit.With(exit.Damage, fmt.Errorf("%s is damaged (%v): its figures may be wrong; agentx-analyze verify lists all damage", path, report.Damages[0]))
}
