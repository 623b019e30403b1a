package corpus

import "errors"

// Build turns a recorded trace into the plan that replaying follows and the layout of its text: it
// finds the conversations in the recording, their spawns, joins, delays, predecessors, message shapes
// and theoretical cache hits (spec reconstruction 1.4 and 3 … 8). The trace is not changed.
//
// It does not filter traces; Select does. An error names the trace and says why it cannot be replayed.
func Build(trace *Trace, options Options) (*Plan, *Layout, Facts, error) {
	return nil, nil, Facts{}, errors.New("building plans is not there yet")
}
