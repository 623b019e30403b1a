package servermodel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawArrivals makes requests that share beginnings, as turns of a few conversations do.
func drawArrivals(t *rapid.T, unit int) []arrival {
	var conversations [][]uint64 // contents of the units so far
	arrivals := make([]arrival, rapid.IntRange(1, 25).Draw(t, "requests"))
	at := int64(0)
	for i := range arrivals {
		at += rapid.Int64Range(0, 200).Draw(t, "wait")
		var contents []uint64
		if len(conversations) > 0 && rapid.Bool().Draw(t, "goes on") {
			from := rapid.SampledFrom(conversations).Draw(t, "conversation")
			contents = slices.Clone(from[:rapid.IntRange(0, len(from)).Draw(t, "kept")])
		}
		for range rapid.IntRange(0, 6).Draw(t, "new units") {
			contents = append(contents, rapid.Uint64Range(0, 3).Draw(t, "unit"))
		}
		conversations = append(conversations, contents)
		keys := NewKeys(unit)
		for _, content := range contents {
			keys.Unit(content)
		}
		tail := rapid.IntRange(0, unit-1).Draw(t, "tail")
		arrivals[i] = arrival{at: at, request: Request{
			Name: fmt.Sprint(i), Keys: keys.List(), PromptTokens: max(1, len(contents)*unit+tail),
			MaxTokens: rapid.IntRange(1, 8).Draw(t, "max tokens"),
		}}
	}
	return arrivals
}

func drawConfig(t *rapid.T) Config {
	unit := rapid.IntRange(1, 5).Draw(t, "unit tokens")
	return Config{
		UnitTokens:             unit,
		CacheTokens:            int64(unit * rapid.IntRange(0, 14).Draw(t, "cache units")),
		BatchLimit:             rapid.IntRange(0, 4).Draw(t, "batch limit"),
		PrefillLimit:           rapid.IntRange(0, 2).Draw(t, "prefill limit"),
		OverheadNs:             rapid.Int64Range(0, 5).Draw(t, "overhead"),
		PrefillTokensPerSecond: rapid.SampledFrom([]float64{0, 1e9, 3e8, 7e7}).Draw(t, "prefill rate"),
		TokenNs:                rapid.Int64Range(0, 30).Draw(t, "time per token"),
		DecodeSlowdown:         rapid.SampledFrom([]float64{0, 0.1, 0.5, 2}).Draw(t, "slow-down"),
	}
}

// play drives a model through the arrivals, each event at its own time.
func play(t require, m *Model, arrivals []arrival) (jobs []*Job, events []Event) {
	for _, a := range arrivals {
		events = m.Advance(a.at, events)
		jobs = append(jobs, m.Arrive(a.at, a.request))
	}
	events = m.Advance(math.MaxInt64, events)
	if _, more := m.Next(); more {
		t.Fatalf("the model goes on after everything ended")
	}
	return jobs, events
}

type require interface{ Fatalf(string, ...any) }

// TestModelEqualsDumbTwin compares every admission, cache hit, token time and end.
func TestModelEqualsDumbTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := drawConfig(t)
		arrivals := drawArrivals(t, config.UnitTokens)
		m, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		jobs, events := play(t, m, arrivals)
		twin := &dumb{config: config, cache: map[uint64]*dumbUnit{}}
		twin.run(arrivals)
		for i, job := range jobs {
			want := arrivals[i].twin
			if job.CachedTokens != want.cached || job.AdmittedNs != want.admitted {
				t.Fatalf("request %d: cached %d, admitted %d; expected %d, %d", i, job.CachedTokens, job.AdmittedNs, want.cached, want.admitted)
			}
			got := make([]int64, job.Produced())
			for k := range got {
				got[k] = job.TokenNs(k)
			}
			if !slices.Equal(got, want.tokens) {
				t.Fatalf("request %d: tokens at %v; expected %v", i, got, want.tokens)
			}
			if last := got[len(got)-1]; job.EndNs != last || job.FirstTokenNs != got[0] || job.Outcome != Finished {
				t.Fatalf("request %d: first token %d, end %d, %v; expected %d, %d, finished", i, job.FirstTokenNs, job.EndNs, job.Outcome, got[0], last)
			}
		}
		if len(events) != len(twin.log) {
			t.Fatalf("%d events; expected %d", len(events), len(twin.log))
		}
		checkOrder(t, events)
	})
}

