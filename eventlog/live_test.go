package eventlog

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A reader that stops in the middle of the events holds no snapshot: the WAL is folded in and begun
// again behind its back.
func TestASlowReaderDoesNotLetTheWALGrow(t *testing.T) {
	const pages, page = 40, 1024
	w := newLog(t, Options{noSync: true, pageSize: page, autoCheckpoint: pages})
	sample{events: 40, group: 10, open: true}.write(t, w)
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen := 0
	for _, err := range r.Events(Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen != 10 {
			continue
		}
		for i := range 300 { // while the reader holds event 10
			mustAdd(t, w, sampleEvent(i))
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if seen != 42 {
		t.Errorf("%d events seen, want the 42 of its page", seen)
	}
	wal, err := os.Stat(w.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if wal.Size() > 3*pages*page {
		t.Errorf("the WAL has grown to %d bytes, is folded in every %d", wal.Size(), pages*page)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A log that grows while it is checked and followed is whole at every look, and every event is seen once.
func TestALiveLogIsWholeAtEveryLook(t *testing.T) {
	w := newLog(t, Options{noSync: true, autoCheckpoint: 20})
	addPayload(t, w, KindRunConfig, 0, RunConfig{})
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenUnverified(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	followed := Seq(0)
	follow := func() {
		for event, err := range r.Events(Filter{From: followed + 1}) {
			if err != nil {
				t.Fatal(err)
			}
			if event.Seq != followed+1 {
				t.Fatalf("event %d after event %d", event.Seq, followed)
			}
			followed = event.Seq
		}
	}
	for round := range 30 {
		for i := range 200 {
			mustAdd(t, w, sampleEvent(round*200+i))
		}
		if report := r.Check(); len(report.Damages) > 0 || !report.Interrupted() {
			t.Fatalf("round %d: the report is %+v", round, report)
		}
		follow()
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	follow()
	if followed != 6001 {
		t.Errorf("followed to event %d, want 6001", followed)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestALogOfANewerFormatIsRefusedNamingBoth(t *testing.T) {
	path := sampleLog(t, sample{events: 4, group: 2}, Options{noSync: true})
	db, err := openConn(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.exec(fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion+6)); err != nil {
		t.Fatal(err)
	}
	if err := db.close(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	if err == nil || !strings.Contains(err.Error(), "version 8") || !strings.Contains(err.Error(), "versions 1 to 2") {
		t.Errorf("the error does not name both versions: %v", err)
	}
}

func TestADatabaseOfOthersIsRefused(t *testing.T) {
	path := t.TempDir() + "/other.db"
	db, err := openConn(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.exec("CREATE TABLE t (x)"); err != nil {
		t.Fatal(err)
	}
	if err := db.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "not an agentx log") {
		t.Errorf("opening it gave %v", err)
	}
}

func TestQueryIsReadOnly(t *testing.T) {
	path := sampleLog(t, sample{events: 4, group: 2}, Options{noSync: true})
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Query("SELECT seq, kind AS what FROM log WHERE seq <= 2")
	if err != nil {
		t.Fatal(err)
	}
	if columns := rows.Columns(); !slices.Equal(columns, []string{"seq", "what"}) {
		t.Errorf("the columns are %q", columns)
	}
	var got []string
	for rows.Next() {
		got = append(got, fmt.Sprint(rows.Values()))
	}
	if err := rows.Close(); err != nil || !slices.Equal(got, []string{"[1 run_config]", "[2 anchor]"}) {
		t.Errorf("the rows are %q, %v", got, err)
	}
	rows, err = r.Query("CREATE TABLE t (x)")
	if err == nil {
		rows.Next()
		err = rows.Close()
	}
	if err == nil {
		t.Error("a writing statement was allowed")
	}
}
