package measure_test

import (
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

// onlyOne is a log whose plans must not be asked for while a row is being read, as a database
// connection's must not.
type onlyOne struct {
	*logtest.Log
	reading atomic.Bool
	clashes atomic.Int64
}

func (l *onlyOne) Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error] {
	return func(yield func(eventlog.Event, error) bool) {
		for event, err := range l.Log.Events(filter) {
			l.reading.Store(true)
			if event.Seq%64 == 0 {
				time.Sleep(time.Millisecond) // long enough for the folding to come to the plans
			}
			l.reading.Store(false)
			if !yield(event, err) {
				return
			}
		}
	}
}

func (l *onlyOne) Plan(digest eventlog.Digest) ([]byte, bool, error) {
	if l.reading.Load() {
		l.clashes.Add(1)
	}
	return l.Log.Plan(digest)
}

// Rows are read ahead on a goroutine of its own, but a log is for one goroutine at a time.
func TestPlansAreNotReadBesideRows(t *testing.T) {
	log := logtest.Mixed()
	for range 3000 { // far more than one batch, each with a plan that is known already
		log.Trace(0, 0, logtest.Alpha())
	}
	source := &onlyOne{Log: log}
	if _, err := measure.Analyze(source, measure.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := source.clashes.Load(); n > 0 {
		t.Errorf("%d plans were read while a row was being read", n)
	}
}
