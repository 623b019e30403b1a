package wire

import (
	"math/bits"
	"sync/atomic"
)

// delayBuckets are 8 to each doubling of ns, up to about 18 minutes.
const delayBuckets = 41 * 8

// Delays is a histogram of read delays: the Go stamp of a read minus the kernel's receive time, which is
// the client's own lateness. It may be added to and read by many goroutines.
type Delays struct {
	buckets [delayBuckets]atomic.Int64
	max     atomic.Int64
}

func (d *Delays) add(ns int64) {
	d.buckets[delayBucket(ns)].Add(1)
	for {
		known := d.max.Load()
		if ns <= known || d.max.CompareAndSwap(known, ns) {
			return
		}
	}
}

// delayBucket numbers the bucket of a delay: exact below 8 ns, then eighths of a doubling.
func delayBucket(ns int64) int {
	if ns < 8 {
		return int(max(ns, 0))
	}
	exponent := bits.Len64(uint64(ns)) - 4
	return min(exponent*8+int(ns>>exponent), delayBuckets-1)
}

// bucketTop is the largest delay that a bucket holds.
func bucketTop(bucket int) int64 {
	if bucket < 8 {
		return int64(bucket)
	}
	exponent := bucket/8 - 1
	return int64(bucket%8+8+1)<<exponent - 1
}

// DelaySummary is what a Delays saw.
type DelaySummary struct {
	Count               int64
	P50Ns, P99Ns, MaxNs int64 // quantiles are bucket tops, at most 12.5 % high
}

// Take summarises the delays since the last Take and forgets them.
func (d *Delays) Take() DelaySummary {
	var counts [delayBuckets]int64
	var summary DelaySummary
	for i := range counts {
		counts[i] = d.buckets[i].Swap(0)
		summary.Count += counts[i]
	}
	summary.MaxNs = d.max.Swap(0)
	quantile := func(share float64) int64 {
		rank := int64(share*float64(summary.Count-1)) + 1
		for i, n := range counts {
			if rank -= n; rank <= 0 && n > 0 {
				return min(bucketTop(i), max(summary.MaxNs, 0))
			}
		}
		return 0
	}
	summary.P50Ns, summary.P99Ns = quantile(0.5), quantile(0.99)
	return summary
}
