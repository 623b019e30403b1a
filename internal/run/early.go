package run

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"agentx/internal/exit"
)

// errEarly is how a run ends that a signal stopped before there was anything of it.
var errEarly = exit.With(exit.Interrupted, errors.New("interrupted before the run began: nothing was sent and nothing was written"))

// Catch takes the signals that end a run in order, from now on until release: as early as possible, so that one that
// comes while the run is made ready is not lost. SIGINT is taken also where it was ignored at the start, as it is for a
// shell's background job, because `kill -INT` is how a script ends such a run; SIGHUP is not, so that a run under
// nohup outlives its terminal.
func Catch() (signals <-chan os.Signal, release func()) {
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	return caught, func() { signal.Stop(caught) }
}

// openUnlessInterrupted opens the recording, which may mean looking through a cache and reading traces for their
// digests. The error of a signal is errEarly.
func (o *Options) openUnlessInterrupted(ctx context.Context, signals <-chan os.Signal) (*recording, error) {
	var opened *recording
	interrupted, err := unlessInterrupted(ctx, signals, func(ctx context.Context) (err error) {
		opened, err = o.open(ctx)
		return err
	})
	if interrupted && opened != nil {
		opened.close()
	}
	if interrupted {
		return nil, errEarly
	}
	return opened, err
}
