package eventlog

import (
	"os"
	"testing"
)

// A reader can tell a log that is being written from one whose writer died, and from one that is closed.
func TestAReaderKnowsWhetherTheLogIsBeingWritten(t *testing.T) {
	w := newLog(t, Options{})
	sample{events: 4, group: 2, open: true}.write(t, w)
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // looking takes nothing away
		if !r.Writing() {
			t.Error("a log with its writer is not called written")
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Open(w.Path()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Writing() {
		t.Error("a closed log is called written")
	}
	if _, err := os.Stat(lockPath(w.Path())); !os.IsNotExist(err) {
		t.Errorf("the lock file of a closed log: %v", err)
	}
}

func TestTheLogOfAKilledWriterIsNotCalledWritten(t *testing.T) {
	c := startChild(t)
	<-c.lines
	r, err := Open(c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Writing() {
		t.Error("the log is not called written while its writer lives")
	}
	if err := c.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.wait(t)
	if r.Writing() {
		t.Error("the log of a killed writer is called written")
	}
}
