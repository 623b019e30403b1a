package report

import (
	"testing"

	"pgregory.net/rapid"
)

// A gap is written as any other number, whatever its size.
func TestGapsAreWrittenAsNumbersAre(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, ns int64) {
		want, err := encodeNumber(nil, float64(ns)/1e6)
		if got := appendMs(nil, ns); err != nil || string(got) != string(want) {
			t.Errorf("%d ns: %s, want %s and error %v", ns, got, want, err)
		}
	}
	for _, ns := range []int64{0, 1, -1, 10, 999_999, 1e6, -1e6, 1_000_001, 20_010_000, exactNs - 1, exactNs, -exactNs + 1, -exactNs, 1<<53 + 1, 1 << 62} {
		check(t, ns)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.Int64Range(-1<<62, 1<<62).Draw(t, "ns")>>rapid.IntRange(0, 62).Draw(t, "shift"))
	})
}
