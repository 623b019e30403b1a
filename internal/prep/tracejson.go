package prep

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"agentx/corpus"
)

// turnColumns are the columns of a turn's row, in order. docs/bundle-format.md explains them.
var turnColumns = []string{
	"src", "in", "out", "max_tokens", "t_ms", "delay_ms", "api_ms", "reset", "keep", "emitted", "new", "hit", "blocks", "model", "kind", "type", "pred", "join", "spawn",
}

// writeTraceJSON prints a trace as JSON, one line a turn, so that two of them can be compared line by
// line.
func writeTraceJSON(out io.Writer, plan *corpus.Plan, options corpus.Options, models []string) error {
	w := &traceWriter{printer: printer{out: out}, plan: plan, models: models}
	order := make([]string, len(plan.Conversations))
	for c := range plan.Conversations {
		order[c] = string(plan.Conversations[c].ID)
	}
	variant := "custom"
	if reflect.DeepEqual(options, corpus.DefaultOptions()) {
		variant = "default"
	}
	w.f(`{"trace": %s, "file": %s, "variant": %s, "block_size": %d, "tool_tokens": %d, "system_tokens": %d, "n_top": %d, "n_subagents": %d, "peak_context": %d, "order": %s, `,
		jsonText(plan.Trace), jsonText(plan.Source), jsonText(variant), plan.BlockSize, plan.ToolTokens, plan.SystemTokens, plan.TopRows, plan.Subagents, plan.PeakContext, jsonList(order))
	w.head()
	w.f(`"turn_columns": %s, "conversations": [`, jsonList(turnColumns))
	for c := range plan.Conversations {
		if c > 0 {
			w.f(",")
		}
		w.f("\n")
		w.conversation(c)
	}
	w.f("\n]}\n")
	return w.err
}

type traceWriter struct {
	printer
	plan   *corpus.Plan
	models []string
}

// head writes what was dropped and the chain-detection counters, which the peer fills only for traces
// with at least one worker.
func (w *traceWriter) head() {
	agents := []string{}
	for _, dropped := range w.plan.Dropped {
		agents = append(agents, dropped.Agent)
	}
	requests := "0"
	if len(agents) > 0 {
		requests = "null" // the plan does not know them
	}
	w.f(`"dropped": {"subagents": %s, "subagent_requests": %s}, `, jsonList(agents), requests)
	s, split := w.plan.Split, 1
	if s.Chains == 0 {
		s, split = corpus.SplitCounts{}, 0
	}
	w.f(`"split": {"split": %d, "chains": %d, "aux": %d, "reduction": %d, "worker_group": %d, "seams": %d, "empty_hash": %d}, `,
		split, s.Chains, s.Aux, s.Reductions, s.Group, s.Seams, s.EmptyHash)
}

func (w *traceWriter) conversation(c int) {
	conversation := &w.plan.Conversations[c]
	parent := "null"
	if conversation.Parent >= 0 {
		parent = jsonText(w.plan.Conversations[conversation.Parent].ID)
	}
	w.f(`{"id": %s, "kind": %s, "depth": %d, "parent": %s, "is_root": %t, "scope": %s, "context_mode": "deltas_with_responses", "branches": [`,
		jsonText(conversation.ID), jsonText(conversation.Kind), conversation.Depth, parent, conversation.Parent < 0, jsonText(conversation.Scope))
	for b := range conversation.Branches {
		if b > 0 {
			w.f(", ")
		}
		w.branch(&conversation.Branches[b])
	}
	var in, out int64
	for k := range conversation.Turns {
		in += conversation.Turns[k].In
		out += conversation.Turns[k].Out
	}
	w.f(`], "n_turns": %d, "sum_in": %d, "sum_out": %d, "turns": [`, len(conversation.Turns), in, out)
	for k := range conversation.Turns {
		if k > 0 {
			w.f(",")
		}
		w.f("\n")
		w.turn(conversation, &conversation.Turns[k])
	}
	w.f("\n]}")
}

func (w *traceWriter) branch(branch *corpus.Branch) {
	join := "null"
	if branch.JoinTurn >= 0 {
		join = strconv.Itoa(branch.JoinTurn)
	}
	var children, offsets []string
	for _, child := range branch.Children {
		conversation := &w.plan.Conversations[child]
		children = append(children, string(conversation.ID))
		offset := 0.0
		if len(conversation.Turns) > 0 && conversation.Turns[0].TMs.Present() && branch.StartMs.Present() {
			offset = max(0, float64(conversation.Turns[0].TMs)-float64(branch.StartMs))
		}
		offsets = append(offsets, jsonMillis(corpus.Millis(offset)))
	}
	w.f(`{"id": %s, "mode": "spawn", "spawn_turn": %d, "join_turn": %s, "background": %t, "start_ms": %s, "children": %s, "child_offset_ms": [%s]}`,
		jsonText(branch.ID), branch.SpawnTurn, join, branch.JoinTurn < 0, jsonFloat(branch.StartMs), jsonList(children), strings.Join(offsets, ", "))
}

func (w *traceWriter) turn(conversation *corpus.Conversation, turn *corpus.Turn) {
	source := strconv.Itoa(turn.Row)
	if turn.InnerRow >= 0 {
		source = fmt.Sprintf("[%d,%d]", turn.Row, turn.InnerRow)
	}
	reset := 0
	if turn.Reset {
		reset = 1
	}
	kind := "null"
	if turn.Input != corpus.InputUnknown {
		kind = jsonText(turn.Input)
	}
	var preds []string
	for _, pred := range turn.Preds {
		preds = append(preds, fmt.Sprintf("[%d,%d]", pred.Conversation, pred.Turn))
	}
	branches := func(list []int) string {
		var ids []string
		for _, b := range list {
			ids = append(ids, jsonText(conversation.Branches[b].ID))
		}
		return strings.Join(ids, ",")
	}
	w.f(`[%s,%d,%d,%d,%s,%s,%s,%d,%d,%d,%s,%d,%d,%s,%s,%s,[%s],[%s],[%s]]`, source, turn.In, turn.Out, turn.MaxOut,
		jsonMillis(turn.TMs), jsonMillis(turn.GapMs), jsonMillis(turn.APIMs), reset, turn.Keep, turn.Emitted, jsonText(shapeText(turn.New)),
		turn.HitBlocks, turn.TotalBlocks, jsonText(modelName(turn.Model, w.models)), kind, jsonText(turn.Type),
		strings.Join(preds, ","), branches(turn.Joins), branches(turn.Spawns))
}

// jsonMillis writes a time rounded to a microsecond; null when absent.
func jsonMillis(ms corpus.Millis) string {
	return jsonFloat(corpus.Millis(math.Round(float64(ms)*1000) / 1000))
}

// jsonFloat writes a time with all its digits, always with a decimal point; null when absent.
func jsonFloat(ms corpus.Millis) string {
	if !ms.Present() {
		return "null"
	}
	text := strconv.FormatFloat(float64(ms), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// jsonText is a JSON string.
func jsonText[T ~string](text T) string {
	quoted, err := json.Marshal(string(text))
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(quoted)
}

func jsonList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = jsonText(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
