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
// the window, or end after it, count with what lies inside. Output counts when its chunks came, as
// measure.WindowOutput has it: by running token counts where the server sends them, else shared over the
// chunks by text; where chunks were not read, evenly from first to last token.
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
	clip := func(from, to measure.Stamp) (measure.Window, bool) {
		w := measure.Window{From: max(from, window.From), To: min(to, window.To)}
		return w, from.Known() && to.Known() && w.To > w.From
	}
	for _, r := range a.Records {
		if inside, ok := clip(r.Times.Start, r.AxisEnd()); ok {
			clock.pieces(inside, func(i int, seconds float64) { t.InFlight[i] += seconds / t.StepSeconds })
		}
		first, last := r.Times.First, r.Times.Last
		if first.Known() && first >= window.From && first < window.To {
			t.InputTokens[clock.at(first)] += float64(r.Tokens.Input.Or(0)) / t.StepSeconds
		}
		if r.Valid() && last >= window.From && last < window.To {
			t.Completed[clock.at(last)] += 1 / t.StepSeconds
		}
		outputAt(r, func(at measure.Stamp, tokens float64) {
			if at >= window.From && at <= window.To {
				t.OutputTokens[clock.at(at)] += tokens / t.StepSeconds
			}
		}, func(from, to measure.Stamp, tokens float64) {
			if inside, ok := clip(from, to); ok {
				rate := tokens / (float64(to-from) / 1e9)
				clock.pieces(inside, func(i int, seconds float64) { t.OutputTokens[i] += rate * seconds / t.StepSeconds })
			}
		})
	}
	return t
}

// outputAt gives out the output tokens of a request at moments, or over a stretch.
func outputAt(r *measure.Record, at func(measure.Stamp, float64), over func(from, to measure.Stamp, tokens float64)) {
	first, last, osl := r.Times.First, r.Times.Last, r.OSL()
	if !first.Known() {
		return
	}
	running, text := measure.NoCount, int64(0)
	for piece := range r.Trail.All() {
		running, text = max(running, piece.Tokens), text+piece.TextBytes
	}
	switch {
	case running > 0:
		before := measure.Count(0)
		for piece := range r.Trail.All() {
			if piece.Tokens.Known() && piece.Tokens > before {
				at(r.Times.Start+measure.Stamp(piece.Offset), float64(piece.Tokens-before))
				before = piece.Tokens
			}
		}
	case !osl.Known():
	case r.Trail.Len() > 0:
		for piece := range r.Trail.All() {
			share := 1 / float64(r.Trail.Len())
			if text > 0 {
				share = float64(piece.TextBytes) / float64(text)
			}
			at(r.Times.Start+measure.Stamp(piece.Offset), float64(osl)*share)
		}
	case last > first:
		over(first, last, float64(osl))
	default:
		at(first, float64(osl))
	}
}
