package prep

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agentx/internal/synth/filler"
)

// cpuSeconds is the processor time of this process so far.
func cpuSeconds(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}

// BenchmarkBuild builds the traces that AGENTX_TRACES names, or else the sample: cold, and warm from
// the cache. It reports processor seconds, the bundle's bytes and input tokens per processor second.
func BenchmarkBuild(b *testing.B) {
	folder := os.Getenv("AGENTX_TRACES")
	if folder == "" {
		folder = writeTraces(b, sampleTraces())
	}
	options := sampleOptions(b, folder)
	options.Tokenizer, options.fillerLengths = "", filler.Lengths()
	b.Run("cold", func(b *testing.B) {
		cold := options
		cold.NoCache, cold.Output = true, filepath.Join(b.TempDir(), "x.agentx")
		measure(b, cold)
	})
	mustBuild(b, options)
	b.Run("warm", func(b *testing.B) { measure(b, options) })
}

func measure(b *testing.B, options Options) {
	before := cpuSeconds(b)
	var last *Result
	for b.Loop() {
		last = mustBuild(b, options)
	}
	cpu := (cpuSeconds(b) - before) / float64(b.N)
	b.ReportMetric(cpu, "cpu-s/op")
	b.ReportMetric(float64(last.Size), "bundle-bytes")
	b.ReportMetric(float64(last.Manifest.Totals.In)/cpu, "input-tokens/cpu-s")
}