// checkOrder checks that events come in order of time, and each job's in order of kind.
func checkOrder(t require, events []Event) {
	last := map[*Job]EventKind{}
	for i, event := range events {
		if i > 0 && event.AtNs < events[i-1].AtNs {
			t.Fatalf("event %d at %d comes after one at %d", i, event.AtNs, events[i-1].AtNs)
		}
		if before, seen := last[event.Job]; seen && event.Kind <= before {
			t.Fatalf("job %d: event kind %d after %d", event.Job.Seq, event.Kind, before)
		}
		last[event.Job] = event.Kind
	}
}

// TestConservation: whatever is refused, aborted or cancelled at whatever time, every request ends
// exactly once, hit and computed tokens add up, limits hold at every event, and nothing stays held.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := drawConfig(t)
		config.ErrorRate = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "error rate")
		config.AbortRate = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "abort rate")
		config.WindowTokens = rapid.SampledFrom([]int{0, 20}).Draw(t, "window")
		config.RefusalNs = rapid.Int64Range(0, 50).Draw(t, "refusal time")
		m, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		var jobs []*Job
		var events []Event
		cancelled := map[*Job]bool{}
		for _, a := range drawArrivals(t, config.UnitTokens) {
			for { // step by step, so that limits are seen in between
				at, ok := m.Next()
				if !ok || at > a.at {
					break
				}
				events = m.Advance(at, events)
				checkLoad(t, m)
			}
			events = m.Advance(a.at, events)
			jobs = append(jobs, m.Arrive(a.at, a.request))
			if rapid.IntRange(0, 3).Draw(t, "cancel") == 0 {
				victim := rapid.SampledFrom(jobs).Draw(t, "victim")
				if m.Cancel(a.at, victim) {
					cancelled[victim] = true
				}
				checkLoad(t, m)
			}
		}
		events = m.Advance(math.MaxInt64, events)
		checkOrder(t, events)
		checkSums(t, m, jobs, events, cancelled)
	})
}

func checkLoad(t require, m *Model) {
	load, c := m.Load(), m.Config()
	if c.BatchLimit > 0 && load.Running > c.BatchLimit {
		t.Fatalf("%d running with a batch limit of %d", load.Running, c.BatchLimit)
	}
	if load.CapacityTokens > 0 && max(load.HeldTokens, load.CachedTokens+m.cache.reserved*int64(c.UnitTokens)) > load.CapacityTokens {
		t.Fatalf("load %+v is over its capacity", load)
	}
	checkTree(t, m.cache)
}

// checkTree recounts the tree: what it holds, what is held, and that the least recent run is a leaf.
func checkTree(t require, c *prefixCache) {
	var resident, pinned int64
	for key, r := range c.children {
		resident += int64(len(r.keys))
		if r.pins > 0 {
			pinned += int64(len(r.keys))
		}
		if len(r.keys) == 0 || r.parent != key.parent || r.keys[0] != key.first {
			t.Fatalf("run filed under the wrong edge")
		}
		if r.parent == c.recent.prev {
			t.Fatalf("the least recently used run has a child")
		}
	}
	if resident != c.resident || pinned != c.pinned {
		t.Fatalf("recount: %d resident, %d held; expected %d, %d", resident, pinned, c.resident, c.pinned)
	}
}

func checkSums(t require, m *Model, jobs []*Job, events []Event, cancelled map[*Job]bool) {
	ends := map[*Job]int{}
	for _, event := range events {
		if event.Kind == Ended {
			ends[event.Job]++
		}
	}
	var hits, output int64
	var outcomes [Cancelled + 1]int64
	for _, job := range jobs {
		if got := ends[job]; got == 1 == cancelled[job] || got > 1 {
			t.Fatalf("job %d: %d ends, cancelled %v", job.Seq, got, cancelled[job])
		}
		if job.CachedTokens > max(0, job.PromptTokens-1) {
			t.Fatalf("job %d: %d of %d prompt tokens cached", job.Seq, job.CachedTokens, job.PromptTokens)
		}
		hits += int64(job.CachedTokens)
		output += int64(job.Produced())
		outcomes[job.Outcome]++
	}
	stats, load := m.Stats(), m.Load()
	if stats.HitTokens != hits || stats.OutputTokens != output || stats.Ended != outcomes || stats.Arrived != int64(len(jobs)) {
		t.Fatalf("stats %+v; counted %d hit, %d output, %v", stats, hits, output, outcomes)
	}
	if load.Running+load.Waiting != 0 || load.HeldTokens != 0 {
		t.Fatalf("after the end: %+v", load)
	}
	if !m.ResetCache() || m.Load().CachedTokens != 0 {
		t.Fatalf("reset left %d tokens", m.Load().CachedTokens)
	}
}
