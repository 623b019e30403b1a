package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentx/internal/exit"
	"agentx/internal/measure"
)

// nothingChosen is the error for a selection that leaves none of the requests that a run has: what was asked for
// is not there, so that figures of nothing would be an answer to another question. It says what there is.
func nothingChosen(path string, analysis *measure.Analysis) error {
	o := &analysis.Run.Options
	asked := selectionWords(o)
	if len(analysis.Selected) > 0 || len(asked) == 0 {
		return nil
	}
	phase := o.Phase
	if phase == "" {
		phase = measure.PhaseProfiling
	}
	have := presentIn(analysis.Run, phase)
	if have.requests == 0 {
		return nil // the run's own emptiness, which the summary tells
	}
	return exit.With(exit.Usage, fmt.Errorf("%s: none of its %d %s requests is in the selection %s: it has %s",
		path, have.requests, phase, strings.Join(asked, " "), have.words(o)))
}

// selectionWords are the flags that narrow the requests. Failed requests that are left out are no wrong selection.
func selectionWords(o *measure.Options) []string {
	var words []string
	if o.FromSeconds != nil {
		words = append(words, fmt.Sprintf("--from %g", *o.FromSeconds))
	}
	if o.ToSeconds != nil {
		words = append(words, fmt.Sprintf("--to %g", *o.ToSeconds))
	}
	if o.Depth != nil {
		words = append(words, fmt.Sprintf("--depth %d", *o.Depth))
	}
	if o.Trace != "" {
		words = append(words, "--trace "+o.Trace)
	}
	if o.Kind != "" {
		words = append(words, "--kind "+o.Kind)
	}
	return words
}

// present is what the requests of a phase have that a selection can ask for.
type present struct {
	requests      int
	first, last   float64 // starts, seconds after that of the phase
	started       bool
	depths        map[int]bool
	traces, kinds map[string]bool
}

func presentIn(run *measure.Run, phase measure.Phase) present {
	have := present{depths: map[int]bool{}, traces: map[string]bool{}, kinds: map[string]bool{}}
	bounds := run.Phases[phase]
	for _, record := range run.Records {
		if record.Phase != phase {
			continue
		}
		have.requests++
		have.depths[record.Place.Depth], have.traces[record.Place.Trace], have.kinds[record.Place.Kind] = true, true, true
		at := record.Times.Start
		if bounds == nil || !bounds.Start.Known() || !at.Known() {
			continue
		}
		seconds := float64(at-bounds.Start) / 1e9
		if !have.started {
			have.first, have.last, have.started = seconds, seconds, true
		}
		have.first, have.last = min(have.first, seconds), max(have.last, seconds)
	}
	return have
}

// words tell of what was asked for what there is.
func (p *present) words(o *measure.Options) string {
	var parts []string
	if (o.FromSeconds != nil || o.ToSeconds != nil) && p.started {
		parts = append(parts, fmt.Sprintf("starts from %.2f to %.2f s after the start of the phase", p.first, p.last))
	}
	if o.Depth != nil {
		parts = append(parts, "depths "+listed(p.depths))
	}
	if o.Trace != "" {
		parts = append(parts, "traces "+listed(p.traces))
	}
	if o.Kind != "" {
		parts = append(parts, "kinds "+listed(p.kinds))
	}
	return strings.Join(parts, "; ")
}

// listed names the first of a set, in order.
func listed[T int | string](set map[T]bool) string {
	const most = 8
	values := slices.Sorted(maps.Keys(set))
	var names []string
	for _, value := range values[:min(most, len(values))] {
		names = append(names, fmt.Sprint(value))
	}
	if more := len(values) - most; more > 0 {
		names = append(names, fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(names, ", ")
}
