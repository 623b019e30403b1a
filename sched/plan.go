package sched

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agentx/corpus"
)

// recording is a corpus.Plan made ready for replay: times in ns, offsets of spawns, and for every
// conversation the branch that it belongs to.
type recording struct {
	index         int
	trace         string
	conversations []recordedConversation // the root first
	branches      []recordedBranch       // of the root
	hasTimes      bool                   // some turn has a timestamp
	lowMs         float64                // earliest and latest request start of the tree
	highMs        float64
}

type recordedConversation struct {
	id     string
	rank   int // position among the trace's ids in byte order
	depth  int
	branch int // index in recording.branches, None for the root
	turns  []recordedTurn
}

type recordedTurn struct {
	hasTime bool
	timeMs  float64
	timeNs  int64
	apiNs   int64
	gapNs   int64 // recorded pause before this turn; from the timestamps where only those are known
	preds   []TurnRef
	joins   []int
	spawns  []int
	// sendable: the turn carries a message, so that a session can start with it (2.11).
	sendable bool
}

type recordedBranch struct {
	spawnTurn, joinTurn int
	atIssue             bool
	hasStart            bool
	startMs             float64
	children            []int
	offsetsNs           []int64 // of the children's first turns after the spawn, by policy
}

// toNs converts recorded milliseconds, rounding half to even (decision 13a).
func toNs(ms float64) int64 { return int64(math.RoundToEven(float64(ms * 1e6))) }

