package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentx/corpus"
)

// genTrace draws traces that look like recordings gone wrong: few ids, so that lists overlap in every
// way, times in and out of order, missing and negative durations, lists longer and shorter than the
// input, subagents on both time bases.
func genTrace() *rapid.Generator[*corpus.Trace] {
	return rapid.Custom(func(t *rapid.T) *corpus.Trace {
		trace := &corpus.Trace{ID: "v", BlockSize: 64, Blocks: 40,
			ToolTokens: int64(rapid.IntRange(0, 200).Draw(t, "tool")), SystemTokens: int64(rapid.IntRange(0, 100).Draw(t, "sys"))}
		rows := rapid.IntRange(1, 25).Draw(t, "rows")
		clock, lists := 0.0, [][]corpus.Block{nil}
		inOrder := rapid.Bool().Draw(t, "in order")
		for i := range rows {
			clock += float64(rapid.IntRange(0, 5).Draw(t, "step"))
			at := clock
			if !inOrder {
				at = float64(rapid.IntRange(0, 40).Draw(t, "t"))
			}
			if i > 0 && rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
				trace.Rows = append(trace.Rows, corpus.Row{Subagent: genAgent(t, i, at, &lists)})
				continue
			}
			trace.Rows = append(trace.Rows, corpus.Row{Request: genRequest(t, at, &lists)})
		}
		return trace
	})
}

func genAgent(t *rapid.T, i int, at float64, lists *[][]corpus.Block) *corpus.Subagent {
	agent := &corpus.Subagent{T: at, Agent: fmt.Sprintf("agent_%d", i), DurationMs: corpus.Absent(),
		ToolTokens: int64(rapid.IntRange(0, 150).Draw(t, "tool"))}
	if rapid.Bool().Draw(t, "has duration") {
		agent.DurationMs = corpus.Millis(rapid.IntRange(-1, 20).Draw(t, "duration") * 1000)
	}
	base := at
	if rapid.Bool().Draw(t, "relative") {
		base = 0
	}
	for range rapid.IntRange(0, 6).Draw(t, "inner rows") {
		agent.Requests = append(agent.Requests, genRequest(t, base+float64(rapid.IntRange(0, 12).Draw(t, "inner t")), lists))
	}
	return agent
}

func genRequest(t *rapid.T, at float64, lists *[][]corpus.Block) corpus.Request {
	r := corpus.Request{T: at, Type: "n", Model: rapid.SampledFrom([]string{"A", "A", "A", "B"}).Draw(t, "model"),
		Out:     int64(rapid.IntRange(0, 300).Draw(t, "out")),
		APITime: corpus.NoSeconds(), ThinkTime: corpus.NoSeconds(),
		Stop:  rapid.SampledFrom([]string{"", "tool_use", "end_turn"}).Draw(t, "stop"),
		Input: rapid.SampledFrom([]corpus.InputKind{"", corpus.InputUser, corpus.InputToolResult}).Draw(t, "input")}
	if rapid.Bool().Draw(t, "has api") {
		r.APITime = corpus.Seconds(rapid.IntRange(-1, 8).Draw(t, "api"))
	}
	if rapid.Bool().Draw(t, "has think") {
		r.ThinkTime = corpus.Seconds(rapid.IntRange(-1, 8).Draw(t, "think"))
	}
	base := rapid.SampledFrom(*lists).Draw(t, "goes on from")
	r.Blocks = append(r.Blocks, base[:rapid.IntRange(0, len(base)).Draw(t, "keeps")]...)
	for range rapid.IntRange(0, 5).Draw(t, "new ids") {
		r.Blocks = append(r.Blocks, corpus.Block(rapid.IntRange(0, 39).Draw(t, "id")))
	}
	*lists = append(*lists, r.Blocks)
	r.In = int64(max(1, len(r.Blocks)*64+rapid.IntRange(-200, 200).Draw(t, "in")))
	return r
}

