// Command benchprep measures agentx-prep build on 100 and on 640 recorded traces, cold and warm, and
// prints wall time, CPU, memory, bundle size and input tokens per CPU second beside what the peer needs
// for work of the same kind. It judges nothing: machines differ and are shared.
//
// The traces are not part of this repository. They are looked for unpacked in -traces, or packed in the
// folder that AGENTX_SHARED names (../shared by default); without either it says so and measures nothing.
//
// Usage: go run ./internal/benchprep [-bin DIR] [-traces DIR] [-counts 100,640] [-warm N]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"agentx/internal/benchhost"
)

// peer are the figures of AIPerf 0.13.0 on a machine of two processors: 100 of the same kind of traces
// (quiet and busy machine), and 710 in seven parts, which is why it has no wall time and memory of its own.
const peer = `AIPerf 0.13.0     traces   wall s        CPU s   peak MiB      written   M in-tokens  M in-tokens/CPU s
cold                 100  47–200        55–67  1527–1859      3.35 GB           886  13.2–16.1
warm                 100  2.6–3.3     2.4–2.6          –            –           886
cold, 7 parts        710     631          394  up to 1860 a part 22.8 GB       6040  15.3`

func main() {
	bin := flag.String("bin", "bin", "folder of the programs")
	traces := flag.String("traces", filepath.Join(os.TempDir(), "traces"), "folder of the traces; they are unpacked here if it does not exist")
	counts := flag.String("counts", "100,640", "how many traces to build from, by name; comma list")
	warm := flag.Int("warm", 3, "warm builds; the quickest is shown")
	flag.Parse()
	if err := run(*bin, *traces, *counts, *warm); err != nil {
		fmt.Fprintf(os.Stderr, "benchprep: %v\n", err)
		os.Exit(1)
	}
}

func run(bin, traces, counts string, warm int) error {
	files, err := find(traces)
	if err != nil || files == nil {
		return err
	}
	fmt.Printf("machine: %d CPUs, %s/%s, load %s; %d traces in %s\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, benchhost.Load(), len(files), traces)
	fmt.Printf("%-17s %6s %8s %12s %10s %12s %13s %18s %6s\n", "agentx-prep", "traces", "wall s", "CPU s", "peak MiB", "bundle", "M in-tokens", "M in-tokens/CPU s", "load")
	for _, text := range strings.Split(counts, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("-counts %q: expected numbers of traces", counts)
		}
		if n > len(files) {
			fmt.Printf("%d traces: there are only %d\n", n, len(files))
			continue
		}
		if err := measure(bin, files[:n], warm); err != nil {
			return err
		}
	}
	fmt.Println(peer)
	return nil
}

// measure builds cold once and warm several times, in a cache of its own.
func measure(bin string, files []string, warm int) error {
	folder, err := os.MkdirTemp("", "agentx-benchprep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	corpus := filepath.Join(folder, "corpus")
	if err := os.Mkdir(corpus, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.Symlink(file, filepath.Join(corpus, filepath.Base(file))); err != nil {
			return err
		}
	}
	output := filepath.Join(folder, "bench.agentx")
	program := filepath.Join(bin, "agentx-prep")
	build := []string{"build", "--quiet", "--input-file", corpus, "--cache-dir", filepath.Join(folder, "cache"), "--output", output}
	cold, err := timed(program, build...)
	if err != nil {
		return err
	}
	size, tokens, err := look(program, output)
	if err != nil {
		return err
	}
	cold.print("cold", len(files), size, tokens)
	var best *cost
	for range warm {
		again, err := timed(program, build...)
		if err != nil {
			return err
		}
		if best == nil || again.wall < best.wall {
			best = again
		}
	}
	if best != nil {
		best.print("warm", len(files), size, tokens)
	}
	return nil
}

// cost is what one process took.
type cost struct {
	wall, cpu time.Duration
	peak      int64  // bytes; 0 where the system does not tell
	load      string // of the machine, after it
}

func (c *cost) print(name string, traces int, size int64, tokens float64) {
	perSecond := fmt.Sprintf("%.1f", tokens/1e6/c.cpu.Seconds())
	if name == "warm" {
		perSecond = "–" // nothing is built
	}
	fmt.Printf("%-17s %6d %8.2f %12.2f %10.0f %9.2f MB %13.0f %18s %6s\n", name, traces, c.wall.Seconds(), c.cpu.Seconds(), float64(c.peak)/(1<<20), float64(size)/1e6, tokens/1e6, perSecond, c.load)
}

// timed runs a program to its end.
func timed(program string, arguments ...string) (*cost, error) {
	command := exec.Command(program, arguments...)
	began := time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(arguments, " "), err, output)
	}
	state := command.ProcessState
	return &cost{wall: time.Since(began), cpu: state.UserTime() + state.SystemTime(), peak: benchhost.PeakMemory(state), load: benchhost.Load()}, nil
}

// look reads size and input tokens of a bundle.
func look(program, path string) (size int64, tokens float64, err error) {
	output, err := exec.Command(program, "inspect", "--json", path).Output()
	if err != nil {
		return 0, 0, fmt.Errorf("inspecting the bundle: %w", err)
	}
	var found struct {
		Bytes    int64 `json:"bytes"`
		Manifest struct {
			Totals struct {
				In float64 `json:"in_tokens"`
			} `json:"totals"`
		} `json:"manifest"`
	}
	err = json.Unmarshal(output, &found)
	return found.Bytes, found.Manifest.Totals.In, err
}
