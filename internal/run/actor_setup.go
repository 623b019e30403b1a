package run

import (
	"agentx/eventlog"
	"agentx/internal/prompt"
	"agentx/sched"
	"agentx/wire/idle"
)

// idleBuffers is how many lists of messages are kept for reuse; one of 500 messages takes 100 kB.
const idleBuffers = 256

func (s *session) newActor(inputs chan<- sched.Input) *actor {
	s.finisher.raw = s.newRawKeeper()
	return &actor{
		clock:        s.clock,
		client:       s.client,
		journal:      s.journal,
		ledger:       newLedger(s),
		cancellation: newCancellation(&s.options.Server, s.seed),
		inputs:       inputs,
		finisher:     s.finisher,
		lateness:     s.lateness,
		failures:     &s.failures,
		stream:       s.options.Server.Streaming,
		slots:        s.config.PrefillLimit > 0,
		buffers:      idle.New(idleBuffers, func() *prompt.Buffer { return new(prompt.Buffer) }),
		exchanges:    map[sched.ExchangeID]*exchange{},
		observe:      s.observe,
	}
}

// sentModels maps the recorded models of each plan to the configured ones: the i-th is sent as the
// (i mod count)-th (spec reconstruction 7).
func sentModels(recording *recording, configured []string) [][]string {
	sent := make([][]string, len(recording.plans))
	for p, plan := range recording.plans {
		sent[p] = make([]string, len(plan.Models))
		for i := range plan.Models {
			sent[p][i] = configured[i%len(configured)]
		}
	}
	return sent
}

// introduce logs the plan and the model map of each trace that events name for the first time. It comes
// before the events themselves, so that a log is read in one pass.
func (a *actor) introduce(events []sched.Event) {
	for _, plan := range a.ledger.newcomers(events) {
		frame, models := a.ledger.introduction(plan)
		if err := a.journal.writer.AddPlan(eventlog.Digest(frame.digest), frame.text); err != nil {
			a.journal.refuse(err)
			continue
		}
		a.journal.Log(eventlog.KindModelMap, models)
		a.journal.keepParts(a.ledger.traceParts(plan))
	}
}

// settle waits for the exchanges that are still under way when the machine has said its last word, and
// takes their ends, which nobody needs any more.
func (a *actor) settle(inputs <-chan sched.Input) {
	for _, x := range a.exchanges {
		x.cancel(&cancelledFor{sched.ReasonDone})
	}
	ended := make(chan struct{})
	go func() {
		a.underway.Wait()
		close(ended)
	}()
	for {
		select {
		case <-inputs:
		case <-ended:
			return
		}
	}
}
