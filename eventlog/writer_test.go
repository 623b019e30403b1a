package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/zeebo/blake3"
)

// newLog creates a log in a temporary folder.
func newLog(t testing.TB, options Options) *Writer {
	t.Helper()
	w, err := Create(filepath.Join(t.TempDir(), "run.db"), options)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func mustAdd(t testing.TB, w *Writer, event Event) Seq {
	t.Helper()
	seq, err := w.Add(event)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func readAll(t testing.TB, path string, filter Filter) []Event {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var events []Event
	for event, err := range r.Events(filter) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event.Clone())
	}
	return events
}

func TestEventsComeBackAsAdded(t *testing.T) {
	w := newLog(t, Options{})
	plan := []byte("a plan frame")
	digest := Digest(blake3.Sum256(plan))
	var want []Event
	for i := range 2000 {
		event := New(KindTurnDue, int64(i)*1000-5)
		if i%2 == 0 {
			event.Lane, event.Play, event.Stream, event.Turn = 0, int64(i), 1<<40, 3
			event.Exchange, event.Cause = int64(i), Seq(i/2)
			event.Payload = fmt.Appendf(nil, `{"i":%d}`, i)
			event.Data = []byte{byte(i), 0, 255}
		}
		if i == 1000 {
			for range 2 {
				if err := w.AddPlan(digest, plan); err != nil {
					t.Fatal(err)
				}
			}
		}
		event.Seq = mustAdd(t, w, event)
		want = append(want, event)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if w.Acked() != 2000 {
		t.Errorf("acknowledged %d after Sync, want 2000", w.Acked())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !w.OneFile() {
		t.Error("the closed log is not one file")
	}
	got := readAll(t, w.Path(), Filter{})
	if len(got) != len(want) {
		t.Fatalf("%d events came back, want %d", len(got), len(want))
	}
	for i := range got {
		if fmt.Sprintf("%+v", got[i]) != fmt.Sprintf("%+v", want[i]) {
			t.Fatalf("event %d came back as %+v, want %+v", i, got[i], want[i])
		}
	}
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if bytes, ok, err := r.Plan(digest); err != nil || !ok || string(bytes) != string(plan) {
		t.Errorf("the plan came back as %q, %v, %v", bytes, ok, err)
	}
}

func TestCreateNeverTouchesAnExistingFile(t *testing.T) {
	w := newLog(t, Options{})
	mustAdd(t, w, New(KindStart, 0))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(w.Path(), Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating over a log gave %v, want fs.ErrExist", err)
	}
	if got := readAll(t, w.Path(), Filter{}); len(got) != 1 {
		t.Errorf("the log now has %d events, want 1", len(got))
	}
}