func newRecording(index int, plan *corpus.Plan, policy SpawnPolicy) (*recording, error) {
	r := &recording{index: index, trace: string(plan.Trace), lowMs: math.Inf(1), highMs: math.Inf(-1)}
	r.conversations = make([]recordedConversation, len(plan.Conversations))
	for c := range plan.Conversations {
		r.addConversation(c, &plan.Conversations[c])
	}
	if len(r.conversations) == 0 || len(r.conversations[0].turns) == 0 {
		return r, nil
	}
	if err := r.addBranches(plan, policy); err != nil {
		return nil, fmt.Errorf("trace %s: %w", plan.Trace, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("trace %s: %w", plan.Trace, err)
	}
	r.rankIDs()
	return r, nil
}

func (r *recording) addConversation(index int, source *corpus.Conversation) {
	conversation := recordedConversation{id: string(source.ID), depth: source.Depth, branch: None}
	conversation.turns = make([]recordedTurn, len(source.Turns))
	for i := range source.Turns {
		from := &source.Turns[i]
		turn := &conversation.turns[i]
		turn.joins, turn.spawns = from.Joins, from.Spawns
		turn.sendable = from.Emitted > 0 || from.Keep+len(from.New) > 0
		for _, pred := range from.Preds {
			turn.preds = append(turn.preds, TurnRef(pred))
		}
		if from.APIMs.Present() && from.APIMs > 0 {
			turn.apiNs = toNs(float64(from.APIMs))
		}
		if from.TMs.Present() {
			turn.hasTime, turn.timeMs, turn.timeNs = true, float64(from.TMs), toNs(float64(from.TMs))
			r.hasTimes = true
			r.lowMs, r.highMs = min(r.lowMs, turn.timeMs), max(r.highMs, turn.timeMs)
		}
		turn.setGap(from, i, conversation.turns)
	}
	r.conversations[index] = conversation
}

// setGap takes the recorded gap, or the distance of the timestamps where there is none (5.5.8).
func (t *recordedTurn) setGap(from *corpus.Turn, i int, turns []recordedTurn) {
	switch {
	case i == 0:
	case from.GapMs.Present() && !math.IsInf(float64(from.GapMs), 0):
		t.gapNs = max(0, toNs(float64(from.GapMs)))
	case t.hasTime && turns[i-1].hasTime:
		t.gapNs = max(0, t.timeNs-turns[i-1].timeNs-turns[i-1].apiNs)
	}
}

func (r *recording) addBranches(plan *corpus.Plan, policy SpawnPolicy) error {
	root := plan.Root()
	for b := range root.Branches {
		source := &root.Branches[b]
		branch := recordedBranch{spawnTurn: source.SpawnTurn, joinTurn: source.JoinTurn, atIssue: source.SpawnAtIssue}
		if source.SpawnTurn < 0 || source.SpawnTurn >= len(root.Turns) || source.JoinTurn >= len(root.Turns) ||
			(source.JoinTurn >= 0 && source.JoinTurn <= source.SpawnTurn) {
			return fmt.Errorf("branch %s: spawn turn %d and join turn %d do not fit %d turns", source.ID, source.SpawnTurn, source.JoinTurn, len(root.Turns))
		}
		if source.StartMs.Present() {
			branch.hasStart, branch.startMs = true, float64(source.StartMs)
		}
		for _, child := range source.Children {
			if child <= 0 || child >= len(r.conversations) {
				return fmt.Errorf("branch %s: no conversation %d", source.ID, child)
			}
			if r.conversations[child].branch != None {
				return fmt.Errorf("conversation %s is in two branches", r.conversations[child].id)
			}
			r.conversations[child].branch = b
			if len(r.conversations[child].turns) > 0 { // a child without turns has nothing to wait for
				branch.children = append(branch.children, child)
			}
		}
		branch.inferStart(r)
		branch.setOffsets(r, policy)
		r.branches = append(r.branches, branch)
	}
	return nil
}

// inferStart takes the earliest first request of the children where the start was not recorded (1.4).
func (b *recordedBranch) inferStart(r *recording) {
	if b.hasStart {
		return
	}
	for _, child := range b.children {
		first := &r.conversations[child].turns[0]
		if first.hasTime && (!b.hasStart || first.timeMs < b.startMs) {
			b.hasStart, b.startMs = true, first.timeMs
		}
	}
}

// setOffsets computes when the children start after the spawn: after the parent's issue (5.4.2), or
// after its return by policy (D15).
func (b *recordedBranch) setOffsets(r *recording, policy SpawnPolicy) {
	parent := &r.conversations[0].turns[b.spawnTurn]
	b.offsetsNs = make([]int64, len(b.children))
	for i, child := range b.children {
		first := &r.conversations[child].turns[0]
		switch {
		case !first.hasTime:
		case b.atIssue && parent.hasTime:
			b.offsetsNs[i] = max(0, first.timeNs-parent.timeNs)
		case !b.atIssue && policy == SpawnImmediate && b.hasStart:
			b.offsetsNs[i] = max(0, first.timeNs-toNs(b.startMs))
		case !b.atIssue && policy != SpawnImmediate && parent.hasTime:
			b.offsetsNs[i] = max(0, first.timeNs-(parent.timeNs+parent.apiNs))
		}
	}
}

// check refuses what the machine has no rule for: deeper nesting, references that lead nowhere, and
// orders that can never be met.
func (r *recording) check() error {
	for c := range r.conversations {
		conversation := &r.conversations[c]
		if c > 0 && conversation.branch == None {
			return fmt.Errorf("conversation %s is in no branch of the root", conversation.id)
		}
		if (c == 0) != (conversation.depth == 0) || conversation.depth > 1 {
			return fmt.Errorf("conversation %s has depth %d: only a root and its subagents are supported", conversation.id, conversation.depth)
		}
		for i := range conversation.turns {
			turn := &conversation.turns[i]
			if err := r.checkBranches(c, i); err != nil {
				return err
			}
			for _, pred := range turn.preds {
				if pred.Conversation < 0 || pred.Conversation >= len(r.conversations) || pred.Turn < 0 ||
					pred.Turn >= len(r.conversations[pred.Conversation].turns) || pred.Conversation == c {
					return fmt.Errorf("turn %d of %s has no predecessor %v", i, conversation.id, pred)
				}
			}
		}
	}
	return r.checkOrder()
}

// checkBranches requires that turns and branches tell the same of spawns and joins.
func (r *recording) checkBranches(c, i int) error {
	turn := &r.conversations[c].turns[i]
	for _, branch := range slices.Concat(turn.joins, turn.spawns) {
		if c > 0 || branch < 0 || branch >= len(r.branches) {
			return fmt.Errorf("turn %d of %s names a branch %d that its conversation does not have", i, r.conversations[c].id, branch)
		}
	}
	if c > 0 {
		return nil
	}
	for b := range r.branches {
		if slices.Contains(turn.spawns, b) != (r.branches[b].spawnTurn == i) ||
			slices.Contains(turn.joins, b) != (r.branches[b].joinTurn == i) {
			return fmt.Errorf("branch %d and turn %d do not agree on spawn or join", b, i)
		}
	}
	return nil
}

// rankIDs sorts the conversation ids, which orders turns that are released together.
func (r *recording) rankIDs() {
	order := make([]int, len(r.conversations))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(r.conversations[a].id, r.conversations[b].id) })
	for rank, c := range order {
		r.conversations[c].rank = rank
	}
}
