package run

import (
	"fmt"

	"agentx/corpus"
)

// markerTokens is room for a cache-bust marker in the window count (spec decision 27).
const markerTokens = 18

// windowFit says how much of a corpus does not fit a context window.
type windowFit struct {
	turns, turnsOver   int
	traces, tracesOver int
	peak               int64 // tokens: greatest in + marker + output limit
}

// fitWindow counts the turns whose prompt, marker and output limit together are over the window.
func fitWindow(plans []*corpus.Plan, window int64) windowFit {
	fit := windowFit{traces: len(plans)}
	for _, plan := range plans {
		over := false
		for _, conversation := range plan.Conversations {
			for i := range conversation.Turns {
				turn := &conversation.Turns[i]
				need := turn.In + markerTokens + turn.MaxOut
				fit.turns++
				fit.peak = max(fit.peak, need)
				if need > window {
					fit.turnsOver++
					over = true
				}
			}
		}
		if over {
			fit.tracesOver++
		}
	}
	return fit
}

func (f windowFit) warning(url string, window int64) string {
	return fmt.Sprintf("%s has a context window of %s tokens, but %s of %s requests in %d of %d traces need more (up to %s): they will overflow; "+
		"prepare the bundle with --max-context-length %d to leave such traces out",
		url, grouped(window), grouped(int64(f.turnsOver)), grouped(int64(f.turns)), f.tracesOver, f.traces, grouped(f.peak), window)
}
