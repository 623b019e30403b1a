package run

import (
	"fmt"
	"os"
	"strings"
	"time"

	"agentx/sched"
)

// longRamp is a warmup that a user should be told about before it begins.
const longRamp = time.Minute

// observe takes every decision: it counts for the progress line, and says what a user must know.
func (s *session) observe(now int64, event *sched.Event) {
	s.status.observe(now, event)
	switch payload := event.Payload.(type) {
	case *sched.PhaseStart:
		s.phaseBegins(payload)
		s.ahead.phaseBegins(payload)
		if payload.Phase == sched.PhaseProfiling {
			s.profiler.begin(s.inputs)
		}
	case *sched.WarmupFailure:
		why := s.failures.of(event.Exchange).explain()
		s.servers.warn("warmup_failure", map[string]any{"trace": payload.Trace}, "warmup request of trace %s failed, aborting run early: %s", payload.Trace, why)
		if s.options.Quiet { // it is what the run fails of
			fmt.Fprintf(os.Stderr, "agentx-run: warmup request of trace %s failed: %s\n", payload.Trace, s.options.mask(why))
		}
	case *sched.TraceSkipped:
		s.servers.warn("trace_skipped", map[string]any{"trace": payload.Trace}, "trace %s is skipped: %s", payload.Trace, payload.Why)
	case *sched.CancelInFlight:
		s.progress.Say("cancelling %s in flight: %s", counted(int64(payload.Count), "request"), s.whyCancelled(payload.Why))
	}
}

// whyCancelled says what ends requests that are under way.
func (s *session) whyCancelled(why sched.Reason) string {
	switch why {
	case sched.ReasonUser:
		return "stopped by the user (a second signal waits for nothing)"
	case sched.ReasonThreshold:
		return fmt.Sprintf("more than %g %% of the requests failed (--failed-request-threshold %g): the run is given up",
			100*s.options.Load.FailedThreshold, s.options.Load.FailedThreshold)
	case sched.ReasonFailFast:
		return "a subagent failed (--dag-fail-fast run): the run is given up"
	case sched.ReasonGrace:
		return "the grace period is over"
	case sched.ReasonDrainTimeout:
		return "the requests of the cache warmup did not come back within its grace period (--agentic-warmup-grace-period): the run fails"
	case sched.ReasonWarmupFailure:
		return "the warmup failed"
	}
	return string(why)
}

// phaseLine says what a phase will do.
func phaseLine(config *sched.Config, start *sched.PhaseStart) string {
	until := "until the last session ends"
	switch {
	case start.Phase == sched.PhaseWarmup && start.Target == nil && config.CacheWarmupNs != nil:
		until = "first requests, then cache warmup for " + time.Duration(*config.CacheWarmupNs).String()
	case start.Phase == sched.PhaseWarmup && start.Target == nil:
		until = fmt.Sprintf("first requests, then cache warmup by %s a lane", counted(int64(config.WarmupRequestsPerLane), "request"))
	case start.Target != nil:
		until = counted(*start.Target, "request")
	case start.DurationNs != nil:
		until = time.Duration(*start.DurationNs).String()
	}
	return fmt.Sprintf("%s starts: %s, %s", start.Phase, counted(int64(start.Lanes), "lane"), until)
}

// phaseBegins says what a phase will do, what makes a warmup ramp long, and which lanes begin late.
func (s *session) phaseBegins(start *sched.PhaseStart) {
	s.progress.Say("%s", phaseLine(&s.config, start))
	if ramp := time.Duration(start.RampNs); start.Phase == sched.PhaseWarmup && ramp >= longRamp {
		s.servers.warn("long_warmup_ramp", map[string]any{"ramp_ns": start.RampNs},
			"the warmup sends its requests over %s, because each stands as far before the start as it was recorded; "+
				"--system-idle-gap-cap-seconds 10 shortens this to 10 s, --burst-phase-starts sends all at once", ramp.Round(time.Second))
	}
	if len(start.Late) > 0 {
		s.servers.warn("late_lanes", map[string]any{"lanes": start.Late}, "%s", lateLanes(start))
	}
}

// lateLanes names the lanes that begin late after a cache warmup (scheduling 4.6).
func lateLanes(start *sched.PhaseStart) string {
	return fmt.Sprintf("the cache warmup left %s of %d with nothing to send for more than a tenth of the duration (%s); "+
		"--trace-idle-gap-cap-seconds bounds the wait", counted(int64(len(start.Late)), "lane"), start.Lanes, laneList(start.Late))
}

// laneList names lanes, at most ten of them.
func laneList(lanes []sched.LaneID) string {
	const most = 10
	var names []string
	for _, lane := range lanes[:min(most, len(lanes))] {
		names = append(names, fmt.Sprint(lane))
	}
	if len(lanes) > most {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
