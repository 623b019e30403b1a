package mockserver

import (
	"context"
	"sync"
	"time"

	"agentx/internal/servermodel"
)

// engine drives the model by the machine's clock. Handlers wait for their own tokens; while requests
// wait in the queue, a goroutine of the engine moves the clock, so that nobody's place depends on how
// fast another client reads.
type engine struct {
	clock clock

	mu     sync.Mutex
	model  *servermodel.Model
	events []servermodel.Event
	queued map[*servermodel.Job]chan struct{} // closed on admission

	kick chan struct{} // capacity 1: the driver looks again
	done chan struct{}
	wait sync.WaitGroup
}

func newEngine(model *servermodel.Model, clock clock) *engine {
	e := &engine{
		clock: clock, model: model, queued: map[*servermodel.Job]chan struct{}{},
		kick: make(chan struct{}, 1), done: make(chan struct{}),
	}
	e.wait.Add(1)
	go e.drive()
	return e
}

func (e *engine) close() {
	close(e.done)
	e.wait.Wait()
}

// drive advances the model at its own instants while anything waits in the queue.
func (e *engine) drive() {
	defer e.wait.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		e.mu.Lock()
		e.advance()
		at, ok := e.model.Next()
		ok = ok && len(e.queued) > 0
		e.mu.Unlock()
		var due <-chan time.Time
		if ok {
			timer.Reset(max(0, e.clock.until(at)))
			due = timer.C
		}
		select {
		case <-due:
		case <-e.kick:
		case <-e.done:
			return
		}
	}
}

// advance lets the model catch up with the clock and tells those who were admitted. The caller holds mu.
func (e *engine) advance() int64 {
	now := e.clock.now()
	e.events = e.model.Advance(now, e.events[:0])
	for i, event := range e.events {
		if event.Kind == servermodel.Admitted {
			if admitted := e.queued[event.Job]; admitted != nil {
				close(admitted)
				delete(e.queued, event.Job)
			}
		}
		e.events[i].Job = nil
	}
	return now
}

// progress is where a job stands.
type progress struct {
	outcome  servermodel.Outcome
	admitted bool
	emitted  int
	output   int // tokens the answer will have
	stopped  bool
	cached   int
	wantedNs int64 // when, as things stand, the token asked for comes; the first one's time is final
}

// arrive hands a request to the model. Where it cannot start at once, admitted is closed when it does.
func (e *engine) arrive(request servermodel.Request) (job *servermodel.Job, admitted <-chan struct{}, p progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	job = e.model.Arrive(e.advance(), request)
	ticket := make(chan struct{})
	e.queued[job] = ticket
	p = e.look(job, 0, e.advance())
	if p.admitted || p.outcome != servermodel.Pending {
		delete(e.queued, job)
	} else {
		e.wake()
	}
	return job, ticket, p
}

func (e *engine) wake() {
	select {
	case e.kick <- struct{}{}:
	default:
	}
}

// progress brings the model up to date and says where a job stands, and when token number wanted (from
// 1) will be there.
func (e *engine) progress(job *servermodel.Job, wanted int) progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.look(job, wanted, e.advance())
}

// look reads a job as of the time that the model has reached. The caller holds mu.
func (e *engine) look(job *servermodel.Job, wanted int, now int64) progress {
	p := progress{
		outcome: job.Outcome, output: job.OutputTokens, stopped: job.Stopped, cached: job.CachedTokens,
		admitted: job.FirstTokenNs != 0,
	}
	p.emitted = job.Emitted(now)
	if job.Outcome != servermodel.Pending {
		p.emitted = job.Produced()
	}
	nextNs, more := job.NextTokenNs(now)
	p.wantedNs = nextNs
	if more && p.emitted > 0 && wanted > p.emitted {
		p.wantedNs = job.TokenNs(min(wanted, job.OutputTokens) - 1)
	}
	return p
}

// cancel takes a request out of the model, for a client that went away.
func (e *engine) cancel(job *servermodel.Job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.model.Cancel(e.advance(), job)
	delete(e.queued, job)
	e.advance()
}

// resetCache empties the prefix cache; false when running requests held some of it.
func (e *engine) resetCache() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.advance()
	return e.model.ResetCache()
}

// snapshot is what the metrics page shows.
func (e *engine) snapshot() (servermodel.Stats, servermodel.Load) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.advance()
	return e.model.Stats(), e.model.Load()
}

// sleeper waits for instants of the clock, with one timer for all of an exchange's waits.
type sleeper struct {
	clock clock
	timer *time.Timer
}

func (e *engine) newSleeper() *sleeper { return &sleeper{clock: e.clock} }

// until waits for an instant; false when ctx ended first.
func (s *sleeper) until(ctx context.Context, atNs int64) bool {
	wait := s.clock.until(atNs)
	if wait <= 0 {
		return ctx.Err() == nil
	}
	if s.timer == nil {
		s.timer = time.NewTimer(wait)
	} else {
		s.timer.Reset(wait)
	}
	select {
	case <-s.timer.C:
		return true
	case <-ctx.Done():
		s.timer.Stop()
		return false
	}
}
