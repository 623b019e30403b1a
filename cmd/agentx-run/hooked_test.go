package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/mockserver"
	"agentx/internal/run"
	"agentx/internal/servermodel"
)

// orders are what a run of these tests is to meet; hookedName is the program that obeys them.
type orders struct {
	Point   eventlog.Point // where to die
	Nth     int            // at the how manieth pass there
	Lanes   int            // 0: 16
	Acked   string         // file for the number of each acknowledged event
	SleepMs int            // before each COMMIT
	Pages   int            // of the database
	Queue   int            // events that may wait
	StepMs  int64          // of the wall clock, backwards, a second after the start
}

const (
	hookedName = "agentx-run-hooked"
	ordersName = "HOOKED_ORDERS"
)

// hooked is agentx-run with the seams of the orders in its environment.
func hooked() {
	var o orders
	if err := json.Unmarshal([]byte(os.Getenv(ordersName)), &o); err != nil {
		fmt.Fprintln(os.Stderr, "orders:", err)
		os.Exit(99)
	}
	acked, err := os.OpenFile(o.Acked, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	passes := 0
	seams := run.Seams{Log: eventlog.Options{MaxPages: o.Pages, QueueEvents: o.Queue}}
	seams.Log.Hook = func(at eventlog.Point, last eventlog.Seq) {
		if at == eventlog.PointAfterCommit { // what the kernel has outlives the process
			_, _ = acked.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(last)), 0)
		}
		if at == eventlog.PointBeforeCommit {
			time.Sleep(time.Duration(o.SleepMs) * time.Millisecond)
		}
		if at != o.Point {
			return
		}
		if passes++; passes == o.Nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
	if o.StepMs > 0 {
		start := time.Now()
		seams.Wall = func() int64 {
			now := time.Now()
			if now.Sub(start) > time.Second {
				now = now.Add(-time.Duration(o.StepMs) * time.Millisecond)
			}
			return now.UnixNano()
		}
	}
	before := goroutines()
	code := (&invocation{environment: os.Environ(), seams: seams}).execute(os.Args)
	for range 400 {
		if goroutines() <= before {
			os.Exit(code)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stacks := make([]byte, 1<<16)
	fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", stacks[:runtime.Stack(stacks, true)])
	os.Exit(98)
}

// goroutines counts those that a run could leave: os/signal keeps one from the first use on.
func goroutines() int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR2)
	signal.Stop(signals)
	return runtime.NumGoroutine()
}

// trial is one hooked run against a server of its own.
type trial struct {
	t       *testing.T
	server  *mockserver.Server
	program *exec.Cmd
	orders  orders
	dir     string // artifacts
	output  bytes.Buffer
}

// begin starts a run with more flags; wrap, where given, is a command line that runs it.
func begin(t *testing.T, o orders, wrap []string, more ...string) *trial {
	t.Helper()
	server, err := mockserver.Start(mockserver.Options{
		Server: servermodel.Config{TokenNs: int64(time.Millisecond), PrefillTokensPerSecond: 1e6}, KeepRecords: 100_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	folder := t.TempDir()
	o.Acked = filepath.Join(folder, "acked")
	x := &trial{t: t, server: server, orders: o, dir: filepath.Join(folder, "run")}
	encoded, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath(hookedName)
	if err != nil {
		t.Fatal(err)
	}
	line := append(append(wrap, path), "--bundle", sample(t), "--url", server.URL(), "--model", "m", "--concurrency", strconv.Itoa(max(o.Lanes, 16)),
		"--random-seed", "1", "--cache-bust", "first_turn_prefix", "--system-idle-gap-cap-seconds", "0.2",
		"--trace-idle-gap-cap-seconds", "0.05", "--benchmark-grace-period", "1", "--artifact-dir", x.dir)
	line = append(line, more...)
	x.program = exec.Command(line[0], line[1:]...)
	x.program.Env = append(os.Environ(), ordersName+"="+string(encoded))
	x.program.Stdout, x.program.Stderr = &x.output, &x.output
	if err := x.program.Start(); err != nil {
		t.Fatal(err)
	}
	return x
}

// end waits for the program and gives its exit code, -1 where it was killed.
func (x *trial) end() int {
	x.t.Helper()
	err := x.program.Wait()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		x.t.Fatal(err)
	}
	return x.program.ProcessState.ExitCode()
}

// kill waits until the run has had some requests, then so long, then kills it.
func (x *trial) kill(after time.Duration) {
	x.t.Helper()
	for x.server.Stats().Requests < 5 {
		if x.program.ProcessState != nil {
			x.t.Fatalf("the run ended by itself: %s", x.output.String())
		}
		time.Sleep(5 * time.Millisecond)
	}
	time.Sleep(after)
	if err := x.program.Process.Kill(); err != nil {
		x.t.Fatal(err)
	}
	if code := x.end(); code != -1 {
		x.t.Fatalf("the run ended by itself with %d before it was killed: %s", code, x.output.String())
	}
}

// acked is the last event that was acknowledged.
func (x *trial) acked() eventlog.Seq {
	x.t.Helper()
	content, err := os.ReadFile(x.orders.Acked)
	if err != nil || len(content) < 8 {
		return 0
	}
	return eventlog.Seq(binary.LittleEndian.Uint64(content))
}

// unlogged is how many requests the server has seen that the log lacks, beside those that the log has and
// the most of them that one batch brought.
func (x *trial) unlogged(log *eventlog.Reader) (lacking, logged int, largest any) {
	x.t.Helper()
	known, runID := map[string]bool{}, ""
	for event, err := range log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRunConfig, eventlog.KindDispatch}}) {
		if err != nil {
			x.t.Fatal(err)
		}
		if event.Kind == eventlog.KindDispatch {
			known[run.RequestID(runID, event.Exchange)] = true
			continue
		}
		config, err := eventlog.Decode[eventlog.RunConfig](event)
		if err != nil {
			x.t.Fatal(err)
		}
		runID = config.RunID
	}
	for _, record := range x.server.Records() {
		if record.RequestID != "" && !known[record.RequestID] {
			lacking++
		}
	}
	return lacking, len(known), x.one(log, `SELECT max(n) FROM (SELECT count(*) AS n FROM batches b JOIN events e
		ON e.seq BETWEEN b.first_seq AND b.last_seq WHERE e.kind = 127 GROUP BY b.first_seq)`)
}

// one is the value of a query with one.
func (x *trial) one(log *eventlog.Reader, sql string) any {
	x.t.Helper()
	rows, err := log.Query(sql)
	if err != nil {
		x.t.Fatal(err)
	}
	var value any
	if rows.Next() {
		value = rows.Values()[0]
	}
	if err := rows.Close(); err != nil {
		x.t.Fatal(err)
	}
	return value
}

// settled waits until the server has done with the requests of a client that is gone.
func (x *trial) settled() {
	for range 400 {
		if x.server.Stats().InFlight == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	x.t.Errorf("the server still works on %d requests of the run", x.server.Stats().InFlight)
}
