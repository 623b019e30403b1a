package fromrun

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/view/swimlane"
)

var update = flag.Bool("update", false, "write the golden files anew")

const second = int64(1e9)

func at(seconds float64) int64 { return int64(seconds * 1e9) }

func analysed(t *testing.T, log *logtest.Log) *swimlane.Run {
	t.Helper()
	analysis, err := measure.Analyze(log, measure.Options{NoChunks: true, NoCurves: true})
	if err != nil {
		t.Fatal(err)
	}
	run, err := SwimLane(analysis.Run, log, About{Title: "mixed", Source: "run.db"})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// The golden file is what a picture is made of for a log with a little of everything; every line can be
// checked against the rows that logtest.Mixed writes.
func TestSwimLaneOfALog(t *testing.T) {
	const path = "testdata/mixed.txt"
	got := describe(analysed(t, logtest.Mixed()))
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func describe(run *swimlane.Run) []byte {
	var out bytes.Buffer
	s := func(at int64) string {
		if at == swimlane.None {
			return "-"
		}
		return fmt.Sprintf("%g", float64(at)/1e9)
	}
	fmt.Fprintf(&out, "lanes %d target %d start %s duration end %s grace end %s end %s interrupted %v\n", run.Lanes, run.Target,
		s(run.Marks.ProfilingStart), s(run.Marks.DurationEnd), s(run.Marks.GraceEnd), s(run.Marks.End), run.Marks.Interrupted)
	for _, play := range run.Plays {
		fmt.Fprintf(&out, "play %d lane %d %s %s..%s %s %s\n", play.ID, play.Lane, play.Trace, s(play.Opened), s(play.Drained), play.How, play.Marker)
		for _, stream := range play.Streams {
			fmt.Fprintf(&out, "  stream %s %s depth %d parent %d spawn %d join %d %s..%s %s\n", stream.Conversation, stream.Kind, stream.Depth,
				stream.Parent, stream.SpawnTurn, stream.JoinTurn, s(stream.Opened), s(stream.Closed), stream.Fate)
			for _, r := range stream.Requests {
				fmt.Fprintf(&out, "    turn %d %s %s (%s) due %s at %s|%s|%s in flight %v, %d in %d out, cached %d reach %d theory %d, http %d %s\n", r.Turn, r.Phase, r.Status,
					r.Outcome, s(r.Due), s(r.Start), s(r.FirstToken), s(r.End), r.InFlight, known(r.Input), known(r.Output), known(r.Cached), known(r.Reach), known(r.TheoryHit), r.HTTPStatus, r.Error)
			}
			for _, wait := range stream.Waits {
				fmt.Fprintf(&out, "    %s %s..%s\n", wait.Kind, s(wait.From), s(wait.To))
			}
		}
	}
	for _, fact := range run.Facts {
		fmt.Fprintf(&out, "fact %s: %s\n", fact.Label, fact.Value)
	}
	for _, note := range run.Notes {
		fmt.Fprintf(&out, "note %s\n", note)
	}
	return out.Bytes()
}

func known(n int64) int64 {
	if n == swimlane.None {
		return -1
	}
	return n
}

// What a turn waited for is told apart: the recorded pause up to its due time, then the children it
// joins, then another stream of the tree, then a slot, then the client.
func TestWaitsAreToldApart(t *testing.T) {
	stream := &swimlane.Stream{ID: 7}
	request := swimlane.Request{Turn: 4, Due: at(10), Start: at(15)}
	record := measure.NewRecord()
	record.Times.Ready, record.Times.SlotWaitNs, record.Waited = measure.Stamp(at(13)), second, []string{"gap", "join", "barrier", "slot"}
	b := &builder{detail: &detail{opened: map[turnKey]int64{{7, 4}: at(12)}}}
	b.waitBefore(stream, &request, record, at(9))
	want := []swimlane.Wait{
		{Kind: swimlane.Pause, From: at(9), To: at(10)}, {Kind: swimlane.Join, From: at(10), To: at(12)}, {Kind: swimlane.Barrier, From: at(12), To: at(13)},
		{Kind: swimlane.Slot, From: at(13), To: at(14)}, {Kind: swimlane.Late, From: at(14), To: at(15)},
	}
	if fmt.Sprint(stream.Waits) != fmt.Sprint(want) {
		t.Errorf("waits %v, expected %v", stream.Waits, want)
	}
}

func TestShiftsOfTheIdleGuardsAreMarked(t *testing.T) {
	log := logtest.Mixed()
	log.Row(eventlog.KindTimersShifted, at(5), logtest.Nowhere(), map[string]any{"scope": "global", "shift_ns": 3 * second})
	log.Row(eventlog.KindTimersShifted, at(6), logtest.At{Lane: 1, Play: 1, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"scope": "tree", "shift_ns": second})
	run := analysed(t, log)
	want := []swimlane.Shift{{At: at(5), Skipped: 3 * second, Lane: -1}, {At: at(6), Skipped: second, Lane: 1}}
	if fmt.Sprint(run.Shifts) != fmt.Sprint(want) {
		t.Errorf("shifts %v, expected %v", run.Shifts, want)
	}
}

// A killed run is drawn as far as its log goes, and the picture says so.
func TestKilledRunIsDrawnAndSaid(t *testing.T) {
	log := logtest.Mixed()
	sent := 0
	for i, row := range log.Rows() {
		if row.Kind == eventlog.KindDispatch {
			sent = i + 1
		}
	}
	run := analysed(t, log.Cut(sent))
	if !run.Marks.Interrupted || !strings.Contains(strings.Join(run.Notes, "\n"), "interrupted") {
		t.Errorf("marks %+v, notes %q: expected that the picture says that the log just ends", run.Marks, run.Notes)
	}
	unfinished := 0
	for _, bar := range swimlane.Lay(run).Bars {
		if bar.Open {
			unfinished++
		}
	}
	if unfinished == 0 {
		t.Error("no request is drawn as still running where the log ends")
	}
}

// A turn that is refused before its due time is worked out stands where it was refused.
func TestRefusedTurnsStandWhereTheyWereRefused(t *testing.T) {
	log := logtest.Mixed()
	log.Row(eventlog.KindTurnRefused, at(12.5), logtest.At{Lane: 1, Play: 2, Stream: 3, Turn: 3, Exchange: -1}, map[string]any{"why": "duration"})
	found := 0
	for _, bar := range swimlane.Lay(analysed(t, log)).Bars {
		if bar.Status == swimlane.NeverSent && bar.From == at(12.5) && bar.To == at(12.5) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("the refused turn is drawn %d times at the instant of its refusal", found)
	}
}
