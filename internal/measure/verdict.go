package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/scenario"
	"agentx/sched"
)

// Verdict says whether a run counts as a valid submission, from the log alone (spec scenario 4 to 6).
type Verdict struct {
	Scenario         string // empty: nothing is judged
	Valid            bool
	Reasons          []string // why not, in order
	Checks           []Check
	Coverage         []Coverage
	Cancelled        bool
	CancelReason     string
	Complete         bool
	IncompleteReason string
	Returned         int  // requests of the profiling phase that came back
	NothingSucceeded bool // and none of them was answered: exit code 1 (decision 20)
	Notes            []Note
}

// Check is one computation behind the verdict.
type Check struct {
	Name   string
	Reason string // given when it fails
	Value  string
	Limit  string
	Result CheckResult
	Detail string
}

// CheckResult is the end of a check.
type CheckResult string

// The results.
const (
	CheckPass         CheckResult = "pass"
	CheckFail         CheckResult = "fail"
	CheckNotEvaluated CheckResult = "not_evaluated"
)

// The reasons that come from the run itself; those from the scenario's locks are in package scenario.
const (
	ReasonOverflowRate     = "context_overflow_rate_exceeded"
	ReasonRunCancelled     = "run_cancelled"
	ReasonCoverage         = "insufficient_profile_metric_coverage"
	ReasonCoverageUnknown  = "profile_metric_coverage_validation_failed"
	reasonUnsafeOverride   = "unsafe_override"
	reasonScenarioSweep    = "scenario_with_sweep"
	cancelledBeforeRecords = "Run cancelled before all records were processed."
)

// OnlyOverride reports whether the run is invalid for no other reason than that the user overrode the
// locks, which is no failure (decision 20).
func (v *Verdict) OnlyOverride() bool {
	return !v.Valid && len(v.Reasons) == 1 && v.Reasons[0] == reasonUnsafeOverride
}

// Line is the verdict in one line.
func (v *Verdict) Line() string {
	var line string
	if v.NothingSucceeded {
		line = fmt.Sprintf("NOTHING SUCCEEDED: none of %d requests was answered; ", v.Returned)
	}
	switch {
	case v.Scenario == "":
		line += "no scenario, nothing judged"
	case v.Valid:
		line += "valid submission for " + v.Scenario
	default:
		line += "INVALID submission for " + v.Scenario + ": " + strings.Join(v.explained(), ", ")
	}
	if v.Complete {
		line += "; complete"
	} else {
		line += "; incomplete: " + strings.TrimSuffix(v.Incomplete(), ".")
	}
	if n := len(v.Notes); n > 0 {
		line += fmt.Sprintf("; %d comparability note", n)
		if n > 1 {
			line += "s"
		}
	}
	return line
}

// Incomplete says why the run is not whole, with what cancelled it where the log says so; the files keep the
// peer's sentence. Empty of a complete run.
func (v *Verdict) Incomplete() string {
	if v.IncompleteReason != cancelledBeforeRecords || v.CancelReason == "" {
		return v.IncompleteReason
	}
	return strings.TrimSuffix(cancelledBeforeRecords, ".") + ": " + cancelWords(v.CancelReason) + "."
}

// cancelWords says in words what ended a run; a reason that has none is given as it is.
func cancelWords(reason string) string {
	switch reason {
	case string(sched.ReasonUser):
		return "stopped by the user or a signal"
	case string(sched.ReasonThreshold):
		return "more requests failed than --failed-request-threshold allows"
	case string(sched.ReasonFailFast):
		return "a subagent failed under --dag-fail-fast"
	case string(sched.ReasonWarmupFailure):
		return "the warmup failed"
	case string(sched.ReasonDrainTimeout):
		return "the cache warmup did not drain within its grace"
	case string(sched.ReasonLogFailure):
		return "the log could not be written"
	}
	return strings.ReplaceAll(reason, "_", " ")
}

// explained are the reasons with the figures of the checks that gave them.
func (v *Verdict) explained() []string {
	list := make([]string, 0, len(v.Reasons))
	for _, reason := range v.Reasons {
		if reason == reasonUnsafeOverride {
			broken, word := v.failed(reason), "locks"
			if broken == 1 {
				word = "lock"
			}
			list = append(list, fmt.Sprintf("%s (%d %s broken)", reason, broken, word))
			continue
		}
		at := slices.IndexFunc(v.Checks, func(c Check) bool { return c.Reason == reason && c.Result == CheckFail })
		if at >= 0 && v.Checks[at].Value != "" && v.Checks[at].Limit != "" {
			reason += " (" + v.Checks[at].Value + ", limit " + v.Checks[at].Limit + ")"
		}
		list = append(list, reason)
	}
	return list
}

// failed counts the checks that gave a reason.
func (v *Verdict) failed(reason string) int {
	count := 0
	for _, c := range v.Checks {
		if c.Reason == reason && c.Result == CheckFail {
			count++
		}
	}
	return count
}

// judge comes to the verdict on a run.
func judge(r *Run) Verdict {
	v := Verdict{Scenario: r.Config.Scenario}
	v.Cancelled, v.CancelReason = r.cancelled()
	v.Complete, v.IncompleteReason = r.complete(v.Cancelled)
	v.Returned, v.NothingSucceeded = r.nothingSucceeded()
	v.Notes = r.notes()
	if v.Scenario == "" {
		return v
	}
	v.Valid = true
	r.judgeLocks(&v)
	r.judgeOverflows(&v)
	v.check(Check{Name: "not_cancelled", Reason: ReasonRunCancelled, Value: yesNo(v.Cancelled), Limit: "no", Result: passIf(!v.Cancelled), Detail: v.CancelReason})
	r.judgeCoverage(&v)
	return v
}

