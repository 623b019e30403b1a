package analyze

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentx/eventlog"
	"agentx/internal/exit"
)

// tailEvery is how often a live log is looked at.
const tailEvery = 250 * time.Millisecond

// TailOptions say what of a log is shown.
type TailOptions struct {
	Lines    int      // of the log as it stands; -1: all
	Kinds    []string // names; empty: all
	NoFollow bool     // end when the log as it stands is shown
}

// Tail shows the last events of a log as lines, and those that are added, until the run ends or its process or
// the context does. Each look is a short transaction of its own, so that the run is not held up.
func Tail(ctx context.Context, out, notes io.Writer, run string, options TailOptions) (err error) {
	kinds, err := kindsNamed(options.Kinds)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	log, err := openLive(ctx, run, notes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	buffered := bufio.NewWriter(out)
	first, next, err := log.tailFrom(options.Lines, kinds)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(tailEvery)
	defer ticker.Stop()
	for {
		written := log.Writing() // looked at first: what a dying writer still committed is shown below
		ended, err := log.showFrom(buffered, &next, first, kinds)
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil || ended || options.NoFollow {
			return err
		}
		if !written {
			fmt.Fprintf(notes, "note: %s\n", diedNote)
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// diedNote says of a log without an end that nobody will write it one.
const diedNote = "the run was interrupted: its log has no closing event and nobody writes it (the run was killed, or this is a copy)"

// liveNote says of a log without an end that there will be more.
const liveNote = "the run is going on: this is of its log as it stands"

// openPatience is how long a run may take to make its log whole enough to be read.
const openPatience = 2 * time.Second

// openLive opens a log that may be in the making: what is wrong with a file that is being written to at
// this moment is looked at again.
func openLive(ctx context.Context, run string, notes io.Writer) (*Log, error) {
	ctx, stop := context.WithTimeout(ctx, openPatience)
	defer stop()
	ticker := time.NewTicker(tailEvery)
	defer ticker.Stop()
	for {
		log, err := open(run, notes, eventlog.OpenUnverified)
		if err == nil || !fresh(run) {
			return log, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// fresh tells whether a log was written to a moment ago.
func fresh(run string) bool {
	for _, path := range []string{filepath.Join(run, logName), run} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return time.Since(info.ModTime()) < openPatience
		}
	}
	return false
}

func kindsNamed(names []string) ([]eventlog.Kind, error) {
	var kinds []eventlog.Kind
	for _, name := range names {
		found := slices.IndexFunc(eventlog.Kinds(), func(kind eventlog.Kind) bool { return kind.String() == name })
		if found < 0 {
			return nil, fmt.Errorf("there is no kind of event %q: expected one of %v", name, eventlog.Kinds())
		}
		kinds = append(kinds, eventlog.Kinds()[found])
	}
	return kinds, nil
}

// tailFrom is the number of the first event to show, and of the first to read: that is never behind the last one,
// which tells whether the run has ended.
func (l *Log) tailFrom(lines int, kinds []eventlog.Kind) (first, read eventlog.Seq, err error) {
	last, err := l.LastSeq()
	if err != nil || lines < 0 {
		return 1, 1, err
	}
	first, err = l.lastOf(last, lines, kinds)
	return first, min(first, max(1, last)), err
}

// lastOf is where the last so many events up to last begin, of these kinds if there are any.
func (l *Log) lastOf(last eventlog.Seq, lines int, kinds []eventlog.Kind) (eventlog.Seq, error) {
	if len(kinds) == 0 {
		return max(1, last-eventlog.Seq(lines)+1), nil
	}
	shown := make([]eventlog.Seq, 0, lines+1) // the last ones of these kinds
	for event, err := range l.Reader.Events(eventlog.Filter{To: last, Kinds: kinds, NoData: true}) {
		if err != nil {
			return 0, err
		}
		if shown = append(shown, event.Seq); len(shown) > lines {
			shown = slices.Delete(shown, 0, 1)
		}
	}
	if len(shown) == 0 {
		return last + 1, nil
	}
	return shown[0], nil
}

// showFrom reads what there is from an event on, shows it from first on, and tells whether the run has ended.
func (l *Log) showFrom(out io.Writer, next *eventlog.Seq, first eventlog.Seq, kinds []eventlog.Kind) (ended bool, err error) {
	for event, err := range l.Reader.Events(eventlog.Filter{From: *next, NoData: true}) {
		if err != nil {
			return false, err
		}
		*next = event.Seq + 1
		ended = event.Kind == eventlog.KindRunEnd
		if event.Seq < first || len(kinds) > 0 && !slices.Contains(kinds, event.Kind) {
			continue
		}
		if _, err := fmt.Fprintln(out, eventLine(&event)); err != nil {
			return false, err
		}
	}
	return ended, nil
}

// eventLine is an event in one line: number, seconds since run start, kind, ids, payload.
func eventLine(event *eventlog.Event) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%8d %14.6f %-18v", event.Seq, float64(event.AtNs)/1e9, event.Kind)
	for _, id := range []struct {
		name  string
		value int64
	}{{"lane", event.Lane}, {"play", event.Play}, {"stream", event.Stream}, {"turn", event.Turn}, {"exchange", event.Exchange}} {
		if id.value != eventlog.None {
			fmt.Fprintf(&line, " %s=%d", id.name, id.value)
		}
	}
	if event.Cause != 0 {
		fmt.Fprintf(&line, " cause=%d", event.Cause)
	}
	if event.Kind == eventlog.KindExchangeEnd {
		if end, err := eventlog.Decode[eventlog.ExchangeEnd](*event); err == nil {
			return line.String() + endWords(&end)
		}
	}
	if len(event.Payload) > 0 {
		line.WriteByte(' ')
		line.Write(event.Payload)
	}
	return line.String()
}

// endWords says how an exchange ended; its payload is packed.
func endWords(end *eventlog.ExchangeEnd) string {
	words := []string{" " + string(end.Outcome)}
	if end.Class != "" {
		words = append(words, end.Class)
	}
	if end.Status != 0 && end.Outcome != eventlog.OutcomeOK {
		words = append(words, fmt.Sprintf("status=%d", end.Status))
	}
	if end.ErrorMessage != "" {
		words = append(words, fmt.Sprintf("%q", end.ErrorMessage))
	}
	if end.FirstTokenNs != nil {
		words = append(words, fmt.Sprintf("ttft=%.3fs", float64(*end.FirstTokenNs-end.StartNs)/1e9))
	}
	words = append(words, fmt.Sprintf("took=%.3fs in=%d", float64(end.EndNs-end.StartNs)/1e9, end.PromptTokens))
	if usage := end.Usage; usage != nil {
		for _, count := range []struct {
			name  string
			value *int64
		}{{"cached", usage.CacheRead}, {"out", usage.Completion}} {
			if count.value != nil {
				words = append(words, fmt.Sprintf("%s=%d", count.name, *count.value))
			}
		}
	}
	return strings.Join(words, " ")
}
