package run

import (
	"sync"

	"agentx/wire"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// lateness collects how late requests went out and how late their answers were read, between two
// samples of the client's load.
type lateness struct {
	mutex sync.Mutex
	sends *hdrhistogram.Histogram // ns: first byte written minus max(due, ready), without the slot wait
	reads *hdrhistogram.Histogram // ns: Go stamp minus kernel stamp, the greatest of each exchange
}

const (
	histogramMaxNs  = int64(3_600_000_000_000) // an hour
	histogramDigits = 3
)

func newLateness() *lateness {
	return &lateness{
		sends: hdrhistogram.New(1, histogramMaxNs, histogramDigits),
		reads: hdrhistogram.New(1, histogramMaxNs, histogramDigits),
	}
}

// add takes the lateness of one exchange (spec scheduling 11.6).
func (l *lateness) add(x *exchange, result *wire.Result) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if result.SendStartNs != wire.Unset {
		late := result.SendStartNs - max(x.dispatch.DueNs, x.dispatch.ReadyNs) - x.dispatch.SlotWaitNs
		record(l.sends, late)
	}
	if result.KernelStamps > 0 {
		record(l.reads, result.ReadDelayMaxNs)
	}
}

// record adds a value; what is above an hour is counted as an hour, which is late enough to see.
func record(histogram *hdrhistogram.Histogram, valueNs int64) {
	_ = histogram.RecordValue(min(max(valueNs, 0), histogramMaxNs))
}

// latenessSummary is p50, p99 and the greatest value of sends and reads, in ns.
type latenessSummary struct {
	sendP50, sendP99, sendMax int64
	readP50, readP99, readMax int64
}

// take gives the summary since the last call and starts anew.
func (l *lateness) take() latenessSummary {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	summary := latenessSummary{
		sendP50: l.sends.ValueAtQuantile(50), sendP99: l.sends.ValueAtQuantile(99), sendMax: l.sends.Max(),
		readP50: l.reads.ValueAtQuantile(50), readP99: l.reads.ValueAtQuantile(99), readMax: l.reads.Max(),
	}
	l.sends.Reset()
	l.reads.Reset()
	return summary
}
