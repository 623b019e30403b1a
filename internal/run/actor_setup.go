package run

import (
	"fmt"

	"agentx/eventlog"
	"agentx/sched"
)

func (s *session) newActor(inputs chan<- sched.Input) *actor {
	target := s.config.CacheBust
	s.finisher.raw = s.newRawKeeper()
	return &actor{
		clock:        s.clock,
		client:       s.client,
		journal:      s.journal,
		recording:    s.recording,
		models:       sentModels(s.recording, s.options.Server.Models),
		marking:      marking{target, s.recording.tokens},
		names:        s.names,
		cancellation: newCancellation(&s.options.Server, s.seed),
		inputs:       inputs,
		finisher:     s.finisher,
		lateness:     s.lateness,
		failures:     &s.failures,
		stream:       s.options.Server.Streaming,
		slots:        s.config.PrefillLimit > 0,
		reach:        newReachScopes(target),
		introduced:   make([]bool, len(s.recording.plans)),
		plays:        map[sched.PlayID]*play{},
		streams:      map[sched.StreamID]*stream{},
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
	for i := range events {
		switch payload := events[i].Payload.(type) {
		case *sched.TrajectoryBuilt:
			a.introduceTrace(payload.Plan)
		case *sched.TreeOpen:
			a.introduceTrace(payload.Plan)
		}
	}
}

func (a *actor) introduceTrace(plan int) {
	if a.introduced[plan] {
		return
	}
	a.introduced[plan] = true
	text, digest, err := a.recording.bundle.PlanJSON(plan)
	if err == nil {
		err = a.journal.writer.AddPlan(eventlog.Digest(digest), text)
	}
	if err != nil {
		a.journal.refuse(fmt.Errorf("copying the plan of trace %s into the log: %w", a.recording.plans[plan].Trace, err))
		return
	}
	a.journal.Log(eventlog.KindModelMap, eventlog.ModelMap{
		Plan:     plan,
		Trace:    string(a.recording.plans[plan].Trace),
		Digest:   digest.String(),
		Recorded: a.recording.plans[plan].Models,
		Sent:     a.models[plan],
	})
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
