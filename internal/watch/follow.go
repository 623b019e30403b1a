package watch

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"agentx/eventlog"
)

// Source is the log that is watched; *eventlog.Reader is one. It is read by one goroutine at a time.
type Source interface {
	Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error]
	LastSeq() (eventlog.Seq, error)
}

// writer is a Source that knows whether its log is being written; *eventlog.Reader is one. What another
// source has not ended is taken to be alive.
type writer interface{ Writing() bool }

// Follower keeps a state up with a log.
type Follower struct {
	source Source
	next   eventlog.Seq
	*State
}

// Follow begins at the log's first event.
func Follow(source Source) *Follower { return &Follower{source: source, next: 1, State: New()} }

// Catch takes the events that were added since the last time. Each page of them is a transaction of its
// own, over before the state looks at it.
func (f *Follower) Catch() error {
	written := true // looked at first: what a dying writer still committed is read below
	if w, ok := f.source.(writer); ok {
		written = w.Writing()
	}
	last, err := f.source.LastSeq()
	if err != nil {
		return err
	}
	if last >= f.next {
		err = f.take(last)
	}
	f.died = f.end == nil && !written
	return err
}

// take applies the events up to last.
func (f *Follower) take(last eventlog.Seq) error {
	for event, err := range f.source.Events(eventlog.Filter{From: f.next, To: last, Kinds: lightKinds(), NoData: true}) {
		if err == nil {
			err = f.Apply(&event)
		}
		if err != nil {
			return fmt.Errorf("watching: %w", err)
		}
	}
	for event, err := range f.source.Events(eventlog.Filter{From: f.next, To: last, Kinds: []eventlog.Kind{eventlog.KindServerSample}}) {
		if err == nil {
			err = f.Apply(&event)
		}
		if err != nil {
			return fmt.Errorf("watching: %w", err)
		}
	}
	f.next = last + 1
	return nil
}

// Options say how a run is watched.
type Options struct {
	Once     bool          // show the state once and end
	Interval time.Duration // between plain lines
	Width    int           // of a view that is shown once
}

// DefaultInterval is the time between plain lines.
const DefaultInterval = 5 * time.Second

const (
	// lookEvery is how often a live log is looked at.
	lookEvery = 500 * time.Millisecond
	// plainWidth is the width of a view that is no terminal's.
	plainWidth = 160
)

// Plain shows a log as lines: with Once the whole view once, else a line each interval until the run is
// over or the context is.
func Plain(ctx context.Context, out io.Writer, source Source, options Options) error {
	f := Follow(source)
	if options.Once {
		return f.once(out, options.Width)
	}
	interval := options.Interval
	if interval <= 0 {
		interval = DefaultInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := f.Catch(); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, f.Line(f.Now(time.Now().UnixNano()))); err != nil || f.Ended() {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (f *Follower) once(out io.Writer, width int) error {
	if err := f.Catch(); err != nil {
		return err
	}
	if width <= 0 {
		width = plainWidth
	}
	for _, line := range f.View(f.Now(time.Now().UnixNano()), Screen{Width: width}) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}
