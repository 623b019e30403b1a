package swimlane

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run go test -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

// The golden file is data, not pixels: every bar, boundary and connector of the hand-made run.
func TestLayoutOfTheHandmadeRun(t *testing.T) {
	golden(t, "layout.txt", describe(handmade(), Lay(handmade())))
}

func describe(run *Run, l *Layout) []byte {
	var out bytes.Buffer
	s := func(at int64) string {
		if at == None {
			return "-"
		}
		return fmt.Sprintf("%g", float64(at)/1e9)
	}
	fmt.Fprintf(&out, "axis %s..%s with %s..%s from %s zero %s rows %d traces %v\n", s(l.From), s(l.To), s(l.Begin), s(l.End), s(l.Focus), s(l.Origin), l.Rows, l.Traces)
	for i, lane := range l.Lanes {
		fmt.Fprintf(&out, "lane %d rows %d+%d\n", i, lane.First, lane.Rows)
	}
	for _, p := range l.Plays {
		fmt.Fprintf(&out, "play %d lane %d trace %d %s..%s rows %d+%d recycled %v open %v\n",
			run.Plays[p.Play].ID, p.Lane, p.Trace, s(p.From), s(p.To), p.Row, p.Rows, p.Recycled, p.Open)
	}
	for _, b := range l.Streams {
		fmt.Fprintf(&out, "stream %s row %d %s..%s\n", run.Plays[b.Play].Streams[b.Stream].Conversation, b.Row, s(b.From), s(b.To))
	}
	for _, b := range l.Bars {
		request := run.Plays[b.Play].Streams[b.Stream].Requests[b.Request]
		fmt.Fprintf(&out, "bar %s[%d] row %d %s|%s|%s %s %s open %v in flight %v\n", run.Plays[b.Play].Streams[b.Stream].Conversation,
			request.Turn, b.Row, s(b.From), s(b.First), s(b.To), b.Phase, b.Status, b.Open, b.InFlight)
	}
	for _, w := range l.Waits {
		fmt.Fprintf(&out, "wait %s row %d %s..%s\n", w.Kind, w.Row, s(w.From), s(w.To))
	}
	for _, k := range l.Links {
		fmt.Fprintf(&out, "link %d at %s row %d-%d spawn %d join %d\n", k.Kind, s(k.At), k.ParentRow, k.ChildRow, k.SpawnTurn, k.JoiningTurn)
	}
	for _, shade := range l.Shades {
		fmt.Fprintf(&out, "shade %s %s..%s\n", shade.Name, s(shade.From), s(shade.To))
	}
	for _, mark := range l.Marks {
		fmt.Fprintf(&out, "mark %s %s\n", mark.Name, s(mark.At))
	}
	for _, shift := range l.Shifts {
		fmt.Fprintf(&out, "shift %s skipped %s rows %d+%d\n", s(shift.At), s(shift.Skipped), shift.Row, shift.Rows)
	}
	return out.Bytes()
}

// A row is used again by the child that starts when its last one ends, not by one that starts before.
func TestRowsAreReusedFirstFit(t *testing.T) {
	play := treeA()
	rows, height := stack(&play, at(20))
	if fmt.Sprint(rows) != "[0 1 2 1]" || height != 3 {
		t.Errorf("rows %v height %d, expected [0 1 2 1] and 3", rows, height)
	}
}

// A run killed in warmup has no profiling start: all of it is warmup, and the picture says where the log ends.
func TestInterruptedInWarmup(t *testing.T) {
	run := handmade()
	run.Marks = Marks{ProfilingStart: None, RampEnd: None, DurationEnd: None, GraceEnd: None, End: at(2), Interrupted: true}
	for i := range run.Plays {
		run.Plays[i].Streams = nil
		run.Plays[i].Opened, run.Plays[i].Drained = 0, None
	}
	l := Lay(run)
	if len(l.Shades) != 1 || l.Shades[0] != (Shade{"warmup", 0, at(2)}) {
		t.Errorf("shades %v, expected warmup over everything", l.Shades)
	}
	if len(l.Marks) != 1 || l.Marks[0] != (Mark{"log ends", at(2)}) {
		t.Errorf("marks %v, expected where the log ends", l.Marks)
	}
	if l.Origin != 0 {
		t.Errorf("zero of the axis is %d, expected the run's start", l.Origin)
	}
}

// An empty log is still a picture.
func TestEmptyRun(t *testing.T) {
	l := Lay(&Run{Lanes: 3, Marks: Marks{ProfilingStart: None, RampEnd: None, DurationEnd: None, GraceEnd: None, End: None}})
	if l.Rows != 3 || l.To <= l.From {
		t.Errorf("rows %d, axis %d..%d: expected three empty lanes on a proper axis", l.Rows, l.From, l.To)
	}
}
