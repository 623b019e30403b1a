package analyze

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/exit"
)

// startCheck holds a log against its chain beside whatever else reads it, on a connection of its own; it
// takes a fifth of the time of an analysis. The result waits for it: an error with the exit code for damage
// where the log is not as it was written. A log that was not closed in order was checked when it was opened.
func (l *Log) startCheck() (result func() error) {
	if l.Verified() {
		return func() error { return nil }
	}
	found := make(chan error, 1)
	go func() { found <- checkChain(l.Path) }()
	return func() error { return <-found }
}

func checkChain(path string) error {
	log, err := eventlog.OpenUnverified(path)
	if err != nil {
		return exit.With(exit.Damage, err)
	}
	defer log.Close()
	report := log.CheckChain()
	if len(report.Damages) == 0 {
		return nil
	}
	return exit.With(exit.Damage, fmt.Errorf("%s is damaged (%v): its figures may be wrong; agentx-analyze verify lists all damage", path, report.Damages[0]))
}