// nothingSucceeded reports whether requests of the profiling phase came back and none was answered. An
// answer without visible output is one.
func (r *Run) nothingSucceeded() (returned int, nothing bool) {
	answered := 0
	for _, record := range r.Records {
		switch {
		case record.Phase != PhaseProfiling || record.Exchange < 0 || record.Outcome == OutcomeUnfinished:
			continue
		case record.Outcome == OutcomeOK || record.Outcome == OutcomeNoVisibleOutput:
			answered++
		}
		returned++
	}
	return returned, returned > 0 && answered == 0
}

// check adds a check, and its reason where it failed.
func (v *Verdict) check(c Check) {
	v.Checks = append(v.Checks, c)
	if c.Result == CheckFail {
		v.Valid = false
		v.add(c.Reason)
	}
}

// add appends a reason once.
func (v *Verdict) add(reason string) {
	if !slices.Contains(v.Reasons, reason) {
		v.Reasons = append(v.Reasons, reason)
	}
}

func passIf(holds bool) CheckResult {
	if holds {
		return CheckPass
	}
	return CheckFail
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// judgeLocks applies the scenario's rules to the settings as the log has them.
func (r *Run) judgeLocks(v *Verdict) {
	outcome, err := scenario.Judge(scenario.Input{
		Name: r.Config.Scenario, Override: r.Settings.Bool("unsafe-override"), Settings: r.Settings, Explicit: r.Config.Explicit,
		Content: scenario.ContentOf(r.Config.Bundle.Manifest), Sweep: len(r.Settings.List("concurrency")) > 1 || r.Settings.Bool("sweep"),
		Trials: r.Config.Trials,
	})
	if err != nil {
		v.check(Check{Name: "locks", Reason: reasonUnsafeOverride, Result: CheckFail, Detail: err.Error()})
		return
	}
	for _, tag := range outcome.Applied {
		v.check(Check{Name: "lock:" + tag, Reason: reasonUnsafeOverride, Result: CheckPass})
	}
	for _, broken := range outcome.Violations {
		v.check(Check{Name: "lock:" + broken.Rule, Reason: reasonUnsafeOverride, Value: broken.Got, Limit: broken.Required, Result: CheckFail, Detail: broken.String()})
	}
	v.check(Check{Name: "single_run", Reason: reasonScenarioSweep, Value: yesNo(outcome.Sweep), Limit: "no", Result: passIf(!outcome.Sweep), Detail: "several values of one flag"})
}

// OverflowRate is overflows over everything that was answered (spec scheduling 12.3); 0 of 0 is 0.
func OverflowRate(overflows, valid, errors, skipped int) float64 {
	total := valid + errors + skipped
	if total == 0 {
		return 0
	}
	return float64(overflows) / float64(total)
}

func (r *Run) judgeOverflows(v *Verdict) {
	t := total(r.profilingRecords(), &r.Basis, NoWindow())
	check := Check{Name: "context_overflow_rate", Reason: ReasonOverflowRate, Result: CheckNotEvaluated,
		Limit: share(r.OverflowLimit()), Detail: fmt.Sprintf("%d overflows of %d answered requests", t.Overflows, t.Valid+t.Errors+t.Skipped)}
	if t.Valid+t.Errors+t.Skipped > 0 {
		rate := OverflowRate(t.Overflows, t.Valid, t.Errors, t.Skipped)
		check.Value, check.Result = share(rate), passIf(rate <= r.OverflowLimit())
	}
	v.check(check)
}

func share(ratio float64) string {
	return strconv.FormatFloat(100*ratio, 'f', 2, 64) + "%"
}

// cancelled reports whether the run was ended before it was over, and by what. A signal that came when
// profiling was already complete cancels nothing.
func (r *Run) cancelled() (bool, string) {
	profiling := r.Phases[PhaseProfiling]
	if profiling != nil && profiling.Complete.Known() {
		if !profiling.WasCancelled {
			return false, ""
		}
		return true, r.endReason()
	}
	if r.Interrupted() {
		if r.Options.Live {
			return true, "the run is going on"
		}
		return true, "interrupted: the log ends without its closing event"
	}
	return true, r.endReason()
}

// endReason is the most telling word for why the run ended.
func (r *Run) endReason() string {
	switch {
	case r.Reason != "" && r.Reason != "done":
		return r.Reason
	case r.End != nil && r.End.Reason != "":
		return r.End.Reason
	default:
		return "unknown"
	}
}

func (r *Run) complete(cancelled bool) (bool, string) {
	if r.Interrupted() {
		seconds := float64(r.LastNs) / nsPerSec
		if r.Options.Live {
			return false, fmt.Sprintf("The run is going on: everything up to %.1f s is here.", seconds)
		}
		return false, fmt.Sprintf("The log ends without its closing event: the run was interrupted (its process was killed or died), and everything up to %.1f s is here.", seconds)
	}
	if cancelled {
		return false, cancelledBeforeRecords
	}
	open := 0
	for _, record := range r.Records {
		if record.Outcome == OutcomeUnfinished {
			open++
		}
	}
	if open > 0 {
		return false, fmt.Sprintf("%d requests have no end in the log.", open)
	}
	return true, ""
}
