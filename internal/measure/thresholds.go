package measure

import (
	"math"
	"strconv"

	"agentx/internal/scenario"
)

// Threshold is a limit of the analysis that the environment of the run sets. It is read from the log, so that every
// analysis of a run has the same.
type Threshold struct {
	Names   [2]string // ours, the peer's
	Default float64
	Most    float64 // it is 0 to this
}

// Thresholds lists them.
func Thresholds() []Threshold {
	return []Threshold{overflowThreshold(), mismatchPctThreshold(), mismatchTokensThreshold(), usageThreshold()}
}

func overflowThreshold() Threshold {
	return Threshold{[2]string{"AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT", "AIPERF_AGENTX_CONTEXT_OVERFLOW_RATE_LIMIT"}, scenario.OverflowLimit, 1}
}

func mismatchPctThreshold() Threshold {
	return threshold("METRICS_OSL_MISMATCH_PCT_THRESHOLD", 5)
}

func mismatchTokensThreshold() Threshold {
	return threshold("METRICS_OSL_MISMATCH_MAX_TOKEN_THRESHOLD", 50)
}

func usageThreshold() Threshold {
	return threshold("METRICS_USAGE_PCT_DIFF_THRESHOLD", 10)
}

func threshold(name string, usual float64) Threshold {
	return Threshold{[2]string{"AGENTX_" + name, "AIPERF_" + name}, usual, math.MaxFloat64}
}

// Read is a threshold's value for a text; false where it is none.
func (t *Threshold) Read(text string) (float64, bool) {
	limit, err := strconv.ParseFloat(text, 64)
	return limit, err == nil && limit >= 0 && limit <= t.Most
}

func (t Threshold) of(environment map[string]string) float64 {
	for _, name := range t.Names {
		if limit, ok := t.Read(environment[name]); ok {
			return limit
		}
	}
	return t.Default
}

// OverflowLimit is the greatest share of overflows of a valid run.
func (r *Run) OverflowLimit() float64 { return overflowThreshold().of(r.Config.Env) }

// thresholds are those of the basis.
func (b *Basis) thresholds(environment map[string]string) {
	b.MismatchPct, b.MismatchTokens = mismatchPctThreshold().of(environment), mismatchTokensThreshold().of(environment)
	b.UsagePct = usageThreshold().of(environment)
}