func genOptions() *rapid.Generator[corpus.Options] {
	return rapid.Custom(func(t *rapid.T) corpus.Options {
		o := corpus.DefaultOptions()
		o.SplitFlattenedAgents = rapid.IntRange(0, 3).Draw(t, "split") > 0
		o.NoPreamble = rapid.Bool().Draw(t, "no preamble")
		o.ToolShaped = rapid.Bool().Draw(t, "tool shaped")
		o.AuxISLFloor = int64(rapid.SampledFrom([]int{0, 200, 16384}).Draw(t, "floor"))
		o.WorkerGroupMin = rapid.IntRange(0, 3).Draw(t, "group")
		o.NestedTimestamps = rapid.SampledFrom([]corpus.TimeBasis{corpus.BasisAuto, corpus.BasisRelative, corpus.BasisAbsolute}).Draw(t, "basis")
		o.ThinkTimeOnly = rapid.Bool().Draw(t, "think only")
		o.IgnoreTraceDelays = !o.ThinkTimeOnly && rapid.IntRange(0, 4).Draw(t, "ignore") == 0
		o.AdjacentRoles = rapid.SampledFrom([]corpus.AdjacentRoles{corpus.AdjacentKeep, corpus.AdjacentMerge}).Draw(t, "roles")
		o.BlockSize = rapid.SampledFrom([]int{0, 0, 16, 100}).Draw(t, "block size")
		return o
	})
}

// Whatever the recording: each prompt has its length, each message its windows, and no turn waits for
// itself.
func TestPlansOfRandomTraces(t *testing.T) { rapid.Check(t, plansHold) }

// FuzzBuild is the same on traces that the fuzzer draws.
func FuzzBuild(f *testing.F) {
	for seed := range uint64(8) {
		draws := make([]byte, 4096)
		for i := range draws {
			seed = seed*6364136223846793005 + 1442695040888963407
			draws[i] = byte(seed >> 56)
		}
		f.Add(draws)
	}
	f.Fuzz(rapid.MakeFuzz(plansHold))
}

func plansHold(t *rapid.T) {
	trace, options := genTrace().Draw(t, "trace"), genOptions().Draw(t, "options")
	plan, layout, facts, err := corpus.Build(trace, options)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	checkPlan(t, plan, layout)
	checkComplete(t, trace, plan)
	checkSharing(t, trace, plan, layout)
	checkHits(t, trace, plan)
	checkBranches(t, plan)
	if facts.CyclicEdges == 0 {
		checkPredecessors(t, plan)
	}
	turns := 0
	for _, count := range facts.Turns {
		turns += count
	}
	if turns+facts.DroppedRequests != countRequests(trace) {
		t.Fatalf("%d turns and %d dropped requests of %d", turns, facts.DroppedRequests, countRequests(trace))
	}
}

// checkPredecessors compares the predecessors with the rule as it is written (spec reconstruction 4.7).
func checkPredecessors(t failer, plan *corpus.Plan) {
	t.Helper()
	end := func(turn *corpus.Turn) float64 { return float64(turn.TMs) + turn.APIMs.Or(0) }
	at := func(ref corpus.TurnRef) *corpus.Turn { return &plan.Conversations[ref.Conversation].Turns[ref.Turn] }
	for c := range plan.Conversations {
		for k := range plan.Conversations[c].Turns {
			target := &plan.Conversations[c].Turns[k]
			var candidates []corpus.TurnRef
			for o := range plan.Conversations {
				if o == c || plan.Conversations[o].Scope != plan.Conversations[c].Scope {
					continue
				}
				best := -1
				for i := range plan.Conversations[o].Turns {
					turn := &plan.Conversations[o].Turns[i]
					if !(turn.TMs < target.TMs && end(turn) <= float64(target.TMs)) {
						continue
					}
					if best < 0 || end(turn) > end(&plan.Conversations[o].Turns[best]) ||
						end(turn) == end(&plan.Conversations[o].Turns[best]) && turn.TMs >= plan.Conversations[o].Turns[best].TMs {
						best = i
					}
				}
				if best >= 0 {
					candidates = append(candidates, corpus.TurnRef{Conversation: o, Turn: best})
				}
			}
			want := slices.DeleteFunc(slices.Clone(candidates), func(ref corpus.TurnRef) bool {
				return slices.ContainsFunc(candidates, func(later corpus.TurnRef) bool {
					return at(ref).TMs < at(later).TMs && end(at(ref)) <= float64(at(later).TMs)
				})
			})
			slices.SortFunc(want, func(a, b corpus.TurnRef) int {
				return strings.Compare(string(plan.Conversations[a.Conversation].ID), string(plan.Conversations[b.Conversation].ID))
			})
			if !slices.Equal(want, target.Preds) {
				t.Fatalf("%s turn %d waits for %v, want %v", plan.Conversations[c].ID, k, target.Preds, want)
			}
		}
	}
}

