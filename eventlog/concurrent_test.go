package eventlog

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/zeebo/blake3"
)

// An analysis reads events ahead on one goroutine and fetches plans on another: on one connection of
// SQLite without a lock this crashed the process.
func TestPlansAreReadWhileEventsAreScanned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	w, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := bytes.Repeat([]byte("plan"), 50_000)
	digest := Digest(blake3.Sum256(plan))
	if err := w.AddPlan(digest, plan); err != nil {
		t.Fatal(err)
	}
	const events = 3 * pageRows
	for range events {
		if _, err := w.Add(New(KindWake, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var scans sync.WaitGroup
	for range 2 {
		scans.Go(func() {
			seen := 0
			for _, err := range r.Events(Filter{}) {
				if err != nil {
					t.Error(err)
					return
				}
				seen++
			}
			if seen != events {
				t.Errorf("a scan saw %d events of %d", seen, events)
			}
		})
	}
	for range 200 {
		if got, ok, err := r.Plan(digest); err != nil || !ok || !bytes.Equal(got, plan) {
			t.Fatalf("plan of %d bytes, %v, %v", len(got), ok, err)
		}
	}
	scans.Wait()
}
