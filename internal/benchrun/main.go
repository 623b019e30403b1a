// Command benchrun measures agentx-run against the built-in server on the same machine and prints figures
// side by side: how far the client's stamps are from what the server itself recorded, how late requests
// go out, what a request costs, and, where it is there, the same for a plain Go client in the same
// minutes. It judges nothing: machines differ and are shared, so the load is printed beside every row.
//
// Usage: go run ./internal/benchrun [-bin DIR] [-only PART,PART] [-match TEXT] [-seconds N] [-pairs N] [-shared DIR]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentx/internal/benchhost"
)

// part is one group of measurements.
type part struct {
	name string
	says string
	run  func(*suite) error
}

func parts() []part {
	return []part{
		{"truth", "first token: the client's stamp against the server's own, 1 to 128 lanes, 1 kB and 400 kB bodies, the plain client in the same minutes", (*suite).truth},
		{"split", "two events in one HTTP chunk, 100 ms apart: the first is stamped at its own arrival", (*suite).split},
		{"rates", "bare server: requests/s, CPU a request, MB/s sent at 1 kB, 40 kB, 400 kB and 4 MB bodies", (*suite).rates},
		{"pairs", "64 lanes, 265 kB bodies, 50 ms server: rate and CPU over the plain client's, medians of pairs", (*suite).compare},
		{"live", "64 lanes over the recorded traces, pauses of a tree cut to 2 s: lateness (to reach: p99 2 ms), shares of the machine; the server shares the cores", (*suite).live},
		{"memory", "256 lanes over the recorded traces: peak memory", (*suite).memory},
		{"streams", "2,700 streams at 5 tokens/s each: errors, lateness, peak memory", (*suite).streams},
		{"hostile", "lateness of the other lanes while every second request meets a misbehaviour", (*suite).hostile},
	}
}

// suite is what the measurements share.
type suite struct {
	bin     string // folder of the three programs
	shared  string // folder with bench/ and traces/, or one that is not there
	seconds int    // length of each run; 0 is the part's own
	pairs   int
	match   string
	work    string // temporary
	probe   string // the plain client, empty where it is not there
	mock    string // its server
}

func main() {
	s := &suite{shared: os.Getenv("AGENTX_SHARED")}
	if s.shared == "" {
		s.shared = filepath.Join("..", "shared")
	}
	only := flag.String("only", "", "parts to run, by comma; default all")
	flag.StringVar(&s.bin, "bin", "bin", "folder of the three programs")
	flag.StringVar(&s.shared, "shared", s.shared, "folder with bench/probe, bench/mock and traces")
	flag.StringVar(&s.match, "match", "", "run only the loads whose name contains this")
	flag.IntVar(&s.seconds, "seconds", 0, "length of each run; default the part's own")
	flag.IntVar(&s.pairs, "pairs", 5, "pairs of the part pairs")
	flag.Parse()
	if err := s.all(strings.FieldsFunc(*only, func(r rune) bool { return r == ',' || r == '|' })); err != nil {
		fmt.Fprintln(os.Stderr, "benchrun:", err)
		os.Exit(1)
	}
}

func (s *suite) all(wanted []string) error {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return fmt.Errorf("-only %s: expected %s", name, strings.Join(names, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "agentx-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s.work = dir
	if err := s.buildPlain(); err != nil {
		return err
	}
	fmt.Printf("machine: %d CPUs, %s/%s, load %s; the server shares them with the client\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, benchhost.Load())
	for _, p := range parts() {
		if len(wanted) > 0 && !slices.Contains(wanted, p.name) {
			continue
		}
		fmt.Printf("\n%s: %s\n", p.name, p.says)
		if err := p.run(s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// length is how long a run takes, in seconds.
func (s *suite) length(own int) int {
	if s.seconds > 0 {
		return s.seconds
	}
	return own
}

// wants tells whether the user picked this load.
func (s *suite) wants(name string) bool { return strings.Contains(name, s.match) }
