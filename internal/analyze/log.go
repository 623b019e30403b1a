// Package analyze is what agentx-analyze does: it opens the log of a run, and a bundle where texts are
// wanted, and hands them to the packages that measure, show and audit. It holds no rules of its own.
package analyze

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"agentx/eventlog"
	"agentx/internal/exit"
)

// logName is the name of a log inside its run folder.
const logName = "run.db"

// expectedRun is what commands take for a run.
const expectedRun = "a run folder or a run.db"

// Log is the open log of a run.
type Log struct {
	*eventlog.Reader
	Dir   string // the run folder
	Path  string
	meter *meter
}

// Open opens the log of a run, given as its folder or its run.db, and tells of notes that its reader has.
// The error carries the exit code.
func Open(run string, notes io.Writer) (*Log, error) {
	return open(run, notes, eventlog.Open)
}

func open(run string, notes io.Writer, opener func(path string) (*eventlog.Reader, error)) (*Log, error) {
	path := run
	if info, err := os.Stat(run); err == nil && info.IsDir() {
		path = filepath.Join(run, logName)
	} else if err != nil && os.IsNotExist(err) && filepath.Ext(run) != ".db" {
		return nil, exit.With(exit.Input, fmt.Errorf("%s: %w; expected %s", run, fs.ErrNotExist, expectedRun))
	}
	reader, err := opener(path)
	if err != nil {
		if series, _ := seriesIn(run); len(series) > 0 && series[0] != run {
			return nil, exit.With(exit.Input, fmt.Errorf("%s holds runs and is none itself: give one of them, such as %s", run, series[0]))
		}
		if !isDatabase(path) { // SQLite's own words tell nothing more
			err = fmt.Errorf("%s is no event log: its first bytes are not those of an SQLite database; expected %s", path, expectedRun)
		}
		return nil, exit.With(logExit(path, err), err)
	}
	for _, note := range reader.Notes() {
		fmt.Fprintln(notes, "note:", note)
	}
	return &Log{Reader: reader, Dir: filepath.Dir(path), Path: path, meter: newMeter(notes, reader)}, nil
}

// logExit tells a log that is not there, or a file that is none, from one that is damaged.
func logExit(path string, err error) int {
	if os.IsNotExist(err) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, eventlog.ErrForeign) || errors.Is(err, eventlog.ErrPathTooLong) || !isDatabase(path) {
		return exit.Input
	}
	return exit.Damage
}

// isDatabase looks at the first bytes of a file; what cannot be read is left to whoever opens it.
func isDatabase(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	head := make([]byte, len(databaseMagic))
	n, err := io.ReadFull(file, head)
	return err == nil && string(head[:n]) == databaseMagic
}

// databaseMagic is how every SQLite database begins.
const databaseMagic = "SQLite format 3\x00"