func countRequests(trace *corpus.Trace) int {
	count := 0
	for _, row := range trace.Rows {
		if row.Subagent == nil {
			count++
		} else {
			count += len(row.Subagent.Requests)
		}
	}
	return count
}

// checkComplete: every recorded request is one turn, but for those of dropped subagents.
func checkComplete(t failer, trace *corpus.Trace, plan *corpus.Plan) {
	t.Helper()
	seen := map[[2]int]bool{}
	for c := range plan.Conversations {
		last := -1.0
		for _, turn := range plan.Conversations[c].Turns {
			place := [2]int{turn.Row, turn.InnerRow}
			if seen[place] {
				t.Fatalf("row %v is two turns", place)
			}
			seen[place] = true
			if turn.TMs.Present() {
				if float64(turn.TMs) < last {
					t.Fatalf("%s goes back in time", plan.Conversations[c].ID)
				}
				last = float64(turn.TMs)
			}
			if turn.GapMs.Present() && turn.GapMs < 0 {
				t.Fatalf("a delay of %v ms", turn.GapMs)
			}
		}
	}
	dropped := map[int]bool{}
	for _, d := range plan.Dropped {
		dropped[d.Row] = true
	}
	for i, row := range trace.Rows {
		if row.Subagent == nil && !seen[[2]int{i, -1}] {
			t.Fatalf("row %d is no turn", i)
		}
		if row.Subagent == nil || dropped[i] {
			continue
		}
		for r := range row.Subagent.Requests {
			if !seen[[2]int{i, r}] {
				t.Fatalf("row %d.%d is no turn", i, r)
			}
		}
	}
}

func requestOf(trace *corpus.Trace, turn *corpus.Turn) *corpus.Request {
	row := &trace.Rows[turn.Row]
	if turn.InnerRow >= 0 {
		return &row.Subagent.Requests[turn.InnerRow]
	}
	return &row.Request
}

// checkSharing: the windows of a prompt are those of its ids, the same rank for the same id and for no
// other, then windows that occur in this turn only.
func checkSharing(t failer, trace *corpus.Trace, plan *corpus.Plan, layout *corpus.Layout) {
	t.Helper()
	rankOf := map[corpus.Block]corpus.Rank{}
	blockOf := map[corpus.Rank]corpus.Block{}
	owner := map[corpus.Rank][2]int{}
	for c := range plan.Conversations {
		var array []corpus.Content
		for k := range plan.Conversations[c].Turns {
			turn := &plan.Conversations[c].Turns[k]
			array = append(array[:turn.Keep:turn.Keep], layout.Messages[c][k]...)
			var ranks []corpus.Rank
			for m, content := range array {
				for _, span := range content.Spans {
					for i := range span.Count {
						ranks = append(ranks, span.First+corpus.Rank(i))
					}
				}
				if content.HasTail {
					if m != len(array)-1 {
						t.Fatalf("a tail before the last message")
					}
					ranks = append(ranks, content.Tail)
				}
			}
			request := requestOf(trace, turn)
			covered := min(len(request.Blocks), int(request.In)/plan.BlockSize)
			for i, rank := range ranks {
				if i >= covered {
					if other, used := owner[rank]; int(rank) < layout.IDs || used && other != [2]int{c, k} {
						t.Fatalf("conversation %d turn %d: window %d is not its own", c, k, i)
					}
					owner[rank] = [2]int{c, k}
					continue
				}
				block := request.Blocks[i]
				if known, met := rankOf[block]; met && known != rank {
					t.Fatalf("block %d has ranks %d and %d", block, known, rank)
				}
				if known, met := blockOf[rank]; met && known != block || int(rank) >= layout.IDs {
					t.Fatalf("rank %d stands for blocks %d and %d", rank, known, block)
				}
				rankOf[block], blockOf[rank] = rank, block
			}
		}
	}
	if len(blockOf) != layout.IDs || len(owner) != len(layout.Unique) {
		t.Fatalf("%d of %d ranks of ids and %d of %d others are used", len(blockOf), layout.IDs, len(owner), len(layout.Unique))
	}
}

