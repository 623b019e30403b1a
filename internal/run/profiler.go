package run

import (
	"context"
	"sync"

	"agentx/internal/serverinfo"
	"agentx/sched"
)

// reasonProfiler stops a run whose servers' profilers could not be started.
const reasonProfiler sched.Reason = "server_profiler"

// profiler switches the servers' profilers on when profiling begins, and off after it, however it ended.
type profiler struct {
	client  *serverinfo.Client // nil: not asked for
	options serverinfo.ProfilerOptions
	warn    func(code string, facts map[string]any, format string, arguments ...any)

	underway sync.WaitGroup
	over     chan struct{} // closed when the run is
	begun    bool
	failure  error // of the start; read after underway
}

func (s *session) newProfiler() *profiler {
	o := &s.options.Server
	p := &profiler{over: make(chan struct{}), warn: s.servers.warn}
	if o.Profiler {
		p.client = s.servers.client
		p.options = serverinfo.ProfilerOptions{StartPath: o.ProfilerStart, StopPath: o.ProfilerStop, Timeout: seconds(o.ProfilerTimeout)}
	}
	return p
}

// begin starts the profilers while the first requests go out: the schedule does not wait for them. Where
// that fails the run is stopped.
func (p *profiler) begin(inputs chan<- sched.Input) {
	if p.client == nil || p.begun {
		return
	}
	p.begun = true
	p.underway.Go(func() {
		if p.failure = p.client.StartProfiler(context.Background(), p.options); p.failure == nil {
			return
		}
		select {
		case inputs <- sched.Stop(reasonProfiler):
		case <-p.over:
		}
	})
}

// end stops the profilers that were started, and gives the failure of a start.
func (p *profiler) end() error {
	close(p.over)
	p.underway.Wait()
	if !p.begun || p.failure != nil {
		return p.failure
	}
	if err := p.client.StopProfiler(context.Background(), p.options); err != nil {
		p.warn("server_profiler", nil, "%v", err)
	}
	return nil
}
