package report

import (
	"io"

	"agentx/internal/measure"
)

// sessionsFile is sessions.jsonl: one line per tree, each followed by one per stream of it; profiling
// requests only. Times are seconds, from run start where they are moments.
func sessionsFile(w io.Writer, a *measure.Analysis) error {
	file := lines{to: w}
	for i := range a.Sessions {
		tree := &a.Sessions[i]
		if err := file.write(treeLine(tree)); err != nil {
			return err
		}
		for j := range tree.Streams {
			if err := file.write(streamLine(tree, &tree.Streams[j])); err != nil {
				return err
			}
		}
	}
	return nil
}

func treeLine(t *measure.TreeRollup) object {
	var o object
	o.set("level", "tree").set("play", t.ID).set("lane", t.Lane).set("trace", t.Trace).set("how", t.Kind).set("plays_before", t.Pass).text("marker", t.Marker)
	seconds(&o, "opened_s", t.Opened)
	seconds(&o, "ended_s", t.Ended)
	o.set("fate", t.Fate).text("why", t.Why).set("streams", len(t.Streams)).set("max_depth", t.MaxDepth)
	rollup(&o, &t.Rollup)
	var path object
	path.set("requests", t.Critical.Requests).set("server_s", float64(t.Critical.ServerNs)/1e9).set("wait_s", float64(t.Critical.WaitNs)/1e9)
	return *o.set("critical_path", path)
}

func streamLine(t *measure.TreeRollup, s *measure.StreamRollup) object {
	var o object
	o.set("level", "stream").set("play", t.ID).set("stream", s.ID).set("lane", t.Lane).set("trace", t.Trace).set("conversation", s.Conversation).text("kind", s.Kind)
	o.set("depth", s.Depth).text("session", s.Session).text("parent_session", s.ParentID).text("origin", s.Origin).set("turns", s.Turns)
	seconds(&o, "opened_s", s.Opened)
	seconds(&o, "closed_s", s.Closed)
	o.set("fate", s.Fate).set("turns_unsent", s.Unsent)
	rollup(&o, &s.Rollup)
	return o
}

func rollup(o *object, r *measure.Rollup) {
	o.set("requests", r.Requests).set("valid", r.Valid).set("errors", r.Errors).text("first_error", r.FirstError).set("overflows", r.Overflows).set("cancelled", r.Cancelled).set("never_sent", r.NeverSent)
	seconds(o, "first_start_s", r.FirstStart)
	seconds(o, "last_end_s", r.LastEnd)
	o.set("makespan_s", float64(r.MakespanNs())/1e9).set("server_s", float64(r.ServerNs)/1e9).set("busy_s", float64(r.BusyNs)/1e9).set("think_s", float64(r.ThinkNs())/1e9)
	slowdown, ok := r.Slowdown()
	o.number("slowdown", slowdown, ok)
	if ns, ok := r.RecordedTo.Since(r.RecordedFrom); ok && ns > 0 {
		o.set("recorded_makespan_s", float64(ns)/1e9).set("recorded_server_s", float64(r.RecordedNs)/1e9)
	}
	count(o, "input_tokens", r.ISL)
	count(o, "output_tokens", r.OSL)
	count(o, "prompt_tokens", r.Prompt)
	count(o, "cached_tokens", r.Cached)
	count(o, "theoretical_hit_tokens", r.HitTokens)
	count(o, "reachable_tokens", r.ReachTokens)
}

// sessionSummary counts trees by fate, and jobs: trees that were played to their end in profiling.
func sessionSummary(a *measure.Analysis) object {
	fates := map[string]int{"drained": 0, "aborted": 0, "open": 0}
	jobs := 0
	w := a.Own.Window
	for i := range a.Sessions {
		t := &a.Sessions[i]
		fates[t.Fate]++
		if t.Fate == "drained" && w.Known() && t.Ended.Known() && t.Ended < w.To {
			jobs++
		}
	}
	o := object{}
	o.set("trees", len(a.Sessions)).set("fates", fates).set("jobs_completed", jobs)
	lanes := lanesOf(a)
	if w.Known() && lanes > 0 {
		hours := w.Seconds() / 3600
		o.set("jobs_per_hour", float64(jobs)/hours).set("jobs_per_hour_per_user", float64(jobs)/hours/float64(lanes))
		if gpus := a.Options.GPUs; gpus > 0 {
			o.set("jobs_per_hour_per_gpu", float64(jobs)/hours/float64(gpus))
		}
	}
	return o
}

// lanesOf is the number of lanes that held a tree.
func lanesOf(a *measure.Analysis) int {
	lanes := map[int]bool{}
	for _, play := range a.Plays {
		if play != nil {
			lanes[play.Lane] = true
		}
	}
	return len(lanes)
}

// errorsFile is errors.jsonl: failures and overflows, grouped by a message whose ids and numbers are
// replaced.
func errorsFile(w io.Writer, a *measure.Analysis) error {
	file := lines{to: w}
	for i := range a.Errors {
		g := &a.Errors[i]
		var o object
		o.set("outcome", string(g.Outcome)).text("class", g.Class).set("count", g.Count).set("pattern", g.Pattern).set("first", errorDetails(&g.Error))
		seconds(&o, "first_s", g.First)
		seconds(&o, "last_s", g.Last)
		o.set("by_depth", g.Depths).set("traces", g.Traces)
		if err := file.write(o); err != nil {
			return err
		}
	}
	return nil
}
