package run

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"agentx/eventlog"
)

// loadMeter measures the client itself: what it used since the last reading. A run whose client could
// not keep pace says so in its result (docs/guide.md), so these are taken all through the run.
type loadMeter struct {
	cores    float64
	lastNs   int64
	lastCPU  time.Duration
	machine  machineTimes
	gcPause  time.Duration
	schedule []uint64 // counts of the scheduler latency histogram at the last reading
	samples  []metrics.Sample
}

const (
	metricSchedule = "/sched/latencies:seconds"
	metricHeap     = "/memory/classes/heap/objects:bytes"
)

func newLoadMeter(nowNs int64) *loadMeter {
	m := &loadMeter{
		cores:   float64(runtime.NumCPU()),
		samples: []metrics.Sample{{Name: metricSchedule}, {Name: metricHeap}},
	}
	m.read(nowNs)
	return m
}

// read fills a sample with what was used since the call before.
func (m *loadMeter) read(nowNs int64) eventlog.ClientSample {
	var sample eventlog.ClientSample
	wall := float64(nowNs-m.lastNs) / 1e9
	cpu := processCPU()
	if wall > 0 {
		sample.CPUSeconds = (cpu - m.lastCPU).Seconds()
		sample.CPUShare = sample.CPUSeconds / wall / m.cores
	}
	times := readMachineTimes()
	sample.MachineShare = times.shareSince(m.machine)
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	sample.GCPauseNs = int64(gc.PauseTotal - m.gcPause)
	metrics.Read(m.samples)
	histogram := m.samples[0].Value.Float64Histogram()
	sample.SchedLatP99Ns = int64(quantileSince(histogram, m.schedule, 0.99) * 1e9)
	m.schedule = append(m.schedule[:0], histogram.Counts...)
	sample.HeapBytes = int64(m.samples[1].Value.Uint64())
	sample.RSSBytes = residentBytes()
	sample.Goroutines = runtime.NumGoroutine()
	m.lastNs, m.lastCPU, m.machine, m.gcPause = nowNs, cpu, times, gc.PauseTotal
	return sample
}

// quantileSince is the upper bound, in the histogram's unit, of the bucket that holds the q-quantile of
// what was counted since before; 0 when nothing was.
func quantileSince(histogram *metrics.Float64Histogram, before []uint64, q float64) float64 {
	total := uint64(0)
	since := make([]uint64, len(histogram.Counts))
	for i, count := range histogram.Counts {
		since[i] = count
		if i < len(before) {
			since[i] -= before[i]
		}
		total += since[i]
	}
	if total == 0 {
		return 0
	}
	rank := uint64(math.Ceil(q * float64(total)))
	seen := uint64(0)
	for i, count := range since {
		if seen += count; seen >= rank {
			if bound := histogram.Buckets[i+1]; !math.IsInf(bound, 1) {
				return bound
			}
			return histogram.Buckets[i]
		}
	}
	return 0
}
