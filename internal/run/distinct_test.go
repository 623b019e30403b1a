package run

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"agentx/eventlog"
)

// TestALogThatCannotBeWrittenIsToldOnce, by the error that knows most; every other error stays.
func TestALogThatCannotBeWrittenIsToldOnce(t *testing.T) {
	first := &eventlog.WriteError{Path: "run.db", Acked: 7, Lost: 9, Err: io.ErrShortWrite}
	last := &eventlog.WriteError{Path: "run.db", Acked: 7, Lost: 12, Err: io.ErrShortWrite, Closing: true}
	other := errors.New("closing the console's copy: no space")
	running := fmt.Errorf("logging exchange 3: %w", first)
	for want, list := range map[string][]error{
		last.Error() + "\n" + other.Error(): {running, errors.Join(errors.Join(last, last), other)},
		other.Error() + "\n" + last.Error(): {other, last},
		first.Error():                       {running, nil},
		other.Error():                       {nil, other},
	} {
		if got := joinDistinct(list...); got == nil || got.Error() != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
	if err := joinDistinct(nil, nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
}
