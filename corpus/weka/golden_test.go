package weka_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agentx/corpus"
)

// goldenTrace is a trace as the peer builds it.
type goldenTrace struct {
	Trace        string `json:"trace"`
	BlockSize    int    `json:"block_size"`
	ToolTokens   int64  `json:"tool_tokens"`
	SystemTokens int64  `json:"system_tokens"`
	TopRows      int    `json:"n_top"`
	Subagents    int    `json:"n_subagents"`
	Peak         int64  `json:"peak_context"`
	Order        []string
	Dropped      struct {
		Subagents []any `json:"subagents"`
	}
	Split         map[string]int
	Columns       []string `json:"turn_columns"`
	Conversations []goldenConversation
}

type goldenConversation struct {
	ID       string
	Kind     string
	Depth    int
	Parent   *string
	Scope    string
	Branches []goldenBranch
	Turns    [][]any
	SumIn    int64 `json:"sum_in"`
	SumOut   int64 `json:"sum_out"`
}

type goldenBranch struct {
	ID         string
	SpawnTurn  int  `json:"spawn_turn"`
	JoinTurn   *int `json:"join_turn"`
	Background bool
	StartMs    float64 `json:"start_ms"`
	Children   []string
	Offsets    []float64 `json:"child_offset_ms"`
}

// goldenVariants are the settings of the golden files' variants. The variant idlegap60 is the
// scheduler's here (spec decision 11).
func goldenVariants() map[string]corpus.Options {
	variants := map[string]corpus.Options{}
	add := func(name string, change func(*corpus.Options)) {
		options := corpus.DefaultOptions()
		change(&options)
		variants[name] = options
	}
	thirty := 30.0
	add("", func(o *corpus.Options) {})
	add("thinktime", func(o *corpus.Options) { o.ThinkTimeOnly = true })
	add("maxosl256", func(o *corpus.Options) { o.MaxOSL = 256 })
	add("toolshaped", func(o *corpus.Options) { o.ToolShaped = true })
	add("nosplit", func(o *corpus.Options) { o.SplitFlattenedAgents = false })
	add("delaycap30", func(o *corpus.Options) { o.InterTurnDelayCapSeconds = &thirty })
	return variants
}

func TestGoldenTraces(t *testing.T) {
	var files []string
	for _, pattern := range []string{"trace_*.json", filepath.Join("variants", "trace_*.json")} {
		found, err := filepath.Glob(filepath.Join(sharedPath(t, "golden"), pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	traces := realTraces(t)
	variants := goldenVariants()
	compared := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		id, variant, _ := strings.Cut(name, ".")
		options, known := variants[variant]
		if !known {
			if variant != "idlegap60" {
				t.Errorf("%s: no settings for this variant", file)
			}
			continue
		}
		compared++
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want goldenTrace
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			got := buildFile(t, filepath.Join(traces, id+".json"), options)
			compareTrace(t, &want, got)
		})
	}
	if compared < 47 {
		t.Errorf("compared %d golden files, expected 22 traces and 25 variants", compared)
	}
}

func compareTrace(t *testing.T, want *goldenTrace, got built) {
	plan := got.plan
	equal(t, "trace", want.Trace, string(plan.Trace))
	equal(t, "block_size", want.BlockSize, plan.BlockSize)
	equal(t, "tool_tokens", want.ToolTokens, plan.ToolTokens)
	equal(t, "system_tokens", want.SystemTokens, plan.SystemTokens)
	equal(t, "n_top", want.TopRows, plan.TopRows)
	equal(t, "n_subagents", want.Subagents, plan.Subagents)
	equal(t, "peak_context", want.Peak, plan.PeakContext)
	equal(t, "dropped", len(want.Dropped.Subagents), len(plan.Dropped))
	if want.Split["split"] == 1 {
		own := plan.Split
		if plan.Subagents > 0 { // the peer counts the seams inside subagents nowhere
			own.Seams = min(own.Seams, want.Split["seams"])
		}
		equal(t, "split", want.Split, map[string]int{"split": 1, "chains": own.Chains, "aux": own.Aux,
			"reduction": own.Reductions, "worker_group": own.Group, "seams": own.Seams, "empty_hash": own.EmptyHash})
	} else {
		equal(t, "split chains", 0, plan.Split.Chains)
	}
	var order []string
	for i := range plan.Conversations {
		order = append(order, string(plan.Conversations[i].ID))
	}
	if !equal(t, "order", want.Order, order) {
		return
	}
	for i := range plan.Conversations {
		compareConversation(t, want, &want.Conversations[i], plan, &plan.Conversations[i])
	}
}

