package compare

import (
	"cmp"
	"math"
	"slices"

	"agentx/internal/measure"
)

// Change is a turn whose value changed, in the metric's unit.
type Change struct {
	Trace, Conversation string
	Turn, Pass, Depth   int
	A, B                float64
	InputTokens         int64
	CachedA, CachedB    measure.Count // as the servers reported
	ExchangeA           int64         // in the logs
	ExchangeB           int64
}

// Changes are the turns with the greatest differences of one metric.
type Changes struct {
	Tag, Header, Unit string
	Greater, Smaller  []Change // in B than in A; the greatest difference first
}

// changedTags are the metrics by which turns are listed.
func changedTags() []string { return []string{"time_to_first_token", "request_latency"} }

// changes lists the turns that changed most, at most limit in each direction.
func changes(pairs []Pair, bases [2]*measure.Basis, u *units, limit int) []Changes {
	definitions := measure.Definitions()
	var list []Changes
	for _, tag := range changedTags() {
		d, known := measure.Lookup(definitions, tag)
		if !known {
			continue
		}
		found := Changes{Tag: d.Tag, Header: d.Header, Unit: d.Unit}
		var all []Change
		for i := range pairs {
			p := &pairs[i]
			a, hasA := d.Value(p.A, bases[sideA])
			b, hasB := d.Value(p.B, bases[sideB])
			if hasA && hasB && a != b {
				all = append(all, changeOf(p, u.keys[p.unit].pass, a, b))
			}
		}
		// Pairs are in the order of B's dispatch, and the sort keeps it among equal differences.
		slices.SortStableFunc(all, func(x, y Change) int { return cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)) })
		for _, change := range all {
			if change.B > change.A && len(found.Greater) < limit {
				found.Greater = append(found.Greater, change)
			}
			if change.B < change.A && len(found.Smaller) < limit {
				found.Smaller = append(found.Smaller, change)
			}
		}
		list = append(list, found)
	}
	return list
}

func changeOf(p *Pair, pass int, a, b float64) Change {
	return Change{
		Trace: p.A.Place.Trace, Conversation: p.A.Place.Conversation, Turn: p.A.Place.Turn, Pass: pass, Depth: p.A.Place.Depth,
		A: a, B: b, InputTokens: p.A.Tokens.LocalInput.Or(0),
		CachedA: p.A.Tokens.Usage.CacheRead, CachedB: p.B.Tokens.Usage.CacheRead,
		ExchangeA: p.A.Exchange, ExchangeB: p.B.Exchange,
	}
}
