package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/exit"
)

// stopsInOrder requires of a run whose log could not be written that it ended by itself with the exit code
// for that and a message that says what is safe, and that what is safe verifies.
func (x *trial) stopsInOrder(what string, words ...string) {
	x.t.Helper()
	if code := x.end(); code != exit.Damage {
		x.t.Fatalf("%s: exit code %d, want %d: %s", what, code, exit.Damage, x.output.String())
	}
	for _, word := range words {
		if !strings.Contains(x.output.String(), word) {
			x.t.Errorf("%s: the message has no %q:\n%s", what, word, x.output.String())
		}
	}
	log, err := eventlog.Open(filepath.Join(x.dir, "run.db"))
	if err != nil {
		x.t.Fatal(err)
	}
	report := log.Check()
	if err := log.Close(); err != nil {
		x.t.Fatal(err)
	}
	for line := range strings.Lines(x.output.String()) {
		if strings.Contains(line, "event log") {
			x.t.Logf("%s: %s", what, strings.TrimSpace(line))
		}
	}
	x.afterDeath(what, report.Interrupted())
}

// A disk that is full, by the limit of the database's pages.
func TestAFullDiskStopsTheRunInOrder(t *testing.T) {
	x := begin(t, orders{Pages: 60}, nil, "--benchmark-duration", "60")
	x.stopsInOrder("60 pages", "full", "events 1 to ", "are safe on disk", "free space on that disk")
}

// A limit of file size, as ulimit -f sets it.
func TestAFileSizeLimitStopsTheRunInOrder(t *testing.T) {
	x := begin(t, orders{}, []string{"sh", "-c", `ulimit -f 800; exec "$0" "$@"`}, "--benchmark-duration", "60")
	x.stopsInOrder("ulimit -f 800", "are safe on disk", "ulimit -f")
}

// A disk that never comes back fills the queue.
func TestADiskThatIsTooSlowStopsTheRunInOrder(t *testing.T) {
	x := begin(t, orders{Queue: 200, SleepMs: 600}, nil, "--benchmark-duration", "60")
	x.stopsInOrder("queue of 200, 0.6 s a commit", "wait for the disk, which is too slow", "--log-dir")
}

// A log that refuses an event in the middle of a step that sends many requests: of these, only such as the log knows
// may reach the server.
func TestALogThatFailsInsideAStepStopsTheRunInOrder(t *testing.T) {
	const lanes, queue = 64, 440 // the first step has some 500 events
	what := fmt.Sprintf("a queue of %d events, %d lanes", queue, lanes)
	x := begin(t, orders{Queue: queue, SleepMs: 1500, Lanes: lanes}, nil, "--benchmark-duration", "60")
	hangs := time.AfterFunc(time.Minute, func() { _ = x.program.Process.Kill() })
	x.stopsInOrder(what, "wait for the disk, which is too slow", "--log-dir")
	hangs.Stop()
	log, err := eventlog.Open(filepath.Join(x.dir, "run.db"))
	if err != nil {
		t.Fatal(err)
	}
	sent := x.one(log, "SELECT count(*) FROM events WHERE kind = 127").(int64)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	seen := int64(x.server.Stats().Requests)
	t.Logf("%s: %d requests decided, %d seen by the server", what, sent, seen)
	if sent == 0 || sent >= lanes {
		t.Errorf("%s: %d requests are in the log: it did not fail inside the first step", what, sent)
	}
	if seen > sent {
		t.Errorf("%s: the server saw %d requests, the log has %d", what, seen, sent)
	}
}

// A disk that fails to write, by strace's injection.
func TestADiskErrorStopsTheRunInOrder(t *testing.T) {
	if !long() {
		t.Skip("make crash")
	}
	if err := exec.Command("strace", "-f", "-o", "/dev/null", "true").Run(); err != nil {
		t.Skipf("strace cannot be used here: %v", err)
	}
	x := begin(t, orders{}, []string{"strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=60+"},
		"--benchmark-duration", "60")
	x.stopsInOrder("fsync gives EIO", "I/O error", "are safe on disk")
}

// A log that belongs on a network file system is written to a local folder, found there while the run lives, and
// copied home. strace makes the artifacts' file system one.
func TestALogOnANetworkFileSystemIsWrittenElsewhere(t *testing.T) {
	if !long() {
		t.Skip("make crash")
	}
	inject := []string{"strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "signal=none", "-e", "trace=statfs", "-e", "inject=statfs:poke_exit=@arg2=6969000000000000:when=1"}
	if err := exec.Command(inject[0], append(inject[1:], "true")...).Run(); err != nil {
		t.Skipf("strace cannot inject here: %v", err)
	}
	x := begin(t, orders{}, inject, "--benchmark-duration", "2")
	if code := x.end(); code != exit.Done {
		t.Fatalf("exit code %d: %s", code, x.output.String())
	}
	const says = "lies on a network file system (nfs), where a live log is not safe"
	if !strings.Contains(x.output.String(), says) {
		t.Errorf("the run does not say %q:\n%s", says, x.output.String())
	}
	if left, err := filepath.Glob(filepath.Join(x.dir, "run.db?*")); err != nil || len(left) > 0 {
		t.Errorf("left beside the log: %v, %v", left, err)
	}
	x.afterDeath("home is nfs", false)
}

// The request path never waits for the disk: how late requests go out at 64 lanes, each commit taking 200 ms
// longer, beside the same without. Figures, no limits: the machine is shared.
func TestLatenessOnASlowDisk(t *testing.T) {
	if !long() {
		t.Skip("figures: make bench-log")
	}
	for _, sleep := range []int{0, 200} {
		x := begin(t, orders{SleepMs: sleep, Lanes: 64}, nil, "--benchmark-duration", "10")
		if code := x.end(); code != exit.Done {
			t.Fatalf("exit code %d: %s", code, x.output.String())
		}
		log, err := eventlog.Open(filepath.Join(x.dir, "run.db"))
		if err != nil {
			t.Fatal(err)
		}
		late := x.one(log, `SELECT format('p50 %.3f, p99 %.3f, max %.3f', max(iif(part = 50, ms, 0)), max(iif(part = 99, ms, 0)), max(ms)) FROM (
			SELECT (w.at_ns - (d.payload ->> 'due_ns')) / 1e6 AS ms, ntile(100) OVER (ORDER BY w.at_ns - (d.payload ->> 'due_ns')) AS part
			FROM log d JOIN events w ON w.kind = 200 AND w.exchange = d.exchange WHERE d.kind = 'dispatch' AND d.payload ->> 'phase' = 'profiling')`)
		queued := x.one(log, "SELECT max(payload ->> 'queue_events') FROM log WHERE kind = 'client_sample'")
		commits := x.one(log, "SELECT count(*) FROM batches")
		requests := x.one(log, "SELECT count(*) FROM events WHERE kind = 127")
		fmt.Printf("commit + %3d ms, 64 lanes: %v requests, request written minus due in ms: %v; %v commits, at most %v events waiting\n",
			sleep, requests, late, commits, queued)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
