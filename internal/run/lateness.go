package run

import (
	"sync"

	"agentx/wire"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// lateness collects how late requests went out between two samples of the client's load.
type lateness struct {
	mutex sync.Mutex
	sends *hdrhistogram.Histogram // ns: first byte written minus max(due, ready), without the slot wait
}

const (
	histogramMaxNs  = int64(3_600_000_000_000) // an hour
	histogramDigits = 3
)

func newLateness() *lateness {
	return &lateness{sends: hdrhistogram.New(1, histogramMaxNs, histogramDigits)}
}

// add takes the lateness of one exchange (spec scheduling 11.6). What is above an hour counts as an hour,
// which is late enough to see.
func (l *lateness) add(x *exchange, result *wire.Result) {
	if result.SendStartNs == wire.Unset {
		return
	}
	late := result.SendStartNs - max(x.dispatch.DueNs, x.dispatch.ReadyNs) - x.dispatch.SlotWaitNs
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_ = l.sends.RecordValue(min(max(late, 0), histogramMaxNs)) // in range
}

// latenessSummary is p50, p99 and the greatest lateness, in ns, of so many sends.
type latenessSummary struct {
	count         int64
	p50, p99, max int64
}

// take gives the summary since the last call and starts anew.
func (l *lateness) take() latenessSummary {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	summary := latenessSummary{
		count: l.sends.TotalCount(),
		p50:   l.sends.ValueAtQuantile(50), p99: l.sends.ValueAtQuantile(99), max: l.sends.Max(),
	}
	l.sends.Reset()
	return summary
}
