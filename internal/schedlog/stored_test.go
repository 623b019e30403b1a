package schedlog

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"agentx/eventlog"
)

// What the machine decides in all scenario scripts comes back from a log byte for byte, also by the view log
// for SQL, and the rows that every request has are stored in their short form: a key that is added to one
// of them is added to eventlog's storedColumns too.
func TestRowsOfTheMachineAreStoredShort(t *testing.T) {
	w, err := eventlog.Create(filepath.Join(t.TempDir(), "run.db"), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	loaded := scripts(t)
	rows := []eventlog.Event{eventlog.New(eventlog.KindRunConfig, 0)}
	for _, name := range slices.Sorted(maps.Keys(loaded)) {
		rows = append(rows, record(t, loaded[name])...)
	}
	for _, row := range rows {
		if _, err := w.AddWaiting(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := eventlog.Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at := 0
	for row, err := range r.Events(eventlog.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(row.Payload, rows[at].Payload) {
			t.Errorf("event %d came back as %s, want %s", row.Seq, row.Payload, rows[at].Payload)
		}
		at++
	}
	if at != len(rows) {
		t.Errorf("%d of %d rows came back", at, len(rows))
	}
	shown, err := r.Query("SELECT seq, payload FROM log ORDER BY seq")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; shown.Next(); i++ {
		if text, _ := shown.Values()[1].(string); text != string(rows[i].Payload) {
			t.Fatalf("event %d: the view log shows %s, want %s", i+1, text, rows[i].Payload)
		}
	}
	if err := shown.Close(); err != nil {
		t.Fatal(err)
	}
	wantShort(t, r)
}

func wantShort(t *testing.T, r *eventlog.Reader) {
	t.Helper()
	long, err := r.Query("SELECT kind, payload FROM events WHERE kind IN (102, 103, 118, 127) AND payload NOT LIKE '[%'")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; long.Next() && i < 5; i++ {
		t.Errorf("stored as it is: %v", long.Values())
	}
	if err := long.Close(); err != nil {
		t.Fatal(err)
	}
}
