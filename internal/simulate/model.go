package simulate

import (
	"agentx/internal/servermodel"
	"agentx/sched"
)

// NewModel is a fleet of modelled servers, one for each URL, that share nothing. The draws of a request
// are named by its place in the run, so they do not depend on the order of requests.
func NewModel(config servermodel.Config, urls int) (Server, error) {
	fleet := &modelServer{jobs: map[*servermodel.Job]*Exchange{}}
	for range max(urls, 1) {
		model, err := servermodel.New(config)
		if err != nil {
			return nil, err
		}
		fleet.models = append(fleet.models, model)
	}
	return fleet, nil
}

type modelServer struct {
	models  []*servermodel.Model
	jobs    map[*servermodel.Job]*Exchange
	waiting []news // happened, not taken yet
	at      int64  // of the last call
	events  []servermodel.Event
}

func (s *modelServer) send(x *Exchange) {
	model := s.models[x.Dispatch.URL%len(s.models)]
	s.advance(model, x.SentNs)
	job := model.Arrive(x.SentNs, servermodel.Request{
		Name: x.name, PromptTokens: int(x.PromptTokens), Keys: x.keys, MaxTokens: int(x.MaxTokens),
	})
	s.jobs[job] = x
	x.job = job
}

// advance lets a model's time pass and keeps what happened.
func (s *modelServer) advance(model *servermodel.Model, now int64) {
	s.at = now
	s.events = model.Advance(now, s.events[:0])
	for _, event := range s.events {
		x := s.jobs[event.Job]
		switch event.Kind {
		case servermodel.FirstToken:
			x.FirstTokenNs = event.AtNs
			s.waiting = append(s.waiting, news{x, true})
		case servermodel.Ended:
			s.end(x, event.Job)
		}
	}
}

// end takes a job's result over.
func (s *modelServer) end(x *Exchange, job *servermodel.Job) {
	delete(s.jobs, job)
	x.EndNs = job.EndNs
	x.OutputTokens, x.CachedTokens, x.KnowsCache = int64(job.Produced()), int64(job.CachedTokens), true
	x.Outcome, x.Answered, x.Status, x.Stopped = sched.OutcomeOK, true, 200, job.Stopped
	switch job.Outcome {
	case servermodel.Refused:
		x.fail(sched.OutcomeError, 503, "simulated: the server refuses the request")
	case servermodel.Overflow:
		x.fail(sched.OutcomeOverflow, 400, "simulated: the prompt exceeds the maximum context length")
	case servermodel.Aborted:
		x.Outcome, x.Message = sched.OutcomeError, "simulated: the answer broke off"
	case servermodel.Cancelled:
		x.Outcome, x.Answered = sched.OutcomeCancelled, x.OutputTokens > 0
	}
	x.keys = nil
	s.waiting = append(s.waiting, news{x, false})
}

func (s *modelServer) cancel(now int64, x *Exchange) {
	model := s.models[x.Dispatch.URL%len(s.models)]
	s.advance(model, now)
	if model.Cancel(now, x.job) {
		s.end(x, x.job)
	}
}

func (s *modelServer) next() (at int64, ok bool) {
	if len(s.waiting) > 0 {
		return s.at, true
	}
	for _, model := range s.models {
		if when, has := model.Next(); has && (!ok || when < at) {
			at, ok = when, true
		}
	}
	return at, ok
}

func (s *modelServer) take(now int64, taken []news) []news {
	for _, model := range s.models {
		s.advance(model, now)
	}
	taken = append(taken, s.waiting...)
	s.waiting = s.waiting[:0]
	return taken
}
