package measure

import (
	"fmt"
	"strconv"

	"agentx/internal/scenario"
)

// Coverage says how near to the end of the configured duration a phase was still producing tokens
// (spec scenario 5).
type Coverage struct {
	Phase           Phase
	ExpectedSeconds float64
	Required        float64
	TTFT            float64 // by first tokens
	ITL             float64 // by ends of answers that have an inter-token latency
	Content         float64 // by the last content of any request, cancelled ones included
}

// Sufficient reports whether one of the three reaches the required share.
func (c *Coverage) Sufficient() bool { return max(c.TTFT, c.ITL, c.Content) >= c.Required }

// cover computes the coverage of a phase that began at start and was to last ns.
func cover(records []*Record, phase Phase, start Stamp, ns int64) Coverage {
	ttftAt, itlAt, contentAt := NoStamp, NoStamp, NoStamp
	for _, r := range records {
		if r.Phase != phase {
			continue
		}
		contentAt = max(contentAt, r.Times.Last)
		if !r.Valid() {
			continue
		}
		if _, ok := ttft(r); ok {
			ttftAt = max(ttftAt, r.Times.First)
		}
		if _, ok := itl(r); ok {
			itlAt = max(itlAt, r.AxisEnd())
		}
	}
	ratio := func(at Stamp) float64 {
		if !at.Known() {
			return 0
		}
		return min(max(float64(at-start)/float64(ns), 0), 1)
	}
	return Coverage{
		Phase: phase, ExpectedSeconds: float64(ns) / nsPerSec, Required: scenario.RequiredCoverage,
		TTFT: ratio(ttftAt), ITL: ratio(itlAt), Content: ratio(contentAt),
	}
}

// judgeCoverage is not evaluated for a cancelled run and for durations below the scenario's minimum;
// it fails closed where start or duration are not known.
func (r *Run) judgeCoverage(v *Verdict) {
	check := Check{Name: "profile_metric_coverage", Reason: ReasonCoverage, Limit: share(scenario.RequiredCoverage), Result: CheckNotEvaluated}
	if v.Cancelled {
		check.Detail = "the run was cancelled"
		v.check(check)
		return
	}
	p := r.Phases[PhaseProfiling]
	if p == nil || !p.Start.Known() || p.DurationNs <= 0 {
		check.Reason, check.Result, check.Detail = ReasonCoverageUnknown, CheckFail, "start or configured duration of the profiling phase is not known"
		v.check(check)
		return
	}
	if float64(p.DurationNs)/nsPerSec < scenario.MinimumSeconds {
		check.Detail = "the configured duration is below the scenario's minimum"
		v.check(check)
		return
	}
	c := cover(r.Records, PhaseProfiling, p.Start, p.DurationNs)
	v.Coverage = append(v.Coverage, c)
	check.Value, check.Result = share(max(c.TTFT, c.ITL, c.Content)), passIf(c.Sufficient())
	check.Detail = fmt.Sprintf("of %s s: first tokens %s, answers with inter-token latency %s, content %s",
		strconv.FormatFloat(c.ExpectedSeconds, 'f', -1, 64), share(c.TTFT), share(c.ITL), share(c.Content))
	if check.Result == CheckFail {
		check.Detail = "ProfileMetricCoverageError: " + check.Detail + "; " + p.endedBy()
	}
	v.check(check)
}

// endedBy says what ended the sending of a phase.
func (p *PhaseInfo) endedBy() string {
	why := p.StoppedBy
	if why == "" {
		return "sending was never closed"
	}
	if !p.SendingComplete.Known() {
		return "sending ended by " + why
	}
	return fmt.Sprintf("sending ended after %.1f s by %s", float64(p.SendingComplete-p.Start)/nsPerSec, why)
}
