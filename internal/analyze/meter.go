package analyze

import (
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"agentx/eventlog"

	"golang.org/x/term"
)

const (
	meterAfter = time.Second // quick readings show nothing
	meterEvery = 250 * time.Millisecond
	meterRows  = 512 // rows between looks at the clock
)

// meter shows on a terminal how far a log is read. A nil meter shows nothing.
type meter struct {
	out  io.Writer
	last eventlog.Seq // number of the log's last row
}

// newMeter is nil where out is no terminal.
func newMeter(out io.Writer, log *eventlog.Reader) *meter {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	last, err := log.LastSeq()
	if err != nil || last == 0 {
		return nil // reading will tell
	}
	return &meter{out, last}
}

// Events gives the rows as the reader does, and shows how far it is.
func (l *Log) Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error] {
	events := l.Reader.Events(filter)
	if l.meter == nil {
		return events
	}
	return func(yield func(eventlog.Event, error) bool) {
		next, drawn, rows := time.Now().Add(meterAfter), false, 0
		defer func() {
			if drawn {
				fmt.Fprint(l.meter.out, "\r\x1b[K")
			}
		}()
		for event, err := range events {
			if rows++; rows%meterRows == 0 && time.Now().After(next) {
				next, drawn = time.Now().Add(meterEvery), true
				fmt.Fprintf(l.meter.out, "\r\x1b[Kreading %s: %d %%", l.Path, 100*event.Seq/l.meter.last)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}
