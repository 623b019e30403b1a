package measure_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"agentx/eventlog"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

const benchChunks = 200

// benchExchanges is the size of the benchmark's log; AGENTX_BENCH_EXCHANGES changes it.
func benchExchanges() int {
	if n, err := strconv.Atoi(os.Getenv("AGENTX_BENCH_EXCHANGES")); err == nil {
		return n
	}
	return 100_000
}

// benchLog writes a log of exchanges with 200 chunks each. AGENTX_BENCH_LOG names a file where it is kept, so that programs can be measured on it too.
func benchLog(b *testing.B, exchanges int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "run.db")
	if kept := os.Getenv("AGENTX_BENCH_LOG"); kept != "" {
		if _, err := os.Stat(kept); err == nil {
			return kept
		}
		path = kept
	}
	if err := logtest.WriteLarge(path, exchanges, benchChunks); err != nil {
		b.Fatal(err)
	}
	return path
}

// cpuSeconds is what the process has used so far: on a shared machine it tells more than the clock.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkAnalyze reads a log of 100,000 exchanges, a million events and 20 million chunks: once for
// a summary without chunk-level metrics, once with everything.
func BenchmarkAnalyze(b *testing.B) {
	path := benchLog(b, benchExchanges())
	for name, options := range map[string]measure.Options{
		"summary":    {NoChunks: true, NoCurves: true},
		"everything": {},
	} {
		b.Run(name, func(b *testing.B) {
			before := cpuSeconds()
			for range b.N {
				reader, err := eventlog.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				a, err := measure.Analyze(reader, options)
				if err != nil {
					b.Fatal(err)
				}
				if err := reader.Close(); err != nil {
					b.Fatal(err)
				}
				var memory runtime.MemStats
				runtime.ReadMemStats(&memory)
				b.ReportMetric(float64(memory.Sys)/1e6, "MB-sys")
				b.ReportMetric(float64(a.Events), "rows")
			}
			b.ReportMetric((cpuSeconds()-before)/float64(b.N), "cpu-s/op")
		})
	}
}