func compareConversation(t *testing.T, top *goldenTrace, want *goldenConversation, plan *corpus.Plan, got *corpus.Conversation) {
	equal(t, "kind", want.Kind, string(got.Kind))
	equal(t, "depth", want.Depth, got.Depth)
	equal(t, "scope", want.Scope, got.Scope)
	if (want.Parent == nil) != (got.Parent < 0) || want.Parent != nil && *want.Parent != string(plan.Conversations[got.Parent].ID) {
		t.Errorf("parent is %d, want %v", got.Parent, want.Parent)
	}
	equal(t, "branches", len(want.Branches), len(got.Branches))
	for i := range min(len(want.Branches), len(got.Branches)) {
		compareBranch(t, &want.Branches[i], plan, &got.Branches[i])
	}
	if !equal(t, got.Kind, len(want.Turns), len(got.Turns)) {
		return
	}
	var in, out int64
	var before []corpus.Message
	for k := range got.Turns {
		turn := got.Turns[k]
		in, out = in+turn.In, out+turn.Out
		array := append(before[:turn.Keep:turn.Keep], turn.New...)
		ignoreCalls(before, &turn)
		compareTurn(t, fmt.Sprintf("%s turn %d", got.ID, k), top.Columns, want.Turns[k], goldenRow(plan, got, &turn))
		before = array
	}
	equal(t, "sum_in", want.SumIn, in)
	equal(t, "sum_out", want.SumOut, out)
}

// ignoreCalls changes a turn to what the golden files hold: they take an assistant message for
// unchanged that has lost its tool call together with the tool's answer.
func ignoreCalls(before []corpus.Message, turn *corpus.Turn) {
	if len(turn.New) == 0 || turn.Keep == len(before) {
		return
	}
	old, own := before[turn.Keep], turn.New[0]
	if old.ToolCall != own.ToolCall && old.Role == own.Role && old.Tokens == own.Tokens && own.Role == corpus.RoleAssistant {
		turn.Keep, turn.New = turn.Keep+1, turn.New[1:]
	}
}

func compareBranch(t *testing.T, want *goldenBranch, plan *corpus.Plan, got *corpus.Branch) {
	equal(t, "branch", want.ID, string(got.ID))
	equal(t, want.ID+" spawn_turn", want.SpawnTurn, got.SpawnTurn)
	join := -1
	if want.JoinTurn != nil {
		join = *want.JoinTurn
	}
	equal(t, want.ID+" join_turn", join, got.JoinTurn)
	equal(t, want.ID+" background", want.Background, got.JoinTurn < 0)
	equal(t, want.ID+" start_ms", want.StartMs, float64(got.StartMs))
	var children []string
	for i, child := range got.Children {
		children = append(children, string(plan.Conversations[child].ID))
		offset := 0.0
		if turns := plan.Conversations[child].Turns; len(turns) > 0 {
			offset = max(0, float64(turns[0].TMs)-float64(got.StartMs))
		}
		if i < len(want.Offsets) && !closeMs(want.Offsets[i], offset) {
			t.Errorf("%s: child %d is %v ms after the start, want %v", want.ID, i, offset, want.Offsets[i])
		}
	}
	equal(t, want.ID+" children", want.Children, children)
}

// goldenRow is a turn in the columns of the golden files.
func goldenRow(plan *corpus.Plan, c *corpus.Conversation, turn *corpus.Turn) map[string]any {
	row := map[string]any{"src": float64(turn.Row), "in": float64(turn.In), "out": float64(turn.Out), "max_tokens": float64(turn.MaxOut),
		"t_ms": maybe(turn.TMs), "delay_ms": maybe(turn.GapMs), "api_ms": maybe(turn.APIMs), "reset": 0.0, "keep": float64(turn.Keep),
		"emitted": float64(turn.Emitted), "hit": float64(turn.HitBlocks), "blocks": float64(turn.TotalBlocks),
		"model": fmt.Sprintf("m%d", turn.Model%2), "kind": nil, "type": turn.Type,
		"pred": []any{}, "join": []any{}, "spawn": []any{}}
	if turn.InnerRow >= 0 {
		row["src"] = []any{float64(turn.Row), float64(turn.InnerRow)}
	}
	if turn.Reset {
		row["reset"] = 1.0
	}
	if turn.Input != corpus.InputUnknown {
		row["kind"] = string(turn.Input)
	}
	var messages []string
	for _, m := range turn.New {
		messages = append(messages, fmt.Sprintf("%c%d", m.Role[0], m.Tokens))
	}
	row["new"] = strings.Join(messages, " ")
	for _, pred := range turn.Preds {
		row["pred"] = append(row["pred"].([]any), []any{float64(pred.Conversation), float64(pred.Turn)})
	}
	for _, branch := range turn.Joins {
		row["join"] = append(row["join"].([]any), string(c.Branches[branch].ID))
	}
	for _, branch := range turn.Spawns {
		row["spawn"] = append(row["spawn"].([]any), string(c.Branches[branch].ID))
	}
	return row
}

func maybe(m corpus.Millis) any {
	if !m.Present() {
		return nil
	}
	return float64(m)
}

func compareTurn(t *testing.T, place string, columns []string, want []any, got map[string]any) {
	for i, column := range columns {
		own, number := got[column].(float64)
		theirs, both := want[i].(float64)
		if number && both && strings.HasSuffix(column, "_ms") {
			if !closeMs(theirs, own) {
				t.Errorf("%s: %s is %v, want %v", place, column, own, theirs)
			}
			continue
		}
		equal(t, place+": "+column, want[i], got[column])
	}
}

// closeMs allows for the rounding of the golden files to 1e-3 ms.
func closeMs(a, b float64) bool { return math.Abs(a-b) <= 0.00051 }

func equal[T any](t *testing.T, what any, want, got T) bool {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return true
	}
	t.Errorf("%v is %v, want %v", what, got, want)
	return false
}
