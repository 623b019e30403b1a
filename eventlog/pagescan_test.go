package eventlog

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// scanned reads events from the pages of the file, or by SQLite; left tells that SQLite had to go on.
func scanned(t testing.TB, r *Reader, filter Filter, bySQLite bool) (events []Event, left bool, err error) {
	t.Helper()
	s, err := r.newScan(filter)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.raw = true
	if bySQLite {
		s.leavePages()
	}
	s.each(func(event Event, failed error) bool {
		if err = failed; err == nil {
			events = append(events, event.Clone())
		}
		return true
	})
	return events, s.pages == nil, err
}

func openedUnverified(t testing.TB, path string) *Reader {
	t.Helper()
	r, err := OpenUnverified(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// variedLog has numbers of every length and contents around all borders between a page and its overflow.
func variedLog(t testing.TB, pageSize, events int) string {
	w := newLog(t, Options{noSync: true, pageSize: pageSize})
	addPayload(t, w, KindRunConfig, 0, RunConfig{RunID: "pages"})
	random := rand.New(rand.NewPCG(1, uint64(pageSize)))
	content := func() []byte {
		length := [...]int{0, 1, 20, 60, pageSize / 8, pageSize - 100 + random.IntN(100), pageSize + random.IntN(9), 3*pageSize + random.IntN(pageSize)}[random.IntN(8)]
		return bytes.Repeat([]byte{byte('a' + random.IntN(26))}, length)
	}
	for i := range events {
		event := New([]Kind{KindWake, KindDispatch, KindExchangeEnd, KindChunks}[random.IntN(4)], random.Int64N(math.MaxInt64)>>random.IntN(64))
		for _, id := range []*int64{&event.Lane, &event.Play, &event.Stream, &event.Turn, &event.Exchange} {
			if random.IntN(2) == 0 {
				*id = random.Int64() >> random.IntN(64)
			}
		}
		event.Cause = Seq(random.IntN(i + 1))
		event.Payload, event.Data = content(), content()
		mustAdd(t, w, event)
	}
	addPayload(t, w, KindRunEnd, 0, RunEnd{Reason: "done"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

// TestPagesGiveWhatSQLiteGives for pages of every size and any choice of events.
func TestPagesGiveWhatSQLiteGives(t *testing.T) {
	for pageSize, events := range map[int]int{512: 700, 1024: 700, 4096: 700, 65536: 60} {
		r := openedUnverified(t, variedLog(t, pageSize, events))
		filters := []Filter{
			{}, {NoData: true}, {From: 2}, {From: 350, To: 351}, {From: 100, To: 600, Kinds: []Kind{KindExchangeEnd, KindChunks}, NoData: true},
			{Kinds: []Kind{KindDispatch}}, {Kinds: []Kind{KindServerSample}}, {To: 1}, {From: 702}, {From: 703}, {From: 5000},
		}
		for i, filter := range filters {
			t.Run(fmt.Sprintf("%d bytes, filter %d", pageSize, i), func(t *testing.T) {
				want, _, err := scanned(t, r, filter, true)
				if err != nil {
					t.Fatal(err)
				}
				got, left, err := scanned(t, r, filter, false)
				// On the smallest pages the numbers of some rows are not on the leaf.
				if err != nil || left && pageSize > 512 {
					t.Fatalf("error %v, left to SQLite: %v", err, left)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d events, want %d, or they differ", len(got), len(want))
				}
			})
		}
	}
}

// A log in WAL mode, and one with something to roll back, is left to SQLite.
func TestOnlyAPlainFileIsReadByItsPages(t *testing.T) {
	path := sampleLog(t, sample{events: 40, group: 10}, Options{noSync: true})
	if _, left, err := scanned(t, openedUnverified(t, path), Filter{}, false); left || err != nil {
		t.Errorf("a closed log: left to SQLite %v, error %v", left, err)
	}
	open := newLog(t, Options{noSync: true})
	sample{events: 40, group: 10, open: true}.write(t, open)
	if _, left, err := scanned(t, openedUnverified(t, open.Path()), Filter{}, false); !left || err != nil {
		t.Errorf("a live log: left to SQLite %v, error %v", left, err)
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-journal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if pages, err := openPages(path); err == nil {
		_ = pages.close()
		t.Error("a file with a journal beside it was read by its pages")
	}
}

// samePages holds a damaged file read by its pages against SQLite: where SQLite finds nothing wrong, all is the
// same. Where it does, the two may have come to different places before.
func samePages(t *testing.T, path string) {
	t.Helper()
	r, err := OpenUnverified(path)
	if err != nil {
		return
	}
	defer r.Close()
	s, err := r.newScan(Filter{})
	if err != nil {
		return
	}
	s.close()
	want, _, refused := scanned(t, r, Filter{}, true)
	got, _, err := scanned(t, r, Filter{}, false)
	if refused == nil && (err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want)) {
		t.Errorf("by pages %d events and error %v, SQLite has %d without an error, or others", len(got), err, len(want))
	}
}

func TestDamagedPagesAreReadAsSQLiteReadsThem(t *testing.T) {
	for _, pageSize := range []int{512, 4096} {
		whole, err := os.ReadFile(sampleLog(t, sample{events: 120, group: 25}, Options{noSync: true, pageSize: pageSize}))
		if err != nil {
			t.Fatal(err)
		}
		dir, random := t.TempDir(), rand.New(rand.NewPCG(3, 4))
		for range 400 / raceFactor {
			damaged := bytes.Clone(whole)
			at := random.IntN(len(whole)/pageSize)*pageSize + min(random.IntN(pageSize), random.IntN(pageSize), random.IntN(pageSize)) // mostly the heads of pages
			damaged[at] ^= byte(1 + random.IntN(255))
			samePages(t, damagedCopy(t, dir, damaged, nil))
			if t.Failed() {
				t.Fatalf("byte %d of page %d of %d bytes: %#x to %#x", at%pageSize, at/pageSize+1, pageSize, whole[at], damaged[at])
			}
		}
	}
}

// FuzzPages: no file makes the reading of pages fall or differ from SQLite's.
func FuzzPages(f *testing.F) {
	whole, err := os.ReadFile(sampleLog(f, sample{events: 60, group: 10}, Options{noSync: true, pageSize: 512}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(16, []byte{0, 1})
	f.Add(20, []byte{0xff})
	for page := 1; page*512 < len(whole); page += 5 {
		f.Add(page*512, []byte{branchPage, 0, 0, 0xff, 0xff})
		f.Add(page*512+8, []byte{0, 0, 0, 1})
		f.Add(page*512+200, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	}
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		if at < 0 || at >= len(whole) {
			return
		}
		damaged := bytes.Clone(whole)
		copy(damaged[at:], change)
		samePages(t, damagedCopy(t, t.TempDir(), damaged, nil))
	})
}
