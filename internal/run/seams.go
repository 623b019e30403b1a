package run

import "agentx/eventlog"

// Seams are for tests of what cannot be had at will: a run that dies at a named point of its log's writer,
// a slow or full disk, a wall clock that is set. The zero value is what a run uses.
type Seams struct {
	Log  eventlog.Options
	Wall func() int64 // the wall clock, ns since the Unix epoch
}

// RequestID is the id that a run's request carries; exchange counts from 0 over the whole run.
func RequestID(runID string, exchange int64) string { return identity{runID}.request(exchange) }
