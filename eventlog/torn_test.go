package eventlog

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

const tornPage = 1024

// snapshot is what a copier would find at one instant of a live log.
type snapshot struct {
	database, wal []byte
	acked         Seq
}

func takeSnapshot(t testing.TB, w *Writer) snapshot {
	t.Helper()
	var s snapshot
	var err error
	s.acked = w.Acked()
	if s.database, err = os.ReadFile(w.Path()); err != nil {
		t.Fatal(err)
	}
	if s.wal, err = os.ReadFile(w.Path() + "-wal"); err != nil {
		t.Fatal(err)
	}
	return s
}

// liveLog writes a log with many small commits and takes a snapshot after each. After autoCheckpoint
// pages the WAL is folded into the file and begun again.
func liveLog(t testing.TB, commits, autoCheckpoint int) (snapshots []snapshot, want []Event) {
	t.Helper()
	w := newLog(t, Options{noSync: true, pageSize: tornPage, autoCheckpoint: autoCheckpoint})
	addPayload(t, w, KindRunConfig, 0, RunConfig{Schema: SchemaVersion})
	for i := range commits {
		for j := range 5 {
			mustAdd(t, w, sampleEvent(i*5+j))
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, takeSnapshot(t, w))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return snapshots, readAll(t, w.Path(), Filter{})
}

// prefixOrRefused reads a torn copy. It returns how many events it gave, or -1 where it was refused.
func prefixOrRefused(t testing.TB, path string, want []Event) int {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		if !strings.Contains(err.Error(), path) {
			t.Errorf("the refusal does not name the file: %v", err)
		}
		return -1
	}
	defer r.Close()
	n := 0
	for event, err := range r.Events(Filter{}) {
		if err != nil {
			t.Fatalf("after Open found a valid prefix: %v (notes %q)", err, r.Notes())
		}
		if n >= len(want) || !slices.Equal(appendEvent(nil, &event), appendEvent(nil, &want[n])) {
			t.Fatalf("event %d of the torn copy is %+v, not as it was written", n+1, event)
		}
		n++
	}
	return n
}

// The WAL of a file that it was never folded into, cut at every frame and inside frames, gives exactly
// the commits that are whole in it.
func TestACutWALIsAPrefix(t *testing.T) {
	snapshots, want := liveLog(t, 12, 10_000)
	last := snapshots[len(snapshots)-1]
	dir := t.TempDir()
	before := 0
	for _, at := range walCuts(last.wal) {
		n := prefixOrRefused(t, damagedCopy(t, dir, last.database, last.wal[:at]), want)
		if n < before {
			t.Errorf("cut at byte %d of %d: %d events, but a shorter WAL gave %d", at, len(last.wal), n, before)
		}
		before = n
	}
	if before != int(last.acked) {
		t.Errorf("the whole WAL gives %d events, want the %d acknowledged ones", before, last.acked)
	}
	for _, s := range snapshots {
		if n := prefixOrRefused(t, damagedCopy(t, dir, last.database, s.wal), want); n != int(s.acked) {
			t.Errorf("the WAL up to event %d gives %d events", s.acked, n)
		}
	}
}

// A WAL of which some is folded into the file already, cut the same way, gives a prefix or is refused.
func TestACutWALOfSeveralGenerationsIsAPrefixOrRefused(t *testing.T) {
	snapshots, want := liveLog(t, 12, 30)
	dir := t.TempDir()
	for _, s := range snapshots {
		for _, at := range walCuts(s.wal) {
			prefixOrRefused(t, damagedCopy(t, dir, s.database, s.wal[:at]), want)
		}
	}
}

// walCuts lists the byte counts at every frame of a WAL and inside frames, ascending.
func walCuts(wal []byte) []int {
	const head, frame = 32, 24 + tornPage // sqlite.org/fileformat2.html, 4.1
	cuts := []int{0, 1, head - 1}
	for start := head; start <= len(wal); start += frame {
		for _, at := range []int{start, start + 1, start + 24, start + frame/2, start + frame - 1} {
			if at <= len(wal) {
				cuts = append(cuts, at)
			}
		}
	}
	return cuts
}

// The file cut at every page and inside pages, its WAL whole, gives a prefix or is refused.
func TestACutFileWithItsWALIsAPrefixOrRefused(t *testing.T) {
	snapshots, want := liveLog(t, 12, 30)
	dir := t.TempDir()
	var prefixes, refused int
	for _, s := range snapshots {
		for start := 0; start < len(s.database); start += tornPage {
			for _, at := range []int{start, start + 1, start + tornPage/2} {
				if prefixOrRefused(t, damagedCopy(t, dir, s.database[:at], s.wal), want) < 0 {
					refused++
				} else {
					prefixes++
				}
			}
		}
	}
	t.Logf("%d copies opened as a prefix, %d were refused", prefixes, refused)
}

// A copy taken while the run lives mixes pages of several instants, file and WAL each in order.
func TestACopyOfALiveLogIsAPrefixOrRefused(t *testing.T) {
	snapshots, want := liveLog(t, 40, 30)
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	var prefixes, refused, whole int
	for range 300 {
		from := random.IntN(len(snapshots))
		database, at := tornBytes(random, snapshots, from, tornPage, func(s snapshot) []byte { return s.database })
		if random.IntN(3) == 0 {
			at = from // the WAL first, then the file
		}
		wal, _ := tornBytes(random, snapshots, at, 512, func(s snapshot) []byte { return s.wal })
		n := prefixOrRefused(t, damagedCopy(t, dir, database, wal), want)
		switch {
		case n < 0:
			refused++
		case n >= int(snapshots[from].acked):
			whole++
		default:
			prefixes++
		}
	}
	t.Logf("of 300 torn copies %d hold all of their first instant, %d a shorter prefix, %d were refused", whole, prefixes, refused)
	if whole == 0 {
		t.Error("no copy was whole: the test tears too much")
	}
}

// tornBytes copies a file in steps, while now and then time goes on; it returns when it ended.
func tornBytes(random *rand.Rand, snapshots []snapshot, at, step int, file func(snapshot) []byte) ([]byte, int) {
	var copied []byte
	for {
		now := file(snapshots[at])
		if len(copied) >= len(now) {
			return copied, at
		}
		copied = append(copied, now[len(copied):min(len(copied)+step, len(now))]...)
		if at+1 < len(snapshots) && random.IntN(40) == 0 {
			at++
		}
	}
}
