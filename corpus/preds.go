package corpus

import (
	"cmp"
	"slices"
	"sort"
)

// interval is the recorded extent of a turn in ms.
type interval struct {
	turn       int
	start, end float64
}

// predecessors gives every turn the turns of other streams of its scope that must have completed
// before it: of each stream the latest that had ended when the turn began, without those that are
// themselves recorded before another of them (spec reconstruction 4.7). Turns without times have none.
func (b *builder) predecessors() {
	scopes := map[string][]int{}
	var order []string
	for c := range b.plan.Conversations {
		scope := b.plan.Conversations[c].Scope
		if len(scopes[scope]) == 0 {
			order = append(order, scope)
		}
		scopes[scope] = append(scopes[scope], c)
	}
	for _, scope := range order {
		members := scopes[scope]
		if len(members) < 2 {
			continue
		}
		ended := make([][]interval, len(members)) // by end
		for m, c := range members {
			ended[m] = intervals(b.plan.Conversations[c].Turns)
		}
		for m, c := range members {
			turns := b.plan.Conversations[c].Turns
			for k := range turns {
				if turns[k].TMs.Present() {
					turns[k].Preds = b.frontier(members, ended, m, float64(turns[k].TMs))
				}
			}
		}
	}
}

func intervals(turns []Turn) []interval {
	ended := make([]interval, 0, len(turns))
	for k := range turns {
		if turns[k].TMs.Present() {
			start := float64(turns[k].TMs)
			ended = append(ended, interval{k, start, start + turns[k].APIMs.Or(0)})
		}
	}
	slices.SortFunc(ended, func(x, y interval) int {
		return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.start, y.start), cmp.Compare(x.turn, y.turn))
	})
	return ended
}

// frontier finds the predecessors of a turn of member own that starts at start.
func (b *builder) frontier(members []int, ended [][]interval, own int, start float64) []TurnRef {
	type candidate struct {
		member int
		interval
	}
	var candidates []candidate
	latest := 0.0
	for m := range members {
		if m == own {
			continue
		}
		// The first that does not count: it ends after start, or has no extent and begins with it.
		past := sort.Search(len(ended[m]), func(i int) bool {
			at := ended[m][i]
			return at.end > start || at.end == start && at.start >= start
		})
		if past == 0 {
			continue
		}
		found := candidate{m, ended[m][past-1]}
		if len(candidates) == 0 || found.start > latest {
			latest = found.start
		}
		candidates = append(candidates, found)
	}
	var preds []TurnRef
	for _, c := range candidates {
		if c.start < latest && c.end <= latest {
			continue // recorded before the candidate that began last
		}
		preds = append(preds, TurnRef{members[c.member], c.turn})
	}
	slices.SortFunc(preds, func(x, y TurnRef) int {
		return cmp.Or(cmp.Compare(b.streams[x.Conversation].id, b.streams[y.Conversation].id), cmp.Compare(x.Turn, y.Turn))
	})
	return preds
}
