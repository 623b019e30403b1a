// Command benchrun measures agentx-run against the built-in server on the same machine and prints the
// figures side by side: how far the client's stamps are from what the server itself recorded, how late
// requests go out, and what a request costs. It judges nothing: machines differ and are shared.
//
// Usage: go run ./internal/benchrun [-bin DIR] [-seconds N] [-only NAME]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// load is one row of the table.
type load struct {
	name         string
	lanes        int
	promptTokens int
	firstTokenMs int // the server's time to the first token
	outTokens    int
}

func loads() []load {
	return []load{
		{"truth 1 lane 1 kB", 1, 192, 50, 16},
		{"truth 8 lanes 1 kB", 8, 192, 50, 16},
		{"truth 32 lanes 1 kB", 32, 192, 50, 16},
		{"truth 128 lanes 1 kB", 128, 192, 50, 16},
		{"truth 1 lane 400 kB", 1, 96_000, 50, 16},
		{"truth 8 lanes 400 kB", 8, 96_000, 50, 16},
		{"truth 32 lanes 400 kB", 32, 96_000, 50, 16},
		{"rate 64 lanes 1 kB", 64, 192, 0, 1},
		{"rate 64 lanes 40 kB", 64, 9_600, 0, 1},
		{"rate 64 lanes 265 kB", 64, 64_000, 50, 16},
		{"rate 16 lanes 4 MB", 16, 960_000, 0, 1},
	}
}

func main() {
	bin := flag.String("bin", "bin", "folder of the three programs")
	seconds := flag.Int("seconds", 8, "length of each run")
	only := flag.String("only", "", "run only the loads whose name contains this")
	flag.Parse()
	fmt.Printf("machine: %d CPUs, %s/%s, load %s\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, machineLoad())
	fmt.Println("bias: client's first content minus the server's write of it; gap: server's last byte read minus client's last byte written;")
	fmt.Println("late: request handed to the socket minus due; CPU: the client's, per request; the server shares the same CPUs")
	fmt.Printf("%-22s %8s %8s %8s %8s %8s %8s %8s %9s %9s %9s %8s %6s %9s  %s\n", "load", "req", "req/s", "MB/s",
		"bias p50", "bias p99", "gap p50", "gap p99", "late p50", "late p99", "CPU ms", "srv ms", "rows", "load", "errors")
	for _, l := range loads() {
		if !strings.Contains(l.name, *only) {
			continue
		}
		if err := measure(*bin, l, *seconds); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", l.name, err)
			os.Exit(1)
		}
	}
}

// measure makes one run in a temporary folder and prints its row.
func measure(bin string, l load, seconds int) error {
	dir, err := os.MkdirTemp("", "agentx-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bundle := filepath.Join(dir, "bench.bundle")
	if err := writeCorpus(filepath.Join(dir, "corpus"), min(l.lanes, 8), l.promptTokens, l.outTokens); err != nil {
		return err
	}
	if err := run(filepath.Join(bin, "agentx-prep"), "build", "--quiet", "--no-cache", "--ignore-trace-delays",
		"--input-file", filepath.Join(dir, "corpus"), "-o", bundle); err != nil {
		return err
	}
	server, url, err := startServer(bin, dir, l)
	if err != nil {
		return err
	}
	runErr := run(filepath.Join(bin, "agentx-run"), "--quiet", "--bundle", bundle, "--url", url, "--model", "bench",
		"--concurrency", strconv.Itoa(l.lanes), "--benchmark-duration", strconv.Itoa(seconds), "--benchmark-grace-period", "5",
		"--random-seed", "1", "--cache-bust", "first_turn_prefix", "--artifact-dir", filepath.Join(dir, "run"))
	serverCPU, err := stopServer(server)
	if runErr != nil || err != nil {
		return fmt.Errorf("run: %v, server: %v", runErr, err)
	}
	t, err := readTruth(filepath.Join(dir, "run"), filepath.Join(dir, "server.jsonl"))
	if err != nil {
		return err
	}
	printRow(l, t, serverCPU)
	return nil
}

func printRow(l load, t *truth, serverCPU float64) {
	most := 0
	for _, rows := range t.rows {
		most = max(most, rows)
	}
	perRequest := 1000 / float64(max(t.requests, 1))
	fmt.Printf("%-22s %8d %8.0f %8.1f %8.3f %8.3f %8.3f %8.3f %9.3f %9.3f %9.3f %8.3f %6d %9s  %v\n", l.name, t.requests,
		float64(t.requests)/t.seconds, float64(t.bytes)/1e6/t.seconds,
		quantile(t.bias, 0.5), quantile(t.bias, 0.99), quantile(t.sendGap, 0.5), quantile(t.sendGap, 0.99),
		quantile(t.lateness, 0.5), quantile(t.lateness, 0.99),
		t.clientCPU*perRequest, serverCPU*perRequest, most, machineLoad(), t.errors)
}

func startServer(bin, dir string, l load) (*exec.Cmd, string, error) {
	address := filepath.Join(dir, "url")
	server := exec.Command(filepath.Join(bin, "agentx-run"), "mock-server", "--quiet", "--port", "0", "--address-file", address,
		"--record", filepath.Join(dir, "server.jsonl"), "--overhead-ms", strconv.Itoa(l.firstTokenMs),
		"--token-ms", "0", "--prefill-tokens-per-second", "0")
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return nil, "", err
	}
	for range 200 {
		if text, err := os.ReadFile(address); err == nil && len(text) > 0 {
			return server, strings.TrimSpace(string(text)), nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return server, "", fmt.Errorf("the mock server did not start")
}

// stopServer ends the server and gives its CPU seconds.
func stopServer(server *exec.Cmd) (float64, error) {
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	err := server.Wait()
	state := server.ProcessState
	return (state.UserTime() + state.SystemTime()).Seconds(), err
}

func run(program string, arguments ...string) error {
	command := exec.Command(program, arguments...)
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(arguments, " "), err, output)
	}
	return nil
}

// machineLoad is the load average of the last minute.
func machineLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
