package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"agentx/eventlog"
	"agentx/internal/watch"

	"golang.org/x/term"
)

// dashboard is the view of `agentx-analyze watch` on the run's own log. It reads the log like any other
// reader, by a connection of its own, so that it shows what an analysis will find.
type dashboard struct {
	close context.CancelFunc
	done  chan struct{}
}

// startDashboard shows the view until it is stopped, or closed by the user; then the progress line comes
// back. It shows none where the options or the terminal want none; nil is a dashboard that is not shown.
func (s *session) startDashboard() *dashboard {
	if !s.options.Dashboard || s.options.Quiet {
		return nil
	}
	if why := noScreen(); why != "" {
		if s.options.DashboardAsked && s.first() {
			s.progress.Say("--ui dashboard: %s, so progress comes as lines; `agentx-analyze watch %s` shows it on another terminal", why, s.dir)
		}
		return nil
	}
	log, err := eventlog.OpenUnverified(s.placement.Live)
	if err != nil {
		s.progress.Say("no dashboard: %v", err)
		return nil
	}
	var in io.Reader
	if term.IsTerminal(int(os.Stdin.Fd())) {
		in = os.Stdin
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := &dashboard{close: cancel, done: make(chan struct{})}
	s.progress.Leave()
	go func() {
		defer close(d.done)
		err := watch.Terminal(ctx, in, os.Stderr, log, watch.Keys{Stop: interruptSelf})
		s.progress.Return()
		if err = errors.Join(err, log.Close()); err != nil {
			s.progress.Say("the dashboard ended: %v", err)
		}
	}()
	return d
}

// stop closes the view, if it is open, and waits until the terminal is as before.
func (d *dashboard) stop() {
	if d != nil {
		d.close()
		<-d.done
	}
}

// noScreen says why the view cannot be drawn; empty where it can.
func noScreen() string {
	switch kind := os.Getenv("TERM"); {
	case !term.IsTerminal(int(os.Stderr.Fd())):
		return "standard error is no terminal"
	case kind == "" || kind == "dumb":
		return fmt.Sprintf("TERM is %q", kind)
	}
	return ""
}

// interruptSelf is what Ctrl+C does while the view reads the keyboard: the run is told as by a signal.
func interruptSelf() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(os.Interrupt)
}
