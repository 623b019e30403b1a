package run

import (
	"errors"
	"fmt"

	"agentx/corpus/bundle"
	"agentx/eventlog"
	"agentx/internal/simulate"
	"agentx/sched"
)

// simulationRows writes the rows of a simulated run: the journal's, and those of the run itself.
type simulationRows struct {
	*simulate.Journal
	run *simulation
}

// Step writes what the machine was told and decided. A trace is introduced before the first row that
// names it, so that a log is read in one pass.
func (r *simulationRows) Step(now int64, input sched.Input, events []sched.Event) error {
	s := r.run
	s.now.Store(now)
	for _, plan := range s.ledger.newcomers(events) {
		frame, models := s.ledger.introduction(plan)
		if err := addPlanWaiting(s.writer, frame.digest, frame.text); err != nil {
			return err
		}
		if err := s.log(eventlog.KindModelMap, models); err != nil {
			return err
		}
		if err := s.keepParts(s.ledger.traceParts(plan)); err != nil {
			return err
		}
	}
	if err := r.Journal.Step(now, input, events); err != nil {
		return err
	}
	for i := range events {
		if err := r.note(now, &events[i]); err != nil {
			return err
		}
	}
	return nil
}

// note keeps the ledger and what the user sees up to date.
func (r *simulationRows) note(now int64, event *sched.Event) error {
	s := r.run
	s.status.observe(now, event)
	switch payload := event.Payload.(type) {
	case *sched.TreeOpen:
		s.ledger.openTree(event, payload)
	case *sched.StreamOpen:
		row, err := eventlog.NewPayload(eventlog.KindStreamNames, now, s.ledger.openStream(event, payload))
		if err != nil {
			return err
		}
		row.Stream = int64(event.Stream)
		_, err = s.writer.AddWaiting(row)
		return err
	case *sched.Dispatch:
		s.sent[event.Exchange] = s.ledger.dispatch(event)
	case *sched.TreeDrained:
		s.ledger.closeTree(event.Play)
	case *sched.RunComplete:
		s.complete = payload
	default:
		return r.tell(payload)
	}
	return nil
}

// tell says what a user must know, as a live run does.
func (r *simulationRows) tell(payload any) error {
	s := r.run
	switch payload := payload.(type) {
	case *sched.PhaseStart:
		s.progress.Say("%s", phaseLine(&s.config, payload))
		if len(payload.Late) > 0 {
			return s.notice("late_lanes", lateLanes(payload))
		}
	case *sched.WarmupFailure:
		return s.notice("warmup_failure", fmt.Sprintf("warmup request of trace %s failed (%s), the run ends: see %s", payload.Trace, payload.Outcome, s.options.Simulate.shapes()))
	case *sched.CancelInFlight:
		s.progress.Say("cancelling %s in flight: %s", counted(int64(payload.Count), "request"), s.whyCancelled(payload.Why))
	case *sched.TraceSkipped:
		return s.notice("trace_skipped", "trace "+payload.Trace+" is skipped: "+string(payload.Why))
	}
	return nil
}

// addPlanWaiting puts a plan into the log; a full queue is waited for.
func addPlanWaiting(writer *eventlog.Writer, digest bundle.Digest, text []byte) error {
	err := writer.AddPlan(eventlog.Digest(digest), text)
	if errors.Is(err, eventlog.ErrQueueFull) {
		if err = writer.Sync(); err == nil {
			err = writer.AddPlan(eventlog.Digest(digest), text)
		}
	}
	return err
}

// notice warns the user, and tells the log that it did.
func (s *simulation) notice(code, text string) error {
	s.progress.Say("warning: %s", text)
	return s.log(eventlog.KindNotice, eventlog.Notice{Level: "warning", Code: code, Text: text})
}
