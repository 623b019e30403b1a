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
// the window, or end after it, count with what lies inside. Output is spread evenly from first to last
// token.
func Timeline(a *measure.Analysis) Times {
	window := a.Own.Window
	if !window.Known() || window.To <= window.From {
		return Times{}
	}
	t := Times{StepSeconds: window.Seconds() / timelineSteps}
	for _, curve := range []*[]float64{&t.OutputTokens, &t.InputTokens, &t.InFlight, &t.Completed} {
		*curve = make([]float64, timelineSteps)
	}
	clock := stretched{window: window, count: timelineSteps}
	clip := func(from, to measure.Stamp) (measure.Window, bool) {
		w := measure.Window{From: max(from, window.From), To: min(to, window.To)}
		return w, from.Known() && to.Known() && w.To > w.From
	}
	for _, r := range a.Records {
		if inside, ok := clip(r.Times.Start, r.AxisEnd()); ok {
			clock.pieces(inside, func(i int, seconds float64) { t.InFlight[i] += seconds / t.StepSeconds })
		}
		first, last, osl := r.Times.First, r.Times.Last, float64(r.OSL().Or(0))
		if first.Known() && first >= window.From && first < window.To {
			t.InputTokens[clock.at(first)] += float64(r.Tokens.Input.Or(0)) / t.StepSeconds
		}
		if r.Valid() && last >= window.From && last < window.To {
			t.Completed[clock.at(last)] += 1 / t.StepSeconds
		}
		if inside, ok := clip(first, last); ok {
			rate := osl / (float64(last-first) / 1e9)
			clock.pieces(inside, func(i int, seconds float64) { t.OutputTokens[i] += rate * seconds / t.StepSeconds })
		} else if first.Known() && first == last && first >= window.From && first < window.To {
			t.OutputTokens[clock.at(first)] += osl / t.StepSeconds
		}
	}
	return t
}
