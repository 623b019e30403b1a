package eventlog

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary runs itself as a child that writes a log and is killed. The child's orders come in
// these variables.
const (
	childLog        = "AGENTX_EVENTLOG_CHILD"             // where to write
	childPoint      = "AGENTX_EVENTLOG_CHILD_POINT"       // where to die; empty: never by itself
	childNth        = "AGENTX_EVENTLOG_CHILD_NTH"         // at the how manieth pass there
	childLimit      = "AGENTX_EVENTLOG_CHILD_LIMIT"       // RLIMIT_FSIZE in bytes, once the log is made
	childLimitFirst = "AGENTX_EVENTLOG_CHILD_LIMIT_FIRST" // the same, before it is made
)

// childRead makes the test binary read a log and print what it found: see TestMain.
const childRead = "AGENTX_EVENTLOG_READ"

func readAsChild(path string) error {
	r, err := Open(path)
	if err != nil {
		return err
	}
	report := r.Check()
	fmt.Printf("events %d damages %v notes %q\n", report.ValidTo, report.Damages, r.Notes())
	return r.Close()
}

func TestMain(m *testing.M) {
	if path := os.Getenv(childLog); path != "" {
		if err := writeAsChild(path); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv(childRead); path != "" {
		if err := readAsChild(path); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeAsChild prints "acked N" after each acknowledgement it sees, and ends after 400 events unless
// it is to be killed from outside.
func writeAsChild(path string) error {
	point, nth := Point(os.Getenv(childPoint)), 1
	if _, err := fmt.Sscan(os.Getenv(childNth), &nth); err != nil && os.Getenv(childNth) != "" {
		return err
	}
	passes := 0
	hook := func(at Point, _ Seq) {
		if at != point {
			return
		}
		if passes++; passes == nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
	if err := limitFileSize(childLimitFirst); err != nil {
		return err
	}
	w, err := Create(path, Options{Hook: hook, autoCheckpoint: 40})
	if err != nil {
		return err
	}
	if err := limitFileSize(childLimit); err != nil {
		return err
	}
	config, err := NewPayload(KindRunConfig, 0, RunConfig{Schema: SchemaVersion})
	if err != nil {
		return err
	}
	event, last := config, 400
	if point == "" {
		last = 1 << 30
	}
	for i := range last {
		if _, err := w.Add(event); err != nil {
			return endAfterFailure(w)
		}
		event = sampleEvent(i)
		if i%20 == 0 && w.Sync() == nil {
			fmt.Println("acked", w.Acked())
		}
	}
	if _, err := w.Add(New(KindRunEnd, 1)); err != nil {
		return err
	}
	return w.Close()
}

// endAfterFailure adds the closing event to a log that has failed, and tells what Close says.
func endAfterFailure(w *Writer) error {
	<-w.Failed()
	if _, err := w.Add(New(KindRunEnd, 1)); err != nil {
		return err
	}
	return w.Close()
}

func limitFileSize(variable string) error {
	var limit uint64
	text := os.Getenv(variable)
	if text == "" {
		return nil
	}
	if _, err := fmt.Sscan(text, &limit); err != nil {
		return err
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
}

// child is a process that writes a log.
type child struct {
	command *exec.Cmd
	path    string
	lines   chan string
}

func startChild(t *testing.T, env ...string) *child {
	t.Helper()
	c := &child{path: filepath.Join(t.TempDir(), "run.db"), lines: make(chan string, 1000)}
	c.command = exec.Command(os.Args[0])
	c.command.Env = append(append(os.Environ(), childLog+"="+c.path), env...)
	stdout, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			c.lines <- scanner.Text()
		}
	}()
	return c
}

// wait gives the last acknowledged number that the child told of, and its error text.
func (c *child) wait(t *testing.T) (acked Seq, problem string) {
	t.Helper()
	for line := range c.lines {
		if text, found := strings.CutPrefix(line, "error "); found {
			problem = text
			continue
		}
		if _, err := fmt.Sscanf(line, "acked %d", &acked); err != nil {
			t.Errorf("the child said %q", line)
		}
	}
	var exit *exec.ExitError
	if err := c.command.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return acked, problem
}

// surviving opens what a killed child left: every acknowledged event must be there, the chain whole.
func (c *child) surviving(t *testing.T, acked Seq) *Report {
	t.Helper()
	report := checkLog(t, c.path)
	if len(report.Damages) > 0 {
		t.Errorf("the log is damaged: %v", report.Damages)
	}
	if report.ValidTo < acked || report.Events != report.ValidTo {
		t.Errorf("event %d was acknowledged, but the log holds %d events, %d of them valid", acked, report.Events, report.ValidTo)
	}
	return report
}

func TestKilledAtANamedPointKeepsEveryAcknowledgedEvent(t *testing.T) {
	for _, point := range Points() {
		t.Run(string(point), func(t *testing.T) {
			nth := 1
			if point == PointBeforeCommit || point == PointAfterCommit {
				nth = 15 // with checkpoints behind it
			}
			c := startChild(t, childPoint+"="+string(point), fmt.Sprintf("%s=%d", childNth, nth))
			acked, problem := c.wait(t)
			if problem != "" {
				t.Fatal(problem)
			}
			if status, ok := c.command.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
				t.Fatalf("the child ended with %v, not killed at the point", c.command.ProcessState)
			}
			report := c.surviving(t, acked)
			ends := point == PointAfterClosingEvent || point == PointBeforeCheckpoint || point == PointAfterCheckpoint || point == PointClosed
			if report.Interrupted() == ends {
				t.Errorf("interrupted is %v", report.Interrupted())
			}
		})
	}
}

func TestKilledAtARandomInstantKeepsEveryAcknowledgedEvent(t *testing.T) {
	kills := 4
	if os.Getenv("AGENTX_LONG") != "" {
		kills = 40
	}
	var lost Seq
	for range kills {
		c := startChild(t)
		first := <-c.lines
		time.Sleep(time.Duration(rand.IntN(200_000)) * time.Microsecond)
		if err := c.command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(first, "acked ") {
			t.Fatalf("the child said %q", first)
		}
		acked, _ := c.wait(t)
		report := c.surviving(t, acked)
		if !report.Interrupted() {
			t.Error("a killed run is not called interrupted")
		}
		lost += report.Events - acked
	}
	t.Logf("%d kills; events on disk beyond the last acknowledgement the child could tell of: %d", kills, lost)
}
