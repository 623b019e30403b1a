package measure

import "testing"

func TestThresholdsComeFromTheRunsEnvironment(t *testing.T) {
	basis := DefaultBasis()
	basis.thresholds(map[string]string{
		"AIPERF_METRICS_OSL_MISMATCH_PCT_THRESHOLD": "20", "AGENTX_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD": "400", "AIPERF_METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD": "3",
		"AIPERF_METRICS_USAGE_PCT_DIFF_THRESHOLD": "many",
	})
	if basis.MismatchPct != 20 || basis.MismatchTokens != 400 || basis.UsagePct != 10 {
		t.Errorf("%g %%, %g tokens, %g %%; want 20, 400 (ours wins) and 10 (what is no number is not taken)", basis.MismatchPct, basis.MismatchTokens, basis.UsagePct)
	}
	// 949 of 1,000 tokens are off by 51: over min(5 %, 50), within min(20 %, 400).
	r := sample{chunks: []int64{10}, raw: 20, osl: 949, max: 1000, isl: 5, think: -1}.record()
	basis.Resolve(r)
	if off, ok := mismatch(r, &basis); !ok || off != 0 {
		t.Errorf("mismatch %v, %v", off, ok)
	}
	usual := DefaultBasis()
	if off, ok := mismatch(r, &usual); !ok || off != 1 {
		t.Errorf("mismatch by the usual thresholds %v, %v", off, ok)
	}
}
