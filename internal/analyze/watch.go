package analyze

import (
	"context"
	"errors"
	"io"
	"os"

	"agentx/eventlog"
	"agentx/internal/watch"

	"golang.org/x/term"
)

// Watch shows a run from its log while it goes on, or afterwards: drawn anew where out is a terminal, as
// plain lines elsewhere.
func Watch(ctx context.Context, in io.Reader, out, notes io.Writer, run string, options watch.Options) (err error) {
	log, damage, err := openWatched(run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close(), damage()) }()
	if options.Once || !redrawable(out) {
		return watch.Plain(ctx, out, log.Reader, options)
	}
	return watch.Terminal(ctx, in, out, log.Reader, watch.Keys{})
}

// openWatched opens a log as it stands while it is written; one that nobody writes is checked as for every other command.
func openWatched(run string, notes io.Writer) (log *Log, damage func() error, err error) {
	log, err = open(run, notes, eventlog.OpenUnverified)
	if err != nil || log.Writing() {
		return log, func() error { return nil }, err
	}
	if err := log.Close(); err != nil {
		return nil, nil, err
	}
	if log, err = Open(run, io.Discard); err != nil { // its notes were told
		return nil, nil, err
	}
	return log, log.startCheck(), nil
}

// redrawable tells whether out is a terminal that can be drawn anew.
func redrawable(out io.Writer) bool {
	screen, isFile := out.(*os.File)
	kind := os.Getenv("TERM")
	return isFile && term.IsTerminal(int(screen.Fd())) && kind != "" && kind != "dumb"
}
