package run

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"agentx/eventlog"
	"agentx/sched"
)

// status counts what the user wants to see while a run goes on. The loop tells it of decisions, the
// finisher of results; the progress lines read it.
type status struct {
	config *sched.Config
	mutex  sync.Mutex
	trees  int64 // alive
	phaseStatus
}

// phaseStatus is what begins anew with each phase.
type phaseStatus struct {
	phase   sched.Phase
	startNs int64 // of the phase
	endNs   int64 // expected end of sending, 0 when unknown
	target  int64 // requests of the phase, -1 when unknown
	lanes   int64

	sent, returned, succeeded, errors, overflows int64
	promptTokens, outputTokens                   int64
	recycled                                     int64
	closing                                      bool
	remaining
}

// observe takes one decision of the machine.
func (s *status) observe(now int64, event *sched.Event) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch payload := event.Payload.(type) {
	case *sched.PhaseStart:
		s.phaseStatus = phaseStatus{phase: payload.Phase, startNs: now, target: -1, lanes: int64(payload.Lanes)}
		if payload.Target != nil {
			s.target = *payload.Target
		}
		if payload.DurationNs != nil {
			s.endNs = now + *payload.DurationNs
		}
		s.rampEndNs = now + payload.RampNs
	case *sched.Dispatch:
		s.sent++
		s.sends(now, event, payload)
	case *sched.TreeOpen:
		s.trees++
		if payload.Kind == sched.TreeRecycled {
			s.recycled++
		}
	case *sched.TreeDrained:
		s.trees--
	case *sched.SendingComplete:
		s.closing, s.graceNs = true, s.grace(now, payload.Phase)
	}
}

// result takes the end of one exchange. Ends are logged a little after the machine was told, so one of
// the phase before may come when its phase is over: it is not counted.
func (s *status) result(phase sched.Phase, id sched.ExchangeID, end *eventlog.ExchangeEnd) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if phase != s.phase {
		return
	}
	delete(s.flying, id)
	s.returned++
	switch end.Outcome {
	case eventlog.OutcomeOK:
		s.succeeded++
		s.promptTokens += end.PromptTokens
		s.outputTokens += answered(end)
	case eventlog.OutcomeOverflow:
		s.overflows++
	case eventlog.OutcomeError:
		s.errors++
	}
}

// answered is the count of output tokens that is known so far: the server's, else our own.
func answered(end *eventlog.ExchangeEnd) int64 {
	if end.Usage != nil && end.Usage.Completion != nil {
		return *end.Usage.Completion
	}
	var tokens int64
	if end.OutputTokensLocal != nil {
		tokens += *end.OutputTokensLocal
	}
	if end.ReasoningTokensLocal != nil {
		tokens += *end.ReasoningTokensLocal
	}
	return tokens
}

// nothingSucceeded is true when requests came back and none of the phase was answered well.
func (s *status) nothingSucceeded() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.returned > 0 && s.succeeded == 0
}

// inFlight is how many requests are under way.
func (s *status) inFlight() int64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sent - s.returned
}

// line is one line of progress, in the order that the peer's users know.
func (s *status) line(now int64) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.phase == sched.PhaseNone {
		return "preparing"
	}
	elapsed := time.Duration(now - s.startNs)
	returned := grouped(s.returned)
	if s.target >= 0 {
		returned += "/" + grouped(s.target)
	}
	parts := []string{
		fmt.Sprintf("Phase %s progress", s.phase),
		"returned=" + returned,
		"sent=" + grouped(s.sent),
		"in_flight=" + grouped(s.sent-s.returned),
		"errors=" + grouped(s.errors),
	}
	if s.overflows > 0 {
		parts = append(parts, "overflows="+grouped(s.overflows))
	}
	parts = append(parts, fmt.Sprintf("elapsed=%.1fs", elapsed.Seconds()))
	if seconds := elapsed.Seconds(); seconds > 1 && s.returned > 0 {
		parts = append(parts, fmt.Sprintf("in=%s tok/s out=%s tok/s",
			grouped(int64(float64(s.promptTokens)/seconds)), grouped(int64(float64(s.outputTokens)/seconds))))
	}
	if s.phase == sched.PhaseProfiling {
		parts = append(parts, fmt.Sprintf("trees=%d recycled=%s", s.trees, grouped(s.recycled)))
	}
	return strings.Join(append(parts, s.left(now)), " | ")
}

// grouped writes a count with a comma at each thousand.
func grouped(count int64) string {
	digits := fmt.Sprint(count)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
