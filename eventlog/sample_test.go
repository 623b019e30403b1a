package eventlog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/zeebo/blake3"
)

// sample writes a small log with everything in it: batches of several sizes, plans, all columns,
// payloads and data longer than a page, anchors.
type sample struct {
	events int // between run_config and run_end
	group  int // events of a batch
	open   bool
}

func (s sample) write(t testing.TB, w *Writer) {
	t.Helper()
	addPayload(t, w, KindRunConfig, 0, RunConfig{Schema: SchemaVersion, Program: "agentx-run", RunID: "sample"})
	addPayload(t, w, KindAnchor, 10, Anchor{WallNs: 1_700_000_000_000_000_000, Why: "start"})
	for i := range s.events {
		if i%s.group == 0 {
			if err := w.Sync(); err != nil {
				t.Fatal(err)
			}
			plan := fmt.Appendf(nil, "plan frame %d", i)
			if err := w.AddPlan(blake3.Sum256(plan), plan); err != nil {
				t.Fatal(err)
			}
		}
		mustAdd(t, w, sampleEvent(i))
	}
	if s.open {
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		return
	}
	addPayload(t, w, KindAnchor, int64(s.events)*1000, Anchor{WallNs: 1_700_000_000_000_000_000 + int64(s.events)*1000, Why: "end"})
	addPayload(t, w, KindRunEnd, int64(s.events)*1000+1, RunEnd{Reason: "done"})
}

func sampleEvent(i int) Event {
	event := New([]Kind{KindWake, KindTurnDue, KindDispatch, KindExchangeEnd}[i%4], int64(i)*1000)
	switch i % 4 {
	case 1:
		event.Lane, event.Play, event.Stream, event.Turn, event.Cause = int64(i%8), int64(i/50), int64(i/10), int64(i%10), Seq(i)
	case 2:
		event.Exchange, event.Payload = int64(i/4), []byte(`{"reach":64000}`)
	case 3:
		event.Exchange = int64(i / 4)
		event.Data = encodeOwn([]Chunk{{AtNs: int64(i), Class: ChunkText, WireBytes: 200, TextBytes: 4}})
	}
	if i%40 == 20 {
		event.Data = make([]byte, 3000)
		for j := range event.Data {
			event.Data[j] = byte(i + j)
		}
	}
	return event
}

func addPayload(t testing.TB, w *Writer, kind Kind, atNs int64, payload any) Seq {
	t.Helper()
	event, err := NewPayload(kind, atNs, payload)
	if err != nil {
		t.Fatal(err)
	}
	return mustAdd(t, w, event)
}

// sampleLog writes and closes a sample; the file is its result.
func sampleLog(t testing.TB, s sample, options Options) string {
	t.Helper()
	w := newLog(t, options)
	s.write(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

// content is everything that a log says, for comparison.
type content struct {
	events  []string
	plans   []string
	batches []string
}

// readContent gives what can be read, and the first error.
func readContent(path string) (content, error) {
	r, err := Open(path)
	if err != nil {
		return content{}, err
	}
	defer r.Close()
	var all content
	for event, err := range r.Events(Filter{}) {
		if err != nil {
			return all, err
		}
		encoded, err := json.Marshal(event)
		if err != nil {
			return all, err
		}
		all.events = append(all.events, string(encoded))
	}
	all.plans, err = r.rows("SELECT before_seq, hex(digest), hex(bytes) FROM plans ORDER BY id")
	if err != nil {
		return all, err
	}
	all.batches, err = r.rows("SELECT first_seq, last_seq, hex(digest) FROM batches ORDER BY first_seq")
	return all, err
}

// damagedCopy writes bytes, and a WAL where there is one, as a log in a folder of its own.
func damagedCopy(t testing.TB, dir string, database, wal []byte) string {
	t.Helper()
	path := filepath.Join(dir, "copy.db")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, database, 0o644); err != nil {
		t.Fatal(err)
	}
	if wal != nil {
		if err := os.WriteFile(path+"-wal", wal, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
