package eventlog

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zeebo/blake3"
)

// A slow disk fills the queue; then an event is refused, never waited for and never lost, and the
// closing event is still taken.
func TestAFullQueueRefuses(t *testing.T) {
	release := make(chan struct{})
	w := newLog(t, Options{QueueEvents: 100, Hook: func(point Point, _ Seq) {
		if point == PointBeforeCommit {
			<-release
		}
	}})
	addPayload(t, w, KindRunConfig, 0, RunConfig{})
	for range 99 {
		mustAdd(t, w, New(KindWake, 1))
	}
	_, err := w.Add(New(KindWake, 1))
	var full *QueueFullError
	if !errors.As(err, &full) || !errors.Is(err, ErrQueueFull) || full.Events != 100 || full.Acked != 0 {
		t.Fatalf("the event beyond the bound gave %v", err)
	}
	if events, _ := w.Depth(); events != 100 {
		t.Errorf("%d events wait, want 100", events)
	}
	if seq := addPayload(t, w, KindRunEnd, 2, RunEnd{Reason: "log_failure"}); seq != 101 {
		t.Errorf("the closing event has number %d, want 101", seq)
	}
	if _, err := w.Add(New(KindWake, 3)); !errors.Is(err, ErrClosed) {
		t.Errorf("an event after the closing event gave %v, want ErrClosed", err)
	}
	close(release)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if report := checkLog(t, w.Path()); len(report.Damages) > 0 || report.Events != 101 || report.Interrupted() {
		t.Errorf("the report is %+v", report)
	}
}

func TestTheQueueIsBoundedInBytes(t *testing.T) {
	release := make(chan struct{})
	w := newLog(t, Options{QueueBytes: 1000, Hook: func(point Point, _ Seq) {
		if point == PointBeforeCommit {
			<-release
		}
	}})
	event := New(KindServerSample, 0)
	event.Data = make([]byte, 400)
	mustAdd(t, w, event)
	mustAdd(t, w, event)
	if _, err := w.Add(event); !errors.Is(err, ErrQueueFull) {
		t.Errorf("1,200 bytes in a queue of 1,000 gave %v", err)
	}
	close(release)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, bytes := w.Depth(); bytes != 0 {
		t.Errorf("%d bytes wait after Close", bytes)
	}
}

// The caller never waits for a commit, however slow.
func TestAddDoesNotWaitForTheDisk(t *testing.T) {
	committing := make(chan struct{}, 1)
	release := make(chan struct{})
	w := newLog(t, Options{Hook: func(point Point, _ Seq) {
		if point == PointBeforeCommit {
			committing <- struct{}{}
			<-release
		}
	}})
	mustAdd(t, w, New(KindRunConfig, 0))
	<-committing
	for range 20_000 { // while the commit hangs
		mustAdd(t, w, New(KindWake, 1))
	}
	if w.Acked() != 0 {
		t.Errorf("%d acknowledged before the first COMMIT", w.Acked())
	}
	go func() {
		for range committing {
		}
	}()
	close(release)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	close(committing)
	report := checkLog(t, w.Path())
	if report.Events != 20_001 || len(report.Damages) > 0 {
		t.Errorf("the report is %+v", report)
	}
	if report.Batches != 1+3 {
		t.Errorf("%d batches, want the first and 20,000 events in commits of up to %d", report.Batches, commitRows)
	}
}

func TestAFullDiskStopsInOrder(t *testing.T) {
	w := newLog(t, Options{MaxPages: 60})
	addPayload(t, w, KindRunConfig, 0, RunConfig{})
	failed := false
	for i := 0; i < 100_000 && !failed; i++ {
		_, err := w.Add(sampleEvent(i))
		failed = err != nil
		if i%100 == 0 {
			_ = w.Sync() // the error comes from Add
		}
	}
	<-w.Failed()
	var problem *WriteError
	if !errors.As(w.Err(), &problem) || !IsDiskFull(problem) || problem.Acked == 0 || problem.Lost <= problem.Acked {
		t.Fatalf("the full disk gave %v", w.Err())
	}
	for _, part := range []string{w.Path(), fmt.Sprintf("events 1 to %d are safe", problem.Acked), "free space"} {
		if !strings.Contains(problem.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, problem)
		}
	}
	addPayload(t, w, KindRunEnd, 1, RunEnd{Reason: "log_failure"})
	if err := w.Close(); !errors.As(err, &problem) {
		t.Errorf("Close gave %v, want the failure", err)
	}
	report := checkLog(t, w.Path())
	if len(report.Damages) > 0 || report.ValidTo < problem.Acked {
		t.Errorf("%d events were acknowledged, the report is %+v", problem.Acked, report)
	}
	if problem.Closing != !report.Interrupted() {
		t.Errorf("the error says closing event %v, the log %v", problem.Closing, report.End)
	}
	t.Logf("%v", problem)
}

func TestAFileSizeLimitStopsInOrder(t *testing.T) {
	for _, limit := range []int{100_000, 150_000, 300_000} {
		c := startChild(t, fmt.Sprintf("%s=%d", childLimit, limit))
		acked, problem := c.wait(t)
		if problem == "" {
			t.Fatalf("the child did not fail at %d bytes", limit)
		}
		report := c.surviving(t, acked)
		if strings.Contains(problem, "the closing event was written") == report.Interrupted() {
			t.Errorf("the error is %q, but the closing event is %v", problem, report.End)
		}
		t.Logf("limit %d: %s; %d events in the log", limit, problem, report.Events)
	}
}

func TestALogThatCannotBeMadeLeavesNothing(t *testing.T) {
	c := startChild(t, childLimitFirst+"=5000")
	if _, problem := c.wait(t); !strings.Contains(problem, "creating event log "+c.path) {
		t.Errorf("the child said %q", problem)
	}
	if left, err := filepath.Glob(c.path + "*"); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func TestPlansDoNotBlockTheEventThatBringsThemToDisk(t *testing.T) {
	w := newLog(t, Options{QueueBytes: 1000})
	plan := make([]byte, 990)
	if err := w.AddPlan(blake3.Sum256(plan), plan); err != nil {
		t.Fatal(err)
	}
	if err := w.AddPlan(blake3.Sum256(plan[1:]), plan[1:]); !errors.Is(err, ErrQueueFull) {
		t.Errorf("a second plan beyond the bound gave %v", err)
	}
	event := New(KindRunConfig, 0)
	event.Data = make([]byte, 100)
	mustAdd(t, w, event)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if report := checkLog(t, w.Path()); len(report.Damages) > 0 || report.Plans != 1 {
		t.Errorf("the report is %+v", report)
	}
}

func TestClosingWithAReaderOpenLeavesAWALAndSaysSo(t *testing.T) {
	w := newLog(t, Options{})
	sample{events: 50, group: 10}.write(t, w)
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	r, err := Open(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	start := time.Now()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.OneFile() {
		t.Error("the log is called one file while a reader holds it")
	}
	if waited := time.Since(start); waited < journalRetry {
		t.Errorf("gave up after %v, should try for %v", waited, journalRetry)
	}
	if report := r.Check(); len(report.Damages) > 0 || report.Interrupted() {
		t.Errorf("the report is %+v", report)
	}
}
