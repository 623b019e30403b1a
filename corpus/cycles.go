package corpus

import "slices"

// order is the graph of what must be over before a turn is sent: nodes are turns, numbered through
// all conversations.
type order struct {
	base  []int   // first node of each conversation
	next  [][]int // successors
	count int
}

func newOrder(plan *Plan) *order {
	g := &order{base: make([]int, len(plan.Conversations))}
	for c := range plan.Conversations {
		g.base[c] = g.count
		g.count += len(plan.Conversations[c].Turns)
	}
	g.next = make([][]int, g.count)
	for c := range plan.Conversations {
		conversation := &plan.Conversations[c]
		for k := 1; k < len(conversation.Turns); k++ {
			g.add(g.base[c]+k-1, g.base[c]+k)
		}
		for _, branch := range conversation.Branches {
			for _, child := range branch.Children {
				last := len(plan.Conversations[child].Turns) - 1
				if last < 0 {
					continue
				}
				g.add(g.base[c]+branch.SpawnTurn, g.base[child])
				if branch.JoinTurn >= 0 {
					g.add(g.base[child]+last, g.base[c]+branch.JoinTurn)
				}
			}
		}
	}
	return g
}

func (g *order) add(from, to int) { g.next[from] = append(g.next[from], to) }

func (g *order) node(ref TurnRef) int { return g.base[ref.Conversation] + ref.Turn }

// cyclic marks the nodes that lie on a cycle or between two of them: what is left when nodes without
// predecessors are taken away, then nodes without successors. Nil: there is no cycle.
func (g *order) cyclic() []bool {
	left := make([]bool, g.count)
	for i := range left {
		left[i] = true
	}
	reversed := make([][]int, g.count)
	for from, successors := range g.next {
		for _, to := range successors {
			reversed[to] = append(reversed[to], from)
		}
	}
	remaining := peel(left, reversed, g.next, g.count)
	if remaining == 0 {
		return nil
	}
	peel(left, g.next, reversed, remaining)
	return left
}

// peel takes away nodes that nothing left leads to and returns how many remain. into lists the edges
// that hold a node, out those that it holds.
func peel(left []bool, into, out [][]int, remaining int) int {
	degree := make([]int, len(left))
	var free []int
	for i := range left {
		if !left[i] {
			continue
		}
		for _, from := range into[i] {
			if left[from] {
				degree[i]++
			}
		}
		if degree[i] == 0 {
			free = append(free, i)
		}
	}
	for len(free) > 0 {
		i := free[len(free)-1]
		free = free[:len(free)-1]
		left[i] = false
		remaining--
		for _, to := range out[i] {
			if degree[to]--; degree[to] == 0 && left[to] {
				free = append(free, to)
			}
		}
	}
	return remaining
}

// reaches reports whether to can be reached from from over nodes of inside.
func (g *order) reaches(from, to int, inside []bool) bool {
	seen := map[int]bool{from: true}
	for stack := []int{from}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if i == to {
			return true
		}
		for _, next := range g.next[i] {
			if inside[next] && !seen[next] {
				seen[next] = true
				stack = append(stack, next)
			}
		}
	}
	return false
}

// breakCycles drops predecessor edges that would close a cycle with stream order, spawns and joins.
// They are added one by one, by conversation, turn and predecessor (spec scheduling 5.6.1). Such cycles
// arise only from files out of time order.
func (b *builder) breakCycles() error {
	whole := newOrder(b.plan)
	if whole.cyclic() != nil {
		return b.fail("requests", "spawns and joins wait for each other", "check the times of the trace")
	}
	for c := range b.plan.Conversations {
		for k, turn := range b.plan.Conversations[c].Turns {
			for _, pred := range turn.Preds {
				whole.add(whole.node(pred), whole.base[c]+k)
				b.facts.PredecessorEdges++
			}
		}
	}
	inside := whole.cyclic()
	if inside == nil {
		return nil
	}
	g := newOrder(b.plan)
	for c := range b.plan.Conversations {
		turns := b.plan.Conversations[c].Turns
		for k := range turns {
			to := g.base[c] + k
			turns[k].Preds = slices.DeleteFunc(turns[k].Preds, func(pred TurnRef) bool {
				from := g.node(pred)
				if inside[from] && inside[to] && g.reaches(to, from, inside) {
					b.facts.CyclicEdges++
					b.facts.PredecessorEdges--
					return true
				}
				g.add(from, to)
				return false
			})
		}
	}
	return nil
}
