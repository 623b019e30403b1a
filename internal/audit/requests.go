package audit

import (
	"agentx/corpus/bundle"
	"agentx/eventlog"
)

// Requests gives request bodies as they were sent, rebuilt from bundle and log.
type Requests struct{ bodies *Bodies }

// NewRequests reads from the log which turn each exchange sent.
func NewRequests(log Log, b *bundle.Bundle, config eventlog.RunConfig) (*Requests, error) {
	bodies, err := NewBodies(b, config)
	if err != nil {
		return nil, err
	}
	if bodies.header, err = readHeader(log); err != nil {
		return nil, err
	}
	filter := eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindTreeOpen, eventlog.KindStreamOpen, eventlog.KindDispatch}}
	for row, err := range log.Events(filter) {
		if err == nil {
			err = bodies.row(row)
		}
		if err != nil {
			return nil, err
		}
	}
	return &Requests{bodies}, nil
}

// Body is the JSON body of an exchange's request, valid until the next call; false for an exchange that
// the log does not know.
func (r *Requests) Body(exchange int64) ([]byte, bool, error) {
	sent, known := r.bodies.open[exchange]
	if !known {
		return nil, false, nil
	}
	if err := r.bodies.rebuild(&sent); err != nil {
		return nil, false, err
	}
	return r.bodies.body, true, nil
}
