package corpus_test

import (
	"reflect"
	"testing"

	"agentx/corpus"
)

func TestStats(t *testing.T) {
	first, _, _ := build(t, `
0 640/64 [1-10] 1
sub a 2 dur=4000
  2 64/9 [91] 1
  5 128/9 [91,92] 1
sub b 3 dur=1000
  3 64/9 [93] 1
sub c 8 dur=90000
  8 64/9 [94] 1
20 704/40 [1-11] 1
100 768/1 [1-12] 2`, nil)
	second, _, _ := build(t, "5 1280/0 [1-20] 1", nil)
	stats := corpus.Stats([]*corpus.Plan{first, second}, []int64{700, 2000})
	one, whole := stats.Traces[0], stats.Corpus
	if one.Trace != "v" || whole.Trace != "" || len(stats.Traces) != 2 || whole.Traces != 2 {
		t.Errorf("the traces are %+v", stats.Traces)
	}
	if one.Requests != 7 || whole.Requests != 8 || one.Conversations != 4 || one.Depth != 1 || stats.Traces[1].Depth != 0 {
		t.Errorf("%d requests, %d in all, %d conversations, depth %d", one.Requests, whole.Requests, one.Conversations, one.Depth)
	}
	if want := map[corpus.ConversationKind]int{corpus.KindRoot: 1, corpus.KindSubagent: 3}; !reflect.DeepEqual(one.Kinds, want) {
		t.Errorf("kinds are %v", one.Kinds)
	}
	// a and b are one branch that is joined; c ends at 98 and is joined too.
	if one.Branches != 2 || one.Joined != 2 || one.Background != 0 || one.FanOut.Max != 2 || one.FanOut.Min != 1 {
		t.Errorf("branches: %+v", one)
	}
	if one.MakespanS.Max != 102 || whole.MakespanS.Count != 2 || whole.MakespanS.Min != 1 {
		t.Errorf("makespans are %+v", whole.MakespanS)
	}
	// Pauses: 2 s in a, 19 and 79 s in the root.
	if one.GapS.Count != 3 || one.GapS.P50 != 19 || one.GapS.Max != 79 || one.GapSumS != 100 {
		t.Errorf("gaps are %+v", one.GapS)
	}
	if want := []corpus.Over{{Bound: 10, Count: 2}, {Bound: 60, Count: 1}, {Bound: 300}}; !reflect.DeepEqual(one.LongGaps, want) {
		t.Errorf("long gaps are %v", one.LongGaps)
	}
	if whole.InTokens != 640+704+768+64+128+64+64+1280 || whole.OutTokens != 64+40+1+9*4 {
		t.Errorf("%d tokens in, %d out", whole.InTokens, whole.OutTokens)
	}
	if one.HitBlocks != 10+11+1 || one.HitTokens != 22*64 || one.Blocks != 10+11+12+1+2+1+1 {
		t.Errorf("hits %d of %d blocks, %d tokens", one.HitBlocks, one.Blocks, one.HitTokens)
	}
	// Over 700: 640+64, 704+40, 768+1, 1280+1.
	if want := []corpus.LimitFits{{Limit: 700, RequestsOver: 4, TracesOver: 2}, {2000, 0, 0, 2, 8, whole.InTokens}}; !reflect.DeepEqual(whole.Limits, want) {
		t.Errorf("limits are %+v", whole.Limits)
	}
	if len(one.ByDepth) != 2 || one.ByDepth[0].ISL.Count != 3 || one.ByDepth[1].ISL.Count != 4 {
		t.Errorf("by depth: %+v", one.ByDepth)
	}
	if len(one.ByTurn) != 2 || one.ByTurn[0].ISL.Count != 4 || one.ByTurn[1].From != 1 || one.ByTurn[1].To != 4 || one.ByTurn[1].ISL.Count != 3 {
		t.Errorf("by turn: %+v", one.ByTurn)
	}
}

// A second recording of the same requests is a copy, whatever it is called; another time is another one.
func TestStatsCountCopies(t *testing.T) {
	same, _, _ := build(t, "0 640/64 [1-10] 1", nil)
	renamed := *same
	renamed.Trace = "w"
	later, _, _ := build(t, "1 640/64 [1-10] 1", nil)
	if got := corpus.Stats([]*corpus.Plan{same, later, &renamed}, nil); got.Corpus.Copies != 1 || got.Corpus.Traces != 3 || got.Traces[2].Copies != 0 {
		t.Errorf("%+v", got.Corpus)
	}
}

// Nearest rank: of 1 … 10 the median is 5, p90 is 9, p99 is 10.
func TestQuantilesAreNearestRank(t *testing.T) {
	script := ""
	for i, in := range []string{"10", "3", "7", "1", "9", "4", "6", "2", "8", "5"} {
		script += string(rune('0'+i)) + " " + in + "/1 []\n"
	}
	plan, _, _ := build(t, script, nil)
	got := corpus.Stats([]*corpus.Plan{plan}, nil).Corpus.ISL
	want := corpus.Quantiles{Count: 10, Mean: 5.5, Min: 1, P10: 1, P25: 3, P50: 5, P75: 8, P90: 9, P99: 10, Max: 10}
	if got != want {
		t.Errorf("quantiles are %+v, want %+v", got, want)
	}
	if empty := corpus.Stats(nil, nil).Corpus.ISL; empty != (corpus.Quantiles{}) {
		t.Errorf("of nothing they are %+v", empty)
	}
}
