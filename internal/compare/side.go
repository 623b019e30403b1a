package compare

import (
	"agentx/internal/measure"
)

// Side is what stands on one side of a comparison: a run, or several runs of one configuration.
type Side struct {
	Label string
	Paths []string // of the logs, for people
	Runs  []*measure.Analysis
}

// The two sides, as indices.
const (
	sideA = 0
	sideB = 1
)

// basis is what metric values of a run depend on, as report.json has it: an answer without visible
// content is no error (decision 14).
func basis(a *measure.Analysis) *measure.Basis {
	b := a.Basis
	b.SilentIsOK = true
	return &b
}

// WindowSeconds is the length of a run's window; 0 where it is not known.
func WindowSeconds(a *measure.Analysis) float64 {
	if !a.Own.Window.Known() {
		return 0
	}
	return a.Own.Window.Seconds()
}
