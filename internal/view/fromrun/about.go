package fromrun

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentx/internal/measure"
	"agentx/internal/view/paper"
	"agentx/internal/view/swimlane"
)

// marksOf takes the boundaries from the phases that the run reached.
func marksOf(run *measure.Run, about About) swimlane.Marks {
	marks := swimlane.Marks{ProfilingStart: swimlane.None, RampEnd: swimlane.None, DurationEnd: swimlane.None, GraceEnd: swimlane.None, End: max(stamp(run.LastNs), 0), Interrupted: run.Interrupted()}
	profiling := run.Phase(measure.PhaseProfiling)
	if profiling == nil || !profiling.Start.Known() {
		return marks
	}
	marks.ProfilingStart = stamp(profiling.Start)
	ramp := about.RampNs
	if seconds, set := run.Settings.Float("concurrency-ramp-duration"); ramp == 0 && set {
		ramp = int64(seconds * 1e9)
	}
	if ramp > 0 {
		marks.RampEnd = marks.ProfilingStart + ramp
	}
	if planned := profiling.Planned(); planned.Known() {
		marks.DurationEnd = stamp(planned)
		if grace, set := run.Settings.Float("benchmark-grace-period"); set && profiling.GraceOver {
			marks.GraceEnd = marks.DurationEnd + int64(grace*1e9)
		}
	}
	return marks
}

// finish draws the waits of empty lanes and writes the headline and the small print.
func (b *builder) finish() {
	for _, lane := range slices.Sorted(maps.Keys(b.detail.backoffs)) {
		for _, wait := range b.detail.backoffs[lane] {
			b.backoff(lane, wait)
		}
	}
	counts := map[swimlane.Status]int{}
	warmup, subagents := 0, 0
	traces := map[string]bool{}
	for p := range b.out.Plays {
		traces[b.out.Plays[p].Trace] = true
		for s := range b.out.Plays[p].Streams {
			if b.out.Plays[p].Streams[s].Depth > 0 {
				subagents++
			}
			for r := range b.out.Plays[p].Streams[s].Requests {
				request := &b.out.Plays[p].Streams[s].Requests[r]
				counts[request.Status]++
				if request.Phase == swimlane.Warmup {
					warmup++
				}
			}
		}
	}
	b.facts(counts, warmup, subagents, len(traces))
	b.notes(counts)
}

// backoff puts the wait of a lane at the end of the root that caused it.
func (b *builder) backoff(lane int, wait swimlane.Wait) {
	for p := range b.out.Plays {
		play := &b.out.Plays[p]
		if play.Lane != lane || play.Drained == swimlane.None || play.Drained > wait.From || len(play.Streams) == 0 {
			continue
		}
		if next := b.nextOnLane(lane, play.Drained); next == swimlane.None || next >= wait.From {
			addWait(&play.Streams[0], swimlane.Backoff, wait.From, wait.To)
			return
		}
	}
}

// nextOnLane is when the lane's next play after the given instant opened.
func (b *builder) nextOnLane(lane int, after int64) int64 {
	next := swimlane.None
	for p := range b.out.Plays {
		if play := &b.out.Plays[p]; play.Lane == lane && play.Opened > after && (next == swimlane.None || play.Opened < next) {
			next = play.Opened
		}
	}
	return next
}

func (b *builder) facts(counts map[swimlane.Status]int, warmup, subagents, traces int) {
	sent := 0
	for status, n := range counts {
		if status != swimlane.NeverSent {
			sent += n
		}
	}
	add := func(label string, value any) {
		b.out.Facts = append(b.out.Facts, swimlane.Fact{Label: label, Value: fmt.Sprint(value)})
	}
	add("requests", sent)
	if warmup > 0 {
		add("in warmup", warmup)
	}
	for status := swimlane.Silent; status <= swimlane.NeverSent; status++ {
		if counts[status] > 0 {
			add(status.String(), counts[status])
		}
	}
	add("lanes", b.out.Lanes)
	add("plays", len(b.out.Plays))
	add("subagents", subagents)
	add("traces", traces)
	if models := strings.Join(b.run.Config.Models, ", "); models != "" {
		add("model", models)
	}
	if b.run.Config.Simulated {
		add("simulated", "yes")
	}
}

// notes say what the picture shows, over which window, and what it leaves out.
func (b *builder) notes(counts map[swimlane.Status]int) {
	note := func(text string) { b.out.Notes = append(b.out.Notes, text) }
	if id := b.run.Config.RunID; id != "" {
		note("run " + id)
	}
	note("every request of warmup and profiling, whatever became of it; time 0 is the start of profiling")
	if n := counts[swimlane.NeverSent]; n > 0 {
		note(fmt.Sprintf("%d turns were due and never sent", n))
	}
	if b.homeless > 0 {
		note(fmt.Sprintf("%d requests belong to no stream that the log knows and are not drawn", b.homeless))
	}
	if cached, reach := b.captured(); cached > reach {
		note(fmt.Sprintf("measured lies above reachable: %s tokens cached, %s reachable in this run: a warm or shared cache, or smaller blocks (docs/troubleshooting.md)", paper.Number(float64(cached)), paper.Number(float64(reach))))
	}
	if b.out.Marks.Interrupted {
		note("the log ends without its closing event: the run was interrupted, or is still going on")
	}
	note("lateness of the client is drawn from 20 ms")
}

// captured sums what profiling requests found in the cache and what this run had made reachable, where both
// are known.
func (b *builder) captured() (cached, reach int64) {
	for p := range b.out.Plays {
		for s := range b.out.Plays[p].Streams {
			for r := range b.out.Plays[p].Streams[s].Requests {
				request := &b.out.Plays[p].Streams[s].Requests[r]
				if request.Phase != swimlane.Warmup && request.Cached != swimlane.None && request.Reach != swimlane.None {
					cached, reach = cached+request.Cached, reach+request.Reach
				}
			}
		}
	}
	return cached, reach
}
