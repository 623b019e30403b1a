package corpus

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// instant orders a recorded entry: its place in the file, and its time where the file is out of order.
type instant struct {
	t   float64
	row int
}

// spawner finds the spawning and the joining turns of children among the root's turns (spec
// reconstruction 4.2, 4.3, decision 7).
type spawner struct {
	turns     []call // the root's
	ascending bool   // their rows ascend: the file is in time order
}

func newSpawner(turns []call) spawner {
	ascending := slices.IsSortedFunc(turns, func(a, b call) int { return cmp.Compare(a.row, b.row) })
	return spawner{turns: turns, ascending: ascending}
}

// before reports whether turn k stands before the entry.
func (s *spawner) before(k int, entry instant) bool {
	turn := &s.turns[k]
	if s.ascending || turn.t == entry.t {
		return turn.row < entry.row
	}
	return turn.t < entry.t
}

// spawn is the last turn before the entry, -1 for none.
func (s *spawner) spawn(entry instant) int {
	return sort.Search(len(s.turns), func(k int) bool { return !s.before(k, entry) }) - 1
}

// join is the first turn after the entry and after the spawning turn that did not begin before end;
// -1 for none: nobody waits.
func (s *spawner) join(entry instant, spawn int, end float64) int {
	for k := spawn + 1; k < len(s.turns); k++ {
		if s.ascending && s.turns[k].row < entry.row {
			continue
		}
		if s.turns[k].t+timeSlack >= end {
			return k
		}
	}
	return -1
}

// branchKey tells the children that are one branch.
type branchKey struct{ spawn, join int }

// branchSet collects the branches of the root in order of their first member.
type branchSet struct {
	branches []Branch
	index    map[branchKey]int
}

func (s *branchSet) add(key branchKey, id BranchID, start float64, children []int) {
	startMs := Millis(float64(start * 1000))
	i, known := s.index[key]
	if !known {
		i = len(s.branches)
		s.index[key] = i
		s.branches = append(s.branches, Branch{ID: id, SpawnTurn: key.spawn, JoinTurn: key.join, StartMs: startMs})
	}
	branch := &s.branches[i]
	branch.StartMs = min(branch.StartMs, startMs)
	branch.Children = append(branch.Children, children...)
}

// attach gives the plan its streams in emission order and the root its branches. root holds the root's
// stream and the flat ones.
func (b *builder) attach(root []stream, bases []TimeBasis) error {
	turns := newSpawner(root[0].calls)
	if !turns.ascending {
		b.facts.OutOfOrder = append(b.facts.OutOfOrder, b.trace.ID)
	}
	b.streams = root[:1:1]
	agents := branchSet{index: map[branchKey]int{}}
	if err := b.attachAgents(&turns, &agents, bases); err != nil {
		return err
	}
	flat := branchSet{index: map[branchKey]int{}}
	for n, worker := range root[1:] {
		first := instant{worker.calls[0].t, worker.calls[0].row}
		end := first.t
		for i := range worker.calls {
			end = max(end, worker.calls[i].end())
		}
		spawn := max(0, turns.spawn(first))
		id := BranchID(fmt.Sprintf("%s:flatspawn:%d", b.trace.ID, n))
		flat.add(branchKey{spawn, turns.join(first, spawn, end)}, id, first.t, []int{len(b.streams)})
		b.streams = append(b.streams, worker)
	}
	b.branches = append(agents.branches, flat.branches...)
	return b.checkIDs()
}

func (b *builder) attachAgents(turns *spawner, branches *branchSet, bases []TimeBasis) error {
	kept := map[string]int{}
	for row := range b.trace.Rows {
		agent := b.trace.Rows[row].Subagent
		if agent == nil {
			continue
		}
		b.plan.Subagents++
		marker := instant{agent.T, row}
		spawn := turns.spawn(marker)
		if spawn < 0 {
			b.plan.Dropped = append(b.plan.Dropped, DroppedSubagent{agent.Agent, row, "no earlier turn of the root"})
			b.facts.DroppedRequests += len(agent.Requests)
			continue
		}
		if other, double := kept[agent.Agent]; double {
			return b.fail(fmt.Sprintf("requests[%d].agent_id", row),
				fmt.Sprintf("agent id %q is already that of requests[%d]", agent.Agent, other),
				"give every subagent of a trace its own id")
		}
		kept[agent.Agent] = row
		streams := b.agentStreams(agent, row, bases[row])
		children := make([]int, len(streams))
		for i := range streams {
			children[i] = len(b.streams) + i
		}
		b.streams = append(b.streams, streams...)
		id := BranchID(fmt.Sprintf("%s:spawn:%s", b.trace.ID, agent.Agent))
		branches.add(branchKey{spawn, turns.join(marker, spawn, agentEnd(agent, streams))}, id, agent.T, children)
	}
	return nil
}

// agentEnd is when a subagent was over: by its recorded duration, else by its requests.
func agentEnd(agent *Subagent, streams []stream) float64 {
	if agent.DurationMs.Present() {
		return agent.T + max(0, float64(agent.DurationMs))/1000
	}
	end, some := agent.T, false
	for s := range streams {
		for i := range streams[s].calls {
			last := streams[s].calls[i].end()
			if !some || last > end {
				end, some = last, true
			}
		}
	}
	return end
}

// checkIDs refuses a trace of which two conversations would have the same id; names made by hand can
// look like those that chain detection gives.
func (b *builder) checkIDs() error {
	seen := make(map[ConversationID]bool, len(b.streams))
	for i := range b.streams {
		if id := b.streams[i].id; seen[id] {
			return b.fail("agent_id", fmt.Sprintf("two conversations would be called %q", id), "rename the subagent")
		}
		seen[b.streams[i].id] = true
	}
	return nil
}
