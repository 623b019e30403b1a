package run

import (
	"context"
	"runtime"
	"sync"

	"agentx/sched"
)

// ahead does before many requests are due at one instant what would stand between them and the wire.
type ahead struct {
	session *session
	ctx     context.Context
	cancel  context.CancelFunc
	opening sync.WaitGroup
}

func newAhead(ctx context.Context, s *session) *ahead {
	a := &ahead{session: s}
	a.ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return a
}

// rehearse makes the machine's first step on a machine of its own, to learn what the run begins with: the
// traces, which the log is told of, and the requests, whose connections are opened.
func (a *ahead) rehearse(ctx context.Context, actor *actor) error {
	s := a.session
	machine, err := sched.New(s.config, s.recording.plans)
	if err != nil {
		return err
	}
	first := machine.Step(s.clock.Now(), sched.Start())
	actor.introduce(first)
	var urls []int
	for _, event := range dispatches(first) {
		urls = append(urls, event.Payload.(*sched.Dispatch).URL)
	}
	runtime.GC() // what the setting up has left
	a.open(ctx, urls, "before the first requests")
	return s.journal.writer.Sync()
}

// phaseBegins opens, beside the run, what profiling's lanes lack: the watchdog may wake all their trees at once.
func (a *ahead) phaseBegins(start *sched.PhaseStart) {
	if start.Phase != sched.PhaseProfiling {
		return
	}
	urls := make([]int, start.Lanes)
	for lane := range urls {
		urls[lane] = lane // which session goes to which of several servers is not known yet: evenly
	}
	a.opening.Go(func() { a.open(a.ctx, urls, "for the lanes of profiling") })
}

// open opens connections and logs that. What cannot be opened is left to the requests: they meet the failure
// themselves, and say what it is.
func (a *ahead) open(ctx context.Context, urls []int, why string) {
	s := a.session
	begin := s.clock.Now()
	opened, err := s.client.Open(ctx, urls)
	if opened == 0 {
		return
	}
	text := counted(int64(opened), "connection") + " opened " + why
	if err != nil {
		text += ", then: " + s.options.mask(err.Error())
	}
	s.journal.Notice("info", "connections_opened", text, map[string]any{"opened": opened, "ns": s.clock.Now() - begin})
}

// end gives up what is still being opened.
func (a *ahead) end() {
	a.cancel()
	a.opening.Wait()
}

// dispatches are the events that send a request.
func dispatches(events []sched.Event) []*sched.Event {
	var list []*sched.Event
	for i := range events {
		if events[i].Kind == sched.KindDispatch {
			list = append(list, &events[i])
		}
	}
	return list
}
