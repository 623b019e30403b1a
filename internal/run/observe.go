package run

import (
	"fmt"
	"os"
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
		s.progress.Say("cancelling %d requests in flight: %s", payload.Count, payload.Why)
	}
}

// phaseLine says what a phase will do.
func phaseLine(start *sched.PhaseStart) string {
	until := "until the last session ends"
	switch {
	case start.Phase == sched.PhaseWarmup && start.Target == nil:
		until = "until every lane has had its requests"
	case start.Target != nil:
		until = grouped(*start.Target) + " requests"
		if *start.Target == 1 {
			until = "1 request"
		}
	case start.DurationNs != nil:
		until = time.Duration(*start.DurationNs).String()
	}
	lanes := "lanes"
	if start.Lanes == 1 {
		lanes = "lane"
	}
	return fmt.Sprintf("%s starts: %d %s, %s", start.Phase, start.Lanes, lanes, until)
}

// phaseBegins says what a phase will do and, for a long warmup ramp, what makes it long.
func (s *session) phaseBegins(start *sched.PhaseStart) {
	s.progress.Say("%s", phaseLine(start))
	ramp := time.Duration(start.RampNs)
	if start.Phase != sched.PhaseWarmup || ramp < longRamp {
		return
	}
	s.servers.warn("long_warmup_ramp", map[string]any{"ramp_ns": start.RampNs},
		"the warmup sends its requests over %s, because each stands as far before the start as it was recorded; "+
			"--system-idle-gap-cap-seconds 10 shortens this to 10 s, --burst-phase-starts sends all at once", ramp.Round(time.Second))
}
