package report

import (
	"cmp"
	"maps"
	"slices"

	"agentx/internal/measure"
)

// tally counts failures among the requests that were sent, for each value of something.
type tally[K cmp.Ordered] map[K]*struct{ failed, sent int }

func (t tally[K]) add(key K, failed bool) {
	cell := t[key]
	if cell == nil {
		cell = &struct{ failed, sent int }{}
		t[key] = cell
	}
	cell.sent++
	if failed {
		cell.failed++
	}
}

// rows has a row for each value, in order.
func (t tally[K]) rows(name string) []object {
	rows := []object{}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		var o object
		o.set(name, key).set("failed", t[key].failed).set("sent", t[key].sent).set("rate", float64(t[key].failed)/float64(t[key].sent))
		rows = append(rows, o)
	}
	return rows
}

// errorRates are failures by class, depth and phase, over the requests sent (spec metrics 10.4). Those by phase are of
// all phases, whichever was chosen.
func errorRates(a *measure.Analysis) object {
	depths, phases, classes := tally[int]{}, tally[string]{}, map[string]int{}
	failed := 0
	for _, r := range a.Selected {
		if r.Exchange < 0 {
			continue
		}
		depths.add(r.Place.Depth, r.Outcome.IsError())
		if r.Outcome.IsError() {
			classes[r.Class]++
			failed++
		}
	}
	for _, r := range a.EveryPhase() {
		if r.Exchange >= 0 {
			phases.add(string(r.Phase), r.Outcome.IsError())
		}
	}
	byClass := []object{}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		var o object
		o.set("class", class).set("failed", classes[class]).set("rate", float64(classes[class])/float64(a.Population.Sent))
		byClass = append(byClass, o)
	}
	o := object{}
	o.set("failed", failed).set("sent", a.Population.Sent)
	if a.Population.Sent > 0 {
		o.set("rate", float64(failed)/float64(a.Population.Sent))
	}
	o.set("by_class", byClass).set("by_depth", depths.rows("depth")).set("by_phase", phases.rows("phase"))
	return *o.set("kinds", len(a.Errors))
}
