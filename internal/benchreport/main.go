// Command benchreport measures agentx-analyze on a large log and prints time, CPU and memory beside the
// limits of docs/design.md: 100,000 exchanges with 20 million chunks (a million events), summed up and
// exported, and ten million events read from end to end. It judges nothing: machines differ and are shared.
//
// Usage: go run ./internal/benchreport [-bin DIR] [-dir DIR] [-exchanges N] [-events N]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"agentx/eventlog"
	"agentx/internal/benchhost"
	"agentx/internal/measure/logtest"
)

// chunksEach is how many chunks an answer of the first log has; rowsEach is how many rows an exchange has at
// least: where it opens a tree it has two more.
const (
	chunksEach = 200
	rowsEach   = 9
)

func main() {
	bin := flag.String("bin", "bin", "folder of the programs")
	dir := flag.String("dir", "", "folder for the logs, which are kept there and used again; empty: a temporary one")
	exchanges := flag.Int("exchanges", 100_000, "exchanges of the log that is summed up and exported")
	events := flag.Int("events", 10_000_000, "events of the log that is read from end to end; 0: none")
	scan := flag.String("scan", "", "only read this log, in this process")
	flag.Parse()
	err := error(nil)
	if *scan != "" {
		err = read(*scan)
	} else {
		err = run(*bin, *dir, *exchanges, *events)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "benchreport: %v\n", err)
		os.Exit(1)
	}
}

func run(bin, dir string, exchanges, events int) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "agentx-benchreport-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	log, err := large(dir, exchanges, chunksEach)
	if err != nil {
		return err
	}
	fmt.Printf("machine: %d CPUs, %s/%s, load %s\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, benchhost.Load())
	fmt.Printf("%-58s %8s %8s %10s   %s\n", "", "wall s", "CPU s", "peak MiB", "limit")
	program := filepath.Join(bin, "agentx-analyze")
	out := filepath.Join(dir, "exports")
	for _, m := range []struct {
		what, limit string
		line        []string
	}{
		{"summary of a row, without chunk-level metrics", "3 s", []string{"summary", "--format", "text", log}},
		{"summary with all tables", "", []string{"summary", log}},
		{"export --everything", "15 s, 500 MB", []string{"export", "--everything", "-o", out, log}},
		{"export --only report.json", "", []string{"export", "--only", "report.json", "-o", out, log}},
	} {
		if err := measured(fmt.Sprintf("%s (%d exchanges)", m.what, exchanges), m.limit, exec.Command(program, m.line...)); err != nil {
			return err
		}
	}
	if events == 0 {
		return nil
	}
	if log, err = large(dir, (events+rowsEach-1)/rowsEach, 0); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return measured(fmt.Sprintf("scan (%d events and some more)", events), "30 s, 200 MB", exec.Command(self, "-scan", filepath.Join(log, "run.db")))
}

// large gives the run folder of a log, and makes it where it is not there yet.
func large(dir string, exchanges, chunks int) (string, error) {
	folder := filepath.Join(dir, fmt.Sprintf("%dx%d", exchanges, chunks))
	path := filepath.Join(folder, "run.db")
	if _, err := os.Stat(path); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	start := time.Now()
	if err := logtest.WriteLarge(path, exchanges, chunks); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	fmt.Printf("%s: %d exchanges of %d chunks, %.0f MB, written in %.0f s\n", path, exchanges, chunks, float64(info.Size())/1e6, time.Since(start).Seconds())
	return folder, nil
}

// measured runs a program and prints what it used.
func measured(what, limit string, program *exec.Cmd) error {
	start := time.Now()
	if output, err := program.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", what, err, output)
	}
	state := program.ProcessState
	fmt.Printf("%-58s %8.2f %8.2f %10.0f   %s\n", what, time.Since(start).Seconds(), benchhost.CPUSeconds(state), float64(benchhost.PeakMemory(state))/(1<<20), limit)
	return nil
}

// read reads a log from end to end.
func read(path string) error {
	reader, err := eventlog.Open(path)
	if err != nil {
		return err
	}
	rows := 0
	for _, err := range reader.Events(eventlog.Filter{}) {
		if err != nil {
			return err
		}
		rows++
	}
	fmt.Println(rows, "events")
	return reader.Close()
}