// checkHits compares the hits with a plain search through all earlier requests.
func checkHits(t failer, trace *corpus.Trace, plan *corpus.Plan) {
	t.Helper()
	type record struct {
		turn   *corpus.Turn
		t      float64
		number int // of the conversation; ties inside a subagent go by it
		place  int // of the turn in it
		ids    []corpus.Block
	}
	var records []record
	for c := range plan.Conversations {
		for k := range plan.Conversations[c].Turns {
			turn := &plan.Conversations[c].Turns[k]
			request := requestOf(trace, turn)
			ids := request.Blocks[:min(len(request.Blocks), int(request.In)/plan.BlockSize)]
			records = append(records, record{turn, float64(turn.TMs), c, k, ids})
		}
	}
	before := func(a, b *record) bool { // spec reconstruction 6.2
		switch {
		case a.t != b.t:
			return a.t < b.t
		case a.turn.Row != b.turn.Row:
			return a.turn.Row < b.turn.Row
		case a.turn.InnerRow < 0 || a.number == b.number:
			return a.place < b.place
		}
		return a.number < b.number
	}
	for i := range records {
		own := &records[i]
		if own.t != own.t {
			return // without times the plan does not tell the order
		}
		want := 0
		for j := range records {
			if other := &records[j]; i != j && before(other, own) {
				same := 0
				for same < min(len(own.ids), len(other.ids)) && own.ids[same] == other.ids[same] {
					same++
				}
				want = max(want, same)
			}
		}
		if own.turn.HitBlocks != want {
			t.Fatalf("row %d.%d hits %d blocks, want %d", own.turn.Row, own.turn.InnerRow, own.turn.HitBlocks, want)
		}
	}
}

// checkBranches: every child belongs to one branch, a join comes after its spawn, and turns and
// branches name each other.
func checkBranches(t failer, plan *corpus.Plan) {
	t.Helper()
	children := map[int]int{}
	root := plan.Root()
	for i, branch := range root.Branches {
		if branch.JoinTurn >= 0 && branch.JoinTurn <= branch.SpawnTurn || branch.SpawnTurn >= len(root.Turns) {
			t.Fatalf("branch %s spawns at %d and joins at %d", branch.ID, branch.SpawnTurn, branch.JoinTurn)
		}
		for _, child := range branch.Children {
			children[child]++
		}
		spawns, joins := 0, 0
		for k := range root.Turns {
			for _, b := range root.Turns[k].Spawns {
				if b == i && k == branch.SpawnTurn {
					spawns++
				}
			}
			for _, b := range root.Turns[k].Joins {
				if b == i && k == branch.JoinTurn {
					joins++
				}
			}
		}
		if spawns != 1 || (joins == 1) != (branch.JoinTurn >= 0) {
			t.Fatalf("branch %s is spawned by %d turns and joined by %d", branch.ID, spawns, joins)
		}
	}
	for c := 1; c < len(plan.Conversations); c++ {
		if children[c] != 1 {
			t.Fatalf("conversation %d is in %d branches", c, children[c])
		}
	}
}
