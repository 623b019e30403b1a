package weka_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// buildCorpus builds every trace of a corpus and joins the facts in order.
func buildCorpus(t testing.TB, joined *weka.Corpus, options corpus.Options) (corpus.Facts, []built) {
	t.Helper()
	all := make([]built, len(joined.Units))
	inParallel(len(all), func(i int) {
		all[i] = buildUnit(t, joined.Units[i], options)
		all[i].trace, all[i].layout = nil, nil
	})
	var facts corpus.Facts
	for i := range all {
		facts.Add(all[i].facts)
	}
	return facts, all
}

// The totals of the 640 shared traces, as the peer counts them.
func TestCorpusSummary(t *testing.T) {
	text, err := os.ReadFile(sharedPath(t, "golden", "corpus_summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Traces        int
		Conversations map[corpus.ConversationKind]int `json:"conversations_by_kind"`
		Turns         map[corpus.ConversationKind]int `json:"turns_by_kind"`
		Totals        map[string]float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	options := corpus.DefaultOptions()
	joined, err := surveyAll(t, weka.Settings{Options: options, Strict: true}, realTraces(t))
	if err != nil {
		t.Fatal(err)
	}
	facts, all := buildCorpus(t, joined, options)
	equal(t, "traces", want.Traces, facts.Traces)
	equal(t, "conversations", want.Conversations, facts.Conversations)
	equal(t, "turns", want.Turns, facts.Turns)
	for name, got := range map[string]float64{
		"branches": float64(facts.Branches), "branches_background": float64(facts.BranchesBackground),
		"delay_gt60s": float64(facts.DelaysLong), "dropped_subagents": float64(facts.DroppedSubagents),
		"empty_delta_turns": float64(facts.UnchangedTurns), "hash_gt_floor": float64(facts.RowsSurplusIDs),
		"hash_lt_floor": float64(facts.RowsTooFewIDs), "hit_blocks": float64(facts.HitBlocks),
		"total_blocks": float64(facts.TotalBlocks), "in": float64(facts.InTokens), "out": float64(facts.OutTokens),
		"max_tokens": float64(facts.MaxOutTokens), "out0": float64(facts.ZeroOut), "pred_edges": float64(facts.PredecessorEdges),
		"reset_turns": float64(facts.Resets), "split_aux": float64(facts.Split.Aux), "split_chains": float64(facts.Split.Chains),
		"split_reduction": float64(facts.Split.Reductions), "split_split": float64(facts.TracesSplit),
		"split_worker_group": float64(facts.Split.Group), "tail_turns": float64(facts.Tails),
		"trailing_non_user_turns": float64(facts.NonUserEnds),
	} {
		equal(t, name, want.Totals[name], got)
	}
	if total := facts.DelayTotalMs / 1000; math.Abs(total-want.Totals["delay_total_s"]) > 0.5 {
		t.Errorf("delays sum up to %v s, want %v", total, want.Totals["delay_total_s"])
	}
	equal(t, "distinct ids", 3028807, facts.DistinctBlocks)
	messages, kinds := 0.0, map[corpus.InputKind]int{}
	for i := range all {
		for c := range all[i].plan.Conversations {
			for _, turn := range all[i].plan.Conversations[c].Turns {
				messages += float64(turn.Emitted)
				kinds[turn.Input]++
			}
		}
	}
	equal(t, "messages_emitted", want.Totals["messages_emitted"], messages)
	equal(t, "input kinds", map[corpus.InputKind]int{corpus.InputToolResult: int(want.Totals["input_kind_tool_result"]),
		corpus.InputUser: int(want.Totals["input_kind_user_input"])}, kinds)
}

// anchor is a whole real trace in a few sums (spec reconstruction 13).
type anchor struct {
	turns           map[string]int
	branches        int
	background      int
	hits, blocks    int64
	delay           float64
	maxOut          int64
	resets, preds   int
	system          int64 // emitted message tokens, with those sent again
	user, assistant int64
	messages        int
}

func TestWholeTraceAnchors(t *testing.T) {
	anchors := map[string]anchor{
		"trace_0002": {turns: map[string]int{"": 33}, hits: 22020, blocks: 23559, delay: 1776690, maxOut: 18463, resets: 32,
			system: 503808, user: 831889, assistant: 173120, messages: 535},
		"trace_0006": {turns: map[string]int{"": 46}, hits: 53515, blocks: 57494, delay: 4691320, maxOut: 19178, resets: 45,
			system: 697216, user: 2766468, assistant: 217408, messages: 862},
		"trace_0008": {turns: map[string]int{"": 9, "::fa:000": 43}, branches: 1, background: 1, hits: 71688, blocks: 74445,
			delay: 944820, maxOut: 28243, resets: 50, preds: 43, system: 137088, user: 4071170, assistant: 557888, messages: 1742},
		"trace_0009": {turns: map[string]int{"": 182, "::fa:000": 2, "::fa:001": 99}, branches: 1, background: 1,
			hits: 468385, blocks: 487844, delay: 14399010, maxOut: 56605, resets: 280, preds: 101},
		"trace_0277": {turns: map[string]int{"": 9, "::sa:agent_001": 4, "::sa:agent_002": 12, "::sa:agent_003": 17, "::sa:agent_004": 11},
			branches: 3, background: 1, hits: 35139, blocks: 40230, delay: 1093260, maxOut: 31862, resets: 48,
			system: 509056, user: 1975450, assistant: 91904, messages: 683},
		"trace_0010": {turns: map[string]int{"": 122, "::sa:agent_001": 7, "::sa:agent_002": 5, "::sa:agent_003": 14, "::sa:agent_004": 24},
			branches: 3, hits: 221769, blocks: 235356, delay: 29831160, maxOut: 101388, resets: 167,
			system: 2541952, user: 10921646, assistant: 1604480, messages: 5538},
		"trace_0004": {turns: map[string]int{"": 38, "::sa:agent_001": 14, "::sa:agent_002": 19, "::fa:000": 33, "::fa:001": 69, "::fa:002": 42},
			branches: 2, background: 2, hits: 307588, blocks: 319344, delay: 201278420, maxOut: 56671, resets: 209, preds: 144},
		"trace_0003": {turns: map[string]int{"": 80, "::sa:agent_001": 10, "::sa:agent_002": 4, "::fa:000": 315},
			branches: 3, background: 1, hits: 712512, blocks: 749712, delay: 41051560, maxOut: 188690, resets: 405, preds: 316},
	}
	traces := realTraces(t)
	met := 0
	for name, want := range anchors {
		path := filepath.Join(traces, name+".json")
		if _, err := os.Stat(path); err != nil {
			continue // the shared set leaves some traces out
		}
		met++
		t.Run(name, func(t *testing.T) { checkAnchor(t, want, buildFile(t, path, corpus.DefaultOptions())) })
	}
	if met < 6 {
		t.Errorf("%d of %d anchors are among the shared traces", met, len(anchors))
	}
}

func checkAnchor(t *testing.T, want anchor, got built) {
	facts := got.facts
	equal(t, "branches", want.branches, facts.Branches)
	equal(t, "background", want.background, facts.BranchesBackground)
	equal(t, "hits", want.hits, facts.HitBlocks)
	equal(t, "blocks", want.blocks, facts.TotalBlocks)
	equal(t, "delay", want.delay, math.Round(facts.DelayTotalMs))
	equal(t, "max out", want.maxOut, facts.MaxOutTokens)
	equal(t, "resets", want.resets, facts.Resets)
	equal(t, "predecessors", want.preds, facts.PredecessorEdges)
	turns := map[string]int{}
	tokens := map[corpus.Role]int64{}
	messages := 0
	for c := range got.plan.Conversations {
		conversation := &got.plan.Conversations[c]
		turns[string(conversation.ID)[len(got.plan.Trace):]] = len(conversation.Turns)
		var array []corpus.Message
		for _, turn := range conversation.Turns {
			array = append(array[:turn.Keep:turn.Keep], turn.New...)
			for _, message := range array[len(array)-turn.Emitted:] {
				tokens[message.Role] += message.Tokens
				messages++
			}
		}
	}
	equal(t, "turns", want.turns, turns)
	if want.messages == 0 {
		return // not recorded for this trace
	}
	equal(t, "messages", want.messages, messages)
	equal(t, "tokens", map[corpus.Role]int64{corpus.RoleSystem: want.system, corpus.RoleUser: want.user, corpus.RoleAssistant: want.assistant}, tokens)
}
