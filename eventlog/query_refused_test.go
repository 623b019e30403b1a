package eventlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A log is opened for reading, but SQLite lets ATTACH make a new file beside it all the same.
func TestQueriesThatTouchOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	w, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Add(New(KindWake, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	other := filepath.Join(t.TempDir(), "other.db")
	for _, sql := range []string{
		"ATTACH '" + other + "' AS other", " -- a comment\n attach '" + other + "' as y", "/* x */VACUUM INTO '" + other + "'", "DROP TABLE events", "",
	} {
		if rows, err := r.Query(sql); err == nil || !strings.Contains(err.Error(), "begins with SELECT") {
			t.Errorf("%q gives %v, %v; want a refusal", sql, rows, err)
		}
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("another file was made: %v", err)
	}
	rows, err := r.Query("/* count */ select count(*) from events")
	if err != nil || !rows.Next() || rows.Values()[0] != int64(1) {
		t.Errorf("a count gives %v, %v", rows, err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
}
