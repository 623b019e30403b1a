package sched

import (
	"errors"

	"agentx/corpus"
)

// Machine is one run of the replay. It is not safe for concurrent use.
type Machine struct {
	config Config
}

// New checks the settings against the plans and builds the initial trajectories. The plans are in
// data set order. An entry may be nil where it is known that the sampler never draws it (a log keeps
// only the plans that were used); if it is drawn after all, it is skipped.
func New(config Config, plans []*corpus.Plan) (*Machine, error) {
	return nil, errors.New("the replay machine is not built yet")
}

// Step applies one input at the instant now (ns since run start, never decreasing) and returns what
// was decided. The slice is valid until the next call.
func (m *Machine) Step(now int64, input Input) []Event { return nil }

// NextWake is the instant of the earliest timer, and whether there is one. It may lie in the past.
func (m *Machine) NextWake() (at int64, ok bool) { return 0, false }

// Done reports whether the run is complete: no input has an effect any more.
func (m *Machine) Done() bool { return true }
