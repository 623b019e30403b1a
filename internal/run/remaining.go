package run

import (
	"fmt"
	"strings"
	"time"

	"agentx/sched"
)

// remaining is what the progress line needs to say how much longer a phase takes: a warmup can last for
// hours, and whoever waits wants to know for what.
type remaining struct {
	rampEndNs int64 // warmup: its first requests are all due by then
	staged    bool  // warmup: the cache warmup has begun
	stageNs   int64 // when it did
	inStage   int64 // its requests so far
	graceNs   int64 // what is in flight when sending is complete may take until then, 0: for ever
	flying    map[sched.ExchangeID]flying
}

// flying is a request that is under way.
type flying struct {
	sinceNs int64
	lane    sched.LaneID
	turn    int32
}

// sends takes a request that goes out.
func (r *remaining) sends(now int64, event *sched.Event, request *sched.Dispatch) {
	if r.flying == nil {
		r.flying = map[sched.ExchangeID]flying{}
	}
	r.flying[event.Exchange] = flying{sinceNs: now, lane: event.Lane, turn: event.Turn}
	if request.Phase != sched.PhaseWarmup || request.Primer {
		return
	}
	if !r.staged {
		r.staged, r.stageNs = true, now
	}
	r.inStage++
}

// left says how much longer the phase will take, or what it is waiting for.
func (s *status) left(now int64) string {
	switch {
	case s.closing:
		return s.waits(now)
	case s.phase == sched.PhaseWarmup:
		return s.warmupLeft(now)
	case s.endNs > now:
		return "left=" + wholeSeconds(s.endNs-now)
	case s.target >= 0 && s.sent < s.target:
		return fmt.Sprintf("%s still to send", grouped(s.target-s.sent))
	}
	return "open end"
}

// warmupLeft is left while a warmup still sends: on the ramp of the first requests, then in the cache
// warmup, which a duration or a number of requests bounds.
func (s *status) warmupLeft(now int64) string {
	cache := s.config.CacheWarmupNs
	quota := int64(s.config.WarmupRequestsPerLane) * s.lanes
	switch {
	case s.staged && cache != nil:
		return "left=" + wholeSeconds(max(0, s.stageNs+*cache-now)) + ", cache warmup"
	case s.staged:
		text := fmt.Sprintf("cache warmup %s/%s requests", grouped(s.inStage), grouped(quota))
		if s.inStage > 0 && quota > s.inStage && now > s.stageNs {
			text = "left about " + wholeSeconds(int64(float64(now-s.stageNs)/float64(s.inStage)*float64(quota-s.inStage))) + ", " + text
		}
		return text
	case s.rampEndNs > now && cache != nil:
		return "left=" + wholeSeconds(s.rampEndNs-now+*cache) + ", ramp of first requests, then cache warmup"
	case s.rampEndNs > now && quota > 0:
		return "ramp of first requests left=" + wholeSeconds(s.rampEndNs-now) + ", then cache warmup"
	case s.rampEndNs > now:
		return "left=" + wholeSeconds(s.rampEndNs-now) + ", ramp of first requests"
	case s.target >= 0 && s.sent < s.target:
		return fmt.Sprintf("%s still to send", grouped(s.target-s.sent))
	}
	return s.waits(now)
}

// waits says for how many answers the phase waits, since when for the oldest, and until when it will.
func (s *status) waits(now int64) string {
	inFlight := s.sent - s.returned
	parts := []string{fmt.Sprintf("waiting for %s", counted(inFlight, "answer"))}
	if oldest, found := s.oldest(); found {
		parts = append(parts, fmt.Sprintf("the oldest for %s (lane %d, turn %d)", wholeSeconds(now-oldest.sinceNs), oldest.lane, oldest.turn))
	}
	switch {
	case s.graceNs > 0:
		parts = append(parts, "at most "+wholeSeconds(max(0, s.graceNs-now))+" more")
	case s.closing && s.phase == sched.PhaseWarmup && inFlight > 0:
		parts = append(parts, "without limit (--agentic-warmup-grace-period sets one)")
	}
	return strings.Join(parts, ", ")
}

// oldest is the request that has been under way longest; of equals the one that was sent first.
func (s *status) oldest() (oldest flying, found bool) {
	var first sched.ExchangeID
	for id, request := range s.flying {
		if !found || request.sinceNs < oldest.sinceNs || request.sinceNs == oldest.sinceNs && id < first {
			oldest, first, found = request, id, true
		}
	}
	return oldest, found
}

// grace is when the phase stops waiting for what is in flight, once sending is complete; 0: never.
func (s *status) grace(now int64, phase sched.Phase) int64 {
	c := s.config
	if phase == sched.PhaseWarmup {
		if grace, bounded := c.WarmupGrace(); bounded {
			return now + grace
		}
		return 0
	}
	if c.DurationNs != nil && c.GraceNs != nil {
		return s.startNs + *c.DurationNs + *c.GraceNs
	}
	return 0
}

func wholeSeconds(ns int64) string { return time.Duration(ns).Round(time.Second).String() }

// counted writes a count with its noun.
func counted(count int64, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return grouped(count) + " " + noun + "s"
}
