package wire

import "testing"

func TestDelayBucketsCoverAllDelays(t *testing.T) {
	last := -1
	for _, ns := range []int64{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 1000, 1001, 123456789, 1 << 40, 1 << 62} {
		bucket := delayBucket(ns)
		if bucket < last || bucket >= delayBuckets {
			t.Errorf("%d ns is in bucket %d, after %d", ns, bucket, last)
		}
		last = bucket
		if top := bucketTop(bucket); ns < 1<<40 && (top < ns || float64(top) > float64(ns)*1.125+1) {
			t.Errorf("%d ns is in a bucket up to %d", ns, top)
		}
	}
}

func TestDelaySummaryIsTakenOnce(t *testing.T) {
	var delays Delays
	for i := range int64(1000) {
		delays.add(i * 1000)
	}
	summary := delays.Take()
	if summary.Count != 1000 || summary.MaxNs != 999000 || summary.P50Ns < 499000 || summary.P50Ns > 562000 || summary.P99Ns < 989000 {
		t.Errorf("%+v", summary)
	}
	if again := delays.Take(); again != (DelaySummary{}) {
		t.Errorf("taken twice: %+v", again)
	}
}
