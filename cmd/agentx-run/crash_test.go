package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/analyze"
	"agentx/internal/measure"
	"agentx/internal/view/report"
)

// long tells whether the whole of make crash is wanted; go test runs samples.
func long() bool { return os.Getenv("AGENTX_LONG") != "" }

// afterDeath holds what a run left against what it must have left: every acknowledged event, a chain that
// verifies, decisions that the machine makes again, at most one batch of requests that the log lacks, an
// analysis that says how it ended.
func (x *trial) afterDeath(what string, interrupted bool) {
	x.t.Helper()
	x.settled()
	log, err := eventlog.Open(filepath.Join(x.dir, "run.db"))
	if err != nil {
		x.t.Fatal(err)
	}
	defer log.Close()
	checked := log.Check()
	if len(checked.Damages) > 0 || checked.Interrupted() != interrupted {
		x.t.Errorf("%s: interrupted %v, damages %v", what, checked.Interrupted(), checked.Damages)
	}
	if checked.Events < x.acked() {
		x.t.Errorf("%s: event %d was acknowledged, the log ends with %d", what, x.acked(), checked.Events)
	}
	if log.Writing() {
		x.t.Errorf("%s: the log of a dead run is called written", what)
	}
	lacking, logged, largest := x.unlogged(log)
	const batchRequests = 8192 / 2 // rows of a commit; a request that was sent has two
	if lacking > batchRequests {
		x.t.Errorf("%s: the server has seen %d requests that the log lacks", what, lacking)
	}
	x.t.Logf("%-26s %6d events, %6d acknowledged; %5d requests logged, %v at most in a batch, %d seen by the server and not in the log",
		what, checked.Events, x.acked(), logged, largest, lacking)
	var out, notes bytes.Buffer
	if err := analyze.Verify(&out, &notes, x.dir, analyze.VerifyOptions{Bundle: sample(x.t)}); err != nil {
		x.t.Errorf("%s: verify: %v\n%s%s", what, err, out.String(), notes.String())
	}
	out.Reset()
	if err := analyze.Summary(&out, &notes, x.dir, measure.Options{}, report.ConsoleOptions{}); err != nil {
		x.t.Errorf("%s: summary: %v", what, err)
	}
	if says := strings.Contains(out.String(), "interrupted"); says != interrupted {
		x.t.Errorf("%s: the summary says interrupted: %v\n%s", what, says, out.String())
	}
}

// Kill -9 at random instants of a live run.
func TestCrashAtRandomInstants(t *testing.T) {
	kills, among := 1, 1000
	if long() {
		kills, among = 20, 4000
	}
	for i := range kills {
		after := time.Duration(rand.IntN(among)) * time.Millisecond
		x := begin(t, orders{}, nil, "--benchmark-duration", "60")
		x.kill(after)
		x.afterDeath(fmt.Sprintf("kill %d, after %v", i+1, after), true)
	}
}

// Copies taken while the run lives, the file and then its WAL, open as a valid prefix or are refused by name.
func TestCrashCopiesOfALiveRun(t *testing.T) {
	copies := 4
	if long() {
		copies = 40
	}
	x := begin(t, orders{}, nil, "--benchmark-duration", "60")
	for x.server.Stats().Requests < 5 {
		time.Sleep(5 * time.Millisecond)
	}
	prefixes, refused, events := 0, 0, eventlog.Seq(0)
	for i := range copies {
		time.Sleep(50 * time.Millisecond)
		path := filepath.Join(t.TempDir(), fmt.Sprintf("copy%d.db", i))
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(filepath.Join(x.dir, "run.db"+suffix))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path+suffix, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		log, err := eventlog.Open(path)
		if err != nil {
			if refused++; !strings.Contains(err.Error(), path) {
				t.Errorf("the refusal does not name the file: %v", err)
			}
			continue
		}
		prefixes++
		count := eventlog.Seq(0)
		for event, err := range log.Events(eventlog.Filter{}) {
			if err != nil || event.Seq != count+1 {
				t.Fatalf("event %d after event %d: %v", event.Seq, count, err)
			}
			count = event.Seq
		}
		events = max(events, count)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var out, notes bytes.Buffer
	if err := analyze.Summary(&out, &notes, x.dir, measure.Options{}, report.ConsoleOptions{}); err != nil || !strings.Contains(out.String(), "The run is going on") || strings.Contains(out.String(), "interrupted") {
		t.Errorf("the summary of a live run: %v\n%s%s", err, out.String(), notes.String())
	}
	x.kill(0)
	t.Logf("%d copies of a live run: %d opened as a prefix of up to %d events, %d were refused", copies, prefixes, events, refused)
	if prefixes == 0 {
		t.Error("not one copy could be read")
	}
	x.afterDeath("copied, then killed", true)
}

// The log on another file system than the artifacts: its place is found by the pointer.
func TestCrashWithTheLogElsewhere(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "agentx-crash-")
	if err != nil {
		t.Skipf("no second file system: %v", err)
	}
	defer os.RemoveAll(elsewhere)
	x := begin(t, orders{}, nil, "--benchmark-duration", "60", "--log-dir", elsewhere)
	x.kill(500 * time.Millisecond)
	if _, err := os.Stat(filepath.Join(x.dir, "run.db")); !os.IsNotExist(err) {
		t.Errorf("the log is at home while the run lives: %v", err)
	}
	x.afterDeath("log on another file system", true)
}

