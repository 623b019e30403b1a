package schedtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentx/corpus"
)

// SharedDir finds the folder with reference figures, which is not part of the project: AGENTX_SHARED,
// else ../shared beside the repository. An error says that it is not there; tests then skip.
func SharedDir(repository string) (string, error) {
	dir := os.Getenv("AGENTX_SHARED")
	if dir == "" {
		dir = filepath.Join(repository, "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "golden")); err != nil {
		return "", fmt.Errorf("no reference figures (set AGENTX_SHARED): %w", err)
	}
	return dir, nil
}

type goldenTrace struct {
	Trace         string               `json:"trace"`
	Conversations []goldenConversation `json:"conversations"`
	TurnColumns   []string             `json:"turn_columns"`
}

type goldenConversation struct {
	ID       string              `json:"id"`
	Scope    string              `json:"scope"`
	Branches []goldenBranch      `json:"branches"`
	Turns    [][]json.RawMessage `json:"turns"`
}

type goldenBranch struct {
	ID        string   `json:"id"`
	SpawnTurn int      `json:"spawn_turn"`
	JoinTurn  *int     `json:"join_turn"`
	StartMs   *float64 `json:"start_ms"`
	Children  []string `json:"children"`
}

// LoadGolden makes a plan of a reference trace, with what the schedule needs of it.
func LoadGolden(path string) (*corpus.Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var golden goldenTrace
	if err := json.Unmarshal(text, &golden); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	plan := &corpus.Plan{Trace: corpus.TraceID(golden.Trace), BlockSize: 64}
	for c, source := range golden.Conversations {
		conversation := corpus.Conversation{ID: corpus.ConversationID(source.ID), Parent: -1, Scope: source.Scope}
		if c > 0 {
			conversation.Depth, conversation.Parent = 1, 0
		}
		for _, row := range source.Turns {
			turn, err := golden.turn(row)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, source.ID, err)
			}
			conversation.Turns = append(conversation.Turns, turn)
		}
		plan.Conversations = append(plan.Conversations, conversation)
	}
	golden.connect(plan)
	return plan, nil
}

// turn reads the columns of a turn that the schedule needs.
func (g *goldenTrace) turn(row []json.RawMessage) (corpus.Turn, error) {
	turn := corpus.Turn{Emitted: 1}
	var preds [][2]int
	var messages string
	for name, target := range map[string]any{
		"in": &turn.In, "max_tokens": &turn.MaxOut, "t_ms": &turn.TMs, "delay_ms": &turn.GapMs, "api_ms": &turn.APIMs, "pred": &preds,
		"keep": &turn.Keep, "new": &messages,
	} {
		column := slices.Index(g.TurnColumns, name)
		if column < 0 || column >= len(row) {
			return turn, fmt.Errorf("no column %s", name)
		}
		if err := json.Unmarshal(row[column], target); err != nil {
			return turn, fmt.Errorf("column %s: %w", name, err)
		}
	}
	for _, pred := range preds {
		turn.Preds = append(turn.Preds, corpus.TurnRef{Conversation: pred[0], Turn: pred[1]})
	}
	for _, word := range strings.Fields(messages) {
		tokens, err := strconv.ParseInt(word[1:], 10, 64)
		if err != nil {
			return turn, fmt.Errorf("message %q: %w", word, err)
		}
		turn.New = append(turn.New, corpus.Message{Role: goldenRoles[word[0]], Tokens: tokens})
	}
	return turn, nil
}

var goldenRoles = map[byte]corpus.Role{'s': corpus.RoleSystem, 'u': corpus.RoleUser, 'a': corpus.RoleAssistant, 't': corpus.RoleTool}

func (g *goldenTrace) connect(plan *corpus.Plan) {
	root := plan.Root()
	for b, source := range g.Conversations[0].Branches {
		branch := corpus.Branch{ID: corpus.BranchID(source.ID), SpawnTurn: source.SpawnTurn, JoinTurn: -1, StartMs: corpus.Absent()}
		spawner := &root.Turns[source.SpawnTurn]
		spawner.Spawns = append(spawner.Spawns, b)
		if source.JoinTurn != nil {
			branch.JoinTurn = *source.JoinTurn
			root.Turns[branch.JoinTurn].Joins = append(root.Turns[branch.JoinTurn].Joins, b)
		}
		if source.StartMs != nil {
			branch.StartMs = corpus.Millis(*source.StartMs)
			branch.SpawnAtIssue = spawner.APIMs.Or(0) > 0 && *source.StartMs < float64(spawner.TMs)+spawner.APIMs.Or(0)
		}
		for _, child := range source.Children {
			branch.Children = append(branch.Children, slices.IndexFunc(g.Conversations, func(c goldenConversation) bool { return c.ID == child }))
		}
		root.Branches = append(root.Branches, branch)
	}
}
