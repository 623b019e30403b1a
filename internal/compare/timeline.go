package compare

import (
	"agentx/internal/measure"
)

// Times are curves over a run's window, in equal steps from its start.
type Times struct {
	StepSeconds  float64
	OutputTokens []float64 // per second
	InputTokens  []float64 // per second, when the first token came
	InFlight     []float64
	Completed    []float64 // valid requests per second
}

// timelineSteps is the number of steps of a timeline.
const timelineSteps = 120

// Timeline draws a run's rates over its window, from every request of the log: requests that began before
// the window, or end after it, count with what lies inside. Output counts when it came, as
// measure.WindowOutput has it.
func Timeline(a *measure.Analysis) Times {
	window := a.Own.Window
	if !window.Known() {
		return Times{}
	}
	t := Times{StepSeconds: window.Seconds() / timelineSteps}
	for _, curve := range []*[]float64{&t.OutputTokens, &t.InputTokens, &t.InFlight, &t.Completed} {
		*curve = make([]float64, timelineSteps)
	}
	clock := stretched{window: window, count: timelineSteps}
	inside := func(at measure.Stamp) bool { return at.Known() && at >= window.From && at <= window.To }
	clip := func(from, to measure.Stamp) (measure.Window, bool) {
		w := measure.Window{From: max(from, window.From), To: min(to, window.To)}
		return w, from.Known() && to.Known() && w.To > w.From
	}
	for _, r := range a.Records {
		if r.OverBy(window.From) {
			continue
		}
		if part, ok := clip(r.Times.Start, r.AxisEnd()); ok {
			clock.pieces(part, func(i int, seconds float64) { t.InFlight[i] += seconds / t.StepSeconds })
		}
		if first := measure.FirstSeen(r); inside(first) {
			t.InputTokens[clock.at(first)] += float64(r.Tokens.Input.Or(0)) / t.StepSeconds
		}
		if last := r.Times.Last; r.Valid() && inside(last) {
			t.Completed[clock.at(last)] += 1 / t.StepSeconds
		}
		measure.PlaceOutput(r, func(at measure.Stamp, tokens float64) {
			if inside(at) {
				t.OutputTokens[clock.at(at)] += tokens / t.StepSeconds
			}
		})
	}
	return t
}