// Kill -9 at each named point of the log's writer.
func TestCrashAtNamedPoints(t *testing.T) {
	points := eventlog.Points()
	if !long() { // all of them on a log alone: package eventlog
		points = []eventlog.Point{eventlog.PointBeforeCommit, eventlog.PointBeforeClosingEvent, eventlog.PointAfterCheckpoint}
	}
	for _, point := range points {
		nth, duration := 1, "1"
		if point == eventlog.PointBeforeCommit || point == eventlog.PointAfterCommit {
			nth, duration = 25, "30" // a busy disk makes few commits a second; the run dies long before its end
		}
		x := begin(t, orders{Point: point, Nth: nth}, nil, "--benchmark-duration", duration)
		if code := x.end(); code != -1 {
			t.Fatalf("%s: the run ended with %d: %s", point, code, x.output.String())
		}
		closed := point == eventlog.PointAfterClosingEvent || point == eventlog.PointBeforeCheckpoint ||
			point == eventlog.PointAfterCheckpoint || point == eventlog.PointClosed
		x.afterDeath(string(point), !closed)
	}
}

// A wall clock that is set back by two seconds in mid-run changes no order and no duration: the client never
// takes less time for a request than the server did. The log tells of the step.
func TestAWallClockStepChangesNoDuration(t *testing.T) {
	x := begin(t, orders{StepMs: 2000}, nil, "--benchmark-duration", "2")
	if code := x.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, x.output.String())
	}
	x.afterDeath("wall clock set back by 2 s", false)
	log, err := eventlog.Open(filepath.Join(x.dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if step, _ := x.one(log, "SELECT sum(step_ns) FROM anchors WHERE why = 'step'").(int64); step > -1_950_000_000 || step < -2_050_000_000 {
		t.Errorf("the anchors tell of a step of %d ns, want 2 s back", step)
	}
	if back := x.one(log, `SELECT count(*) FROM (SELECT at_ns - lag(at_ns) OVER (ORDER BY seq) AS d FROM events
		WHERE kind BETWEEN 100 AND 143) WHERE d < 0`); back != int64(0) {
		t.Errorf("%v rows of the machine are earlier than the one before", back)
	}
	served := map[string]int64{}
	for _, record := range x.server.Records() {
		served[record.RequestID] = record.FirstByteNs - record.ArrivalNs
	}
	compared := 0
	for event, err := range log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindExchangeEnd}}) {
		if err != nil {
			t.Fatal(err)
		}
		end, err := eventlog.Decode[eventlog.ExchangeEnd](event)
		if err != nil {
			t.Fatal(err)
		}
		took, known := served[end.RequestID]
		if !known || end.FirstByteNs == nil || end.SendStartNs == nil || took <= 0 {
			continue
		}
		compared++
		if client := *end.FirstByteNs - *end.SendStartNs; client < took || client > took+int64(10*time.Second) {
			t.Errorf("request %d: %d ns to the first byte for the client, %d for the server", event.Exchange, client, took)
		}
	}
	t.Logf("%d requests compared with the server's own times", compared)
	if compared == 0 {
		t.Error("nothing was compared")
	}
}
