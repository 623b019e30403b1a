package measure

import (
	"iter"

	"agentx/eventlog"
)

// Source is the log that an analysis reads; *eventlog.Reader is one.
type Source interface {
	Events(filter eventlog.Filter) iter.Seq2[eventlog.Event, error]
	Plan(digest eventlog.Digest) ([]byte, bool, error)
}

// Options narrow and shape an analysis. The zero value takes everything from the log: its whole
// profiling phase, and the settings that the run was given.
type Options struct {
	ServerTokens *bool    // whose token counts; nil: as the run was told
	Goodput      string   // objectives; empty: those of the run
	SliceSeconds *float64 // length of time slices; nil: as the run was told, 0: none
	GPUs         int      // for rates per GPU; 0: as the run was told, if it was

	FromSeconds, ToSeconds *float64 // window of start times, seconds after profiling start
	Phase                  Phase    // profiling unless set
	Depth                  *int
	Trace, Kind            string
	ExcludeErrors          bool

	NoChunks bool // leave chunk-level metrics out: gaps, exact decode curves, peaks
	NoCurves bool // leave time-weighted metrics out

	Live bool // the log is being written: it has no end yet, which is no interruption

	NoServerMetrics bool // leave the servers' own metrics pages out
}

// choose reports whether a request is in the subset that the options name, phase and time apart.
func (o *Options) choose(r *Record, basis *Basis) bool {
	switch {
	case o.Depth != nil && r.Place.Depth != *o.Depth:
	case o.Trace != "" && r.Place.Trace != o.Trace:
	case o.Kind != "" && r.Place.Kind != o.Kind:
	case o.ExcludeErrors && basis.IsError(r):
	default:
		return true
	}
	return false
}
