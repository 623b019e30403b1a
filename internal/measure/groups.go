package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Group is a part of a run's requests with its metrics.
type Group struct {
	Label string
	Set   *Set
	Sent  int
	Fails int
}

// Dimensions are what a run can be broken down by.
func Dimensions() []string { return []string{"depth", "turn", "trace", "isl-bucket"} }

// Breakdown splits the chosen requests of a run by a dimension, in ascending order of its values. Groups
// have no curves and no throughput, since requests of several groups share the time, and no gaps between
// chunks, which cost more than all else and which nothing shows by group.
func (a *Analysis) Breakdown(by string) ([]Group, error) {
	var label func(*Record) (int, string)
	switch by {
	case "depth":
		label = func(r *Record) (int, string) { return r.Place.Depth, fmt.Sprint(r.Place.Depth) }
	case "turn":
		label = turnBucket
	case "trace":
		label = func(r *Record) (int, string) { return 0, r.Place.Trace }
	case "isl-bucket":
		label = islBucket
	default:
		return nil, fmt.Errorf("breaking down by %q: expected one of %s", by, strings.Join(Dimensions(), ", "))
	}
	type key struct {
		order int
		label string
	}
	parts := map[key][]*Record{}
	var keys []key
	for _, r := range a.Selected {
		if r.Exchange < 0 {
			continue
		}
		order, text := label(r)
		k := key{order, text}
		if parts[k] == nil {
			keys = append(keys, k)
		}
		parts[k] = append(parts[k], r)
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.label, b.label)) })
	groups := make([]Group, 0, len(keys))
	basis := a.Basis
	basis.SilentIsOK = true
	for _, k := range keys {
		set := Aggregate(parts[k], How{Basis: &basis, Window: NoWindow()})
		groups = append(groups, Group{Label: k.label, Set: set, Sent: len(parts[k]), Fails: set.Totals.Errors})
	}
	return groups, nil
}

// turnBucket groups turn numbers: the first ones alone, later ones by powers of two.
func turnBucket(r *Record) (int, string) {
	from := r.Place.Turn
	if from < 4 {
		return from, fmt.Sprint(from)
	}
	low := 4
	for low*2 <= from {
		low *= 2
	}
	return low, fmt.Sprintf("%d-%d", low, low+low-1)
}

// islBucket groups input lengths by powers of two from 1,024 tokens on.
func islBucket(r *Record) (int, string) {
	if !r.Tokens.Input.Known() {
		return -1, "not counted"
	}
	tokens := int(r.Tokens.Input)
	if tokens < 1024 {
		return 0, "0-1023"
	}
	low := 1024
	for low*2 <= tokens {
		low *= 2
	}
	return low, fmt.Sprintf("%d-%d", low, low+low-1)
}
