package wire

import (
	"testing"
	"time"
)

// TestWhichLimitEndsAnExchange steps through an exchange's limits without a clock.
func TestWhichLimitEndsAnExchange(t *testing.T) {
	const s = int64(time.Second)
	after := 5 * time.Second
	options := &Options{Timeouts: Timeouts{Request: 100 * time.Second, FirstByte: 10 * time.Second, Idle: 3 * time.Second, FinishGrace: 2 * time.Second, CancelSend: 7 * time.Second}}
	kind := func(err error) string {
		switch e := err.(type) {
		case nil:
			return ""
		case *timeoutError:
			return e.kind
		}
		return err.Error()
	}
	for _, c := range []struct {
		name   string
		cancel *time.Duration
		steps  func(d *deadlines)
		until  int64 // nothing passes before
		want   string
	}{
		{"whole request", nil, func(*deadlines) {}, 100 * s, typeTimeout},
		{"not written in time", &after, func(*deadlines) {}, 7 * s, typeSendTimeout},
		{"cancelled after it was written", &after, func(d *deadlines) { d.written(6 * s) }, 11 * s, ErrCancelAfter.Error()},
		{"first byte", nil, func(d *deadlines) { d.written(6 * s) }, 16 * s, typeTimeout},
		{"idle", nil, func(d *deadlines) { d.written(6 * s); d.heard(7 * s) }, 10 * s, typeReadTimeout},
		{"a read restarts idle", nil, func(d *deadlines) { d.written(6 * s); d.heard(7 * s); d.heard(9 * s) }, 12 * s, typeReadTimeout},
		{"grace", nil, func(d *deadlines) { d.written(6 * s); d.heard(7 * s); d.finished(7 * s); d.finished(8 * s) }, 9 * s, errGrace.Error()},
		{"the end after [DONE]", nil, func(d *deadlines) { d.written(6 * s); d.heard(7 * s); d.finished(7 * s); d.done(7 * s) }, 7*s + int64(endWait), errGrace.Error()},
		{"[DONE] late in the grace", nil, func(d *deadlines) { d.written(6 * s); d.heard(8 * s); d.finished(7 * s); d.done(9*s - 1000) }, 9 * s, errGrace.Error()},
		{"grace ended by another choice", nil, func(d *deadlines) { d.written(6 * s); d.heard(7 * s); d.finished(7 * s); d.resumed(); d.heard(8 * s) }, 11 * s, typeReadTimeout},
		{"the body of an error", nil, func(d *deadlines) { d.written(6 * s); d.idleFor = 0; d.heard(7 * s); d.refused(7 * s) }, 17 * s, errGrace.Error()},
		{"request that could not be written", nil, func(d *deadlines) { d.unwritten(6 * s) }, 9 * s, typeReadTimeout},
	} {
		var d deadlines
		d.begin(options, &Request{CancelAfter: c.cancel}, 0)
		c.steps(&d)
		if before := d.passed(c.until - 1); before != nil {
			t.Errorf("%s: %v before its time", c.name, before)
		}
		if got := kind(d.passed(c.until)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if next := d.next(); next != c.until && c.want != typeSendTimeout {
			t.Errorf("%s: next limit at %d, want %d", c.name, next, c.until)
		}
	}
}
