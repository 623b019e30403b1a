package schedtest

import (
	"slices"
	"strings"

	"agentx/corpus"
)

// Infer fills the predecessors of a plan straight from rule 5.6.1, one comparison at a time. It is the
// slow twin of what corpus does.
func Infer(plan *corpus.Plan) {
	graph := newGraph(plan)
	for c := range plan.Conversations {
		for k := range plan.Conversations[c].Turns {
			target := corpus.TurnRef{Conversation: c, Turn: k}
			for _, pred := range frontier(plan, target) {
				if graph.leads(target, pred) {
					continue // it would close a circle
				}
				graph.add(pred, target)
				turn := &plan.Conversations[c].Turns[k]
				turn.Preds = append(turn.Preds, pred)
			}
		}
	}
}

type span struct {
	ref        corpus.TurnRef
	start, end float64
}

// frontier lists the latest finished turn of every other stream of the scope, without those recorded
// before another of them.
func frontier(plan *corpus.Plan, target corpus.TurnRef) []corpus.TurnRef {
	own := &plan.Conversations[target.Conversation]
	if !own.Turns[target.Turn].TMs.Present() {
		return nil
	}
	begin := float64(own.Turns[target.Turn].TMs)
	var latest []span
	for c := range plan.Conversations {
		other := &plan.Conversations[c]
		if c == target.Conversation || other.Scope != own.Scope {
			continue
		}
		var best *span
		for k := range other.Turns {
			if !other.Turns[k].TMs.Present() {
				continue
			}
			start := float64(other.Turns[k].TMs)
			s := span{corpus.TurnRef{Conversation: c, Turn: k}, start, start + max(0, other.Turns[k].APIMs.Or(0))}
			if s.start < begin && s.end <= begin && (best == nil || s.end > best.end || s.end == best.end && s.start >= best.start) {
				best = &s
			}
		}
		if best != nil {
			latest = append(latest, *best)
		}
	}
	latest = slices.DeleteFunc(slices.Clone(latest), func(s span) bool {
		return slices.ContainsFunc(latest, func(l span) bool { return s.start < l.start && s.end <= l.start })
	})
	slices.SortFunc(latest, func(a, b span) int {
		return strings.Compare(string(plan.Conversations[a.ref.Conversation].ID), string(plan.Conversations[b.ref.Conversation].ID))
	})
	refs := make([]corpus.TurnRef, len(latest))
	for i := range latest {
		refs[i] = latest[i].ref
	}
	return refs
}

// graph is the order of turns without predecessors: streams, spawns, joins.
type graph map[corpus.TurnRef][]corpus.TurnRef

func newGraph(plan *corpus.Plan) graph {
	g := graph{}
	for c := range plan.Conversations {
		for k := 1; k < len(plan.Conversations[c].Turns); k++ {
			g.add(corpus.TurnRef{Conversation: c, Turn: k - 1}, corpus.TurnRef{Conversation: c, Turn: k})
		}
	}
	for _, branch := range plan.Root().Branches {
		for _, child := range branch.Children {
			g.add(corpus.TurnRef{Turn: branch.SpawnTurn}, corpus.TurnRef{Conversation: child})
			if branch.JoinTurn >= 0 {
				last := len(plan.Conversations[child].Turns) - 1
				g.add(corpus.TurnRef{Conversation: child, Turn: last}, corpus.TurnRef{Turn: branch.JoinTurn})
			}
		}
	}
	return g
}

func (g graph) add(from, to corpus.TurnRef) { g[from] = append(g[from], to) }

// leads reports whether there is a way from one turn to another.
func (g graph) leads(from, to corpus.TurnRef) bool {
	seen := map[corpus.TurnRef]bool{from: true}
	for stack := []corpus.TurnRef{from}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		for _, next := range g[at] {
			if !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return false
}
