package swimlane

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

func analysed(t *testing.T, log *logtest.Log) *Run {
	t.Helper()
	analysis, err := measure.Analyze(log, measure.Options{NoChunks: true, NoCurves: true})
	if err != nil {
		t.Fatal(err)
	}
	run, err := FromRun(analysis.Run, log, About{Title: "mixed", Source: "run.db"})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// The golden file is the layout of a log with a little of everything; every line can be checked against
// the rows that logtest.Mixed writes.
func TestLayoutOfALog(t *testing.T) {
	run := analysed(t, logtest.Mixed())
	var out bytes.Buffer
	out.Write(describe(run, Lay(run)))
	for _, fact := range run.Facts {
		fmt.Fprintf(&out, "fact %s: %s\n", fact.Label, fact.Value)
	}
	for _, note := range run.Notes {
		fmt.Fprintf(&out, "note %s\n", note)
	}
	golden(t, "mixed.txt", out.Bytes())
}

// What a turn waited for is told apart: the recorded pause up to its due time, then the children it
// joins, then another stream of the tree, then a slot, then the client.
func TestWaitsAreToldApart(t *testing.T) {
	stream := &Stream{ID: 7}
	request := done(4, Profiling, 10, 15, 16, 17)
	record := measure.NewRecord()
	record.Times.Ready, record.Times.SlotWaitNs, record.Waited = measure.Stamp(at(13)), second, []string{"gap", "join", "barrier", "slot"}
	b := &builder{detail: &detail{opened: map[turnKey]int64{{7, 4}: at(12)}}}
	b.waitBefore(stream, &request, record, at(9))
	want := []Wait{{Pause, at(9), at(10)}, {Join, at(10), at(12)}, {Barrier, at(12), at(13)}, {Slot, at(13), at(14)}, {Late, at(14), at(15)}}
	if fmt.Sprint(stream.Waits) != fmt.Sprint(want) {
		t.Errorf("waits %v, expected %v", stream.Waits, want)
	}
}

func TestShiftsOfTheIdleGuardsAreMarked(t *testing.T) {
	log := logtest.Mixed()
	log.Row(eventlog.KindTimersShifted, at(5), logtest.Nowhere(), map[string]any{"scope": "global", "shift_ns": 3 * second})
	log.Row(eventlog.KindTimersShifted, at(6), logtest.At{Lane: 1, Play: 1, Stream: -1, Turn: -1, Exchange: -1}, map[string]any{"scope": "tree", "shift_ns": second})
	run := analysed(t, log)
	want := []Shift{{at(5), 3 * second, -1}, {at(6), second, 1}}
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
	for _, bar := range Lay(run).Bars {
		if bar.Open {
			unfinished++
		}
	}
	if unfinished == 0 {
		t.Error("no request is drawn as still running where the log ends")
	}
}
