package eventlog

import (
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
)

// besides reads a log with a check beside it: all chosen events, or as many as stop says.
func besides(t testing.TB, path string, filter Filter, stop int) (events []Event, report *Report, err error) {
	t.Helper()
	r := openedUnverified(t, path)
	result := r.CheckBeside()
	for event, failed := range r.Events(filter) {
		if err = failed; err != nil || stop >= 0 && len(events) == stop {
			break
		}
		events = append(events, event.Clone())
	}
	report, checkErr := result()
	if checkErr != nil {
		t.Fatal(checkErr)
	}
	return events, report, err
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

// longLog has several pages of events.
func longLog(t testing.TB) string {
	return sampleLog(t, sample{events: 3 * pageRows, group: 500}, Options{noSync: true})
}

func TestAPassWithACheckBesideGivesTheSameEvents(t *testing.T) {
	path := longLog(t)
	for _, filter := range []Filter{{}, {NoData: true}, {Kinds: []Kind{KindExchangeEnd, KindRunEnd}, NoData: true}, {Kinds: []Kind{KindServerSample}}, {From: 9000}, {To: 12}} {
		var want []Event
		r := openedUnverified(t, path)
		for event, err := range r.Events(filter) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, event.Clone())
		}
		got, report, err := besides(t, path, filter, -1)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %d events and error %v, without a check %d, or others", filter, len(got), err, len(want))
		}
		if plain := r.CheckChain(); !reflect.DeepEqual(report, plain) {
			t.Errorf("%+v: the report is %+v, CheckChain's %+v", filter, report, plain)
		}
	}
}

// What a pass leaves out is checked all the same, and what it reads twice is held against the chain once.
func TestACheckBesideGoesOnWhereThePassEnds(t *testing.T) {
	path := longLog(t)
	want := openedUnverified(t, path).CheckChain()
	if len(want.Damages) > 0 || want.Events != 3*pageRows+4 {
		t.Fatalf("the report is %+v", want)
	}
	for _, stop := range []int{0, 1, pageRows, pageRows + 1, 2*pageRows + 10} {
		if events, report, err := besides(t, path, Filter{}, stop); err != nil || len(events) != stop || !reflect.DeepEqual(report, want) {
			t.Errorf("stopped after %d events: %d, error %v, the report is %+v", stop, len(events), err, report)
		}
	}
	result := openedUnverified(t, path).CheckBeside()
	if report, err := result(); err != nil || !reflect.DeepEqual(report, want) {
		t.Errorf("without a pass: error %v, the report is %+v", err, report)
	}
}

// Kinds that a whole pass has not seen are looked for no more; after half a pass they are.
func TestOnlyAWholePassTellsWhichKindsALogLacks(t *testing.T) {
	for _, whole := range []bool{true, false} {
		r := openedUnverified(t, longLog(t))
		result := r.CheckBeside()
		for range r.Events(Filter{NoData: true}) {
			if !whole {
				break
			}
		}
		if _, err := result(); err != nil {
			t.Fatal(err)
		}
		for kind, lacks := range map[Kind]bool{KindServerSample: whole, KindRunEnd: false} {
			if r.lacks([]Kind{kind}) != lacks {
				t.Errorf("whole pass %v: lacks %v is %v", whole, kind, !lacks)
			}
			count := 0
			for range r.Events(Filter{Kinds: []Kind{kind}}) {
				count++
			}
			if want := map[Kind]int{KindRunEnd: 1}[kind]; count != want {
				t.Errorf("whole pass %v: %d events of kind %v, want %d", whole, count, kind, want)
			}
		}
	}
}

// Whatever CheckChain finds in a file, a check that takes its rows from a pass finds.
func TestACheckBesideFindsWhatCheckChainFinds(t *testing.T) {
	whole, err := os.ReadFile(sampleLog(t, sample{events: 200, group: 25}, Options{noSync: true, pageSize: 1024}))
	if err != nil {
		t.Fatal(err)
	}
	dir, random := t.TempDir(), rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 600 / raceFactor {
		damaged := slices.Clone(whole)
		at := random.IntN(len(whole)/1024)*1024 + min(random.IntN(1024), random.IntN(1024))
		damaged[at] ^= byte(1 + random.IntN(255))
		path := damagedCopy(t, dir, damaged, nil)
		r, err := OpenUnverified(path)
		if err != nil {
			continue
		}
		want := r.CheckChain()
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for _, filter := range []Filter{{}, {Kinds: []Kind{KindDispatch}, NoData: true}} {
			_, report, _ := besides(t, path, filter, -1)
			if len(report.Damages) > 0 != (len(want.Damages) > 0) || report.ValidTo > want.ValidTo {
				t.Errorf("byte %d of page %d, %#x to %#x: %v up to event %d, CheckChain finds %v up to %d",
					at%1024, at/1024+1, whole[at], damaged[at], report.Damages, report.ValidTo, want.Damages, want.ValidTo)
			}
		}
		if len(want.Damages) > 0 {
			found++
		}
	}
	if found == 0 {
		t.Error("no flipped byte was damage")
	}
}
