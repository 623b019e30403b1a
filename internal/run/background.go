package run

import (
	"context"
	"sync"
	"time"

	"agentx/eventlog"
)

const (
	sampleEvery = 2 * time.Second
	anchorEvery = 60 * time.Second
	clockStepNs = int64(50 * time.Millisecond)
)

// startBackground starts what watches the run from the side; all of it ends when stop is closed.
func (s *session) startBackground(ctx context.Context, stop <-chan struct{}) *sync.WaitGroup {
	var group sync.WaitGroup
	group.Go(func() { s.journal.watch(stop) })
	group.Go(func() { s.sampleLoad(stop) })
	group.Go(func() { s.anchorClock(stop) })
	group.Go(func() {
		if err := s.servers.watch(ctx, stop); err != nil {
			s.servers.warn("server_metrics", nil, "%v", err)
		}
	})
	return &group
}

// sampleLoad logs the client's own load every two seconds, and once more at the end.
func (s *session) sampleLoad(stop <-chan struct{}) {
	meter := newLoadMeter(s.clock.Now())
	warn := honesty{warn: s.servers.warn}
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case <-ticker.C:
		case <-stop:
			running = false
		}
		sample := meter.read(s.clock.Now())
		sample.QueueEvents, sample.QueueBytes = s.journal.writer.Depth()
		sample.CountQueue = int64(s.finisher.waiting())
		sample.InFlight = s.status.inFlight()
		late := s.lateness.take()
		sample.LateP50Ns, sample.LateP99Ns, sample.LateMaxNs = late.p50, late.p99, late.max
		reads := s.client.TakeReadDelays()
		sample.ReadDelayP50Ns, sample.ReadDelayP99Ns, sample.ReadDelayMaxNs = reads.P50Ns, reads.P99Ns, reads.MaxNs
		warn.look(&sample, late.count)
		s.journal.Log(eventlog.KindClientSample, sample)
	}
}

// anchorClock ties the run clock to the wall clock every minute, and at every step of the wall clock.
func (s *session) anchorClock(stop <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	offset := s.clock.Wall() - s.clock.Now()
	lastNs := s.clock.Now()
	for {
		select {
		case <-ticker.C:
		case <-stop:
			return
		}
		now := s.clock.Now()
		wall := s.clock.Wall()
		step := wall - now - offset
		switch {
		case step > clockStepNs || step < -clockStepNs:
			s.journal.Log(eventlog.KindAnchor, eventlog.Anchor{WallNs: wall, Why: "step", StepNs: step})
		case now-lastNs >= int64(anchorEvery):
			s.journal.Log(eventlog.KindAnchor, eventlog.Anchor{WallNs: wall, Why: "tick"})
		default:
			continue
		}
		offset, lastNs = wall-now, now
	}
}
