package schedtest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/corpus"
)

// traceText is a trace as a script gives it.
type traceText struct {
	name          string
	conversations []conversationText
	branches      []branchText
}

type conversationText struct {
	id    string
	turns []turnText
}

type turnText struct {
	ms, apiMs, gapMs corpus.Millis
	spawns, joins    []string
	empty            bool
}

type branchText struct {
	name     string
	startMs  corpus.Millis
	children []string
}

// Short is the name of a conversation in scripts: the last part of its id.
func Short(id string) string { return id[strings.LastIndex(id, ":")+1:] }

func (t *traceText) conversation(id, turns string) error {
	conversation := conversationText{id: id}
	for turns = strings.TrimSpace(turns); turns != ""; turns = strings.TrimSpace(turns) {
		word, rest := turns, ""
		if open, space := strings.Index(turns, "("), strings.Index(turns, " "); open >= 0 && (space < 0 || open < space) {
			end := strings.Index(turns, ")")
			if end < 0 {
				return fmt.Errorf("%q lacks a )", turns)
			}
			word, rest = turns[:end+1], turns[end+1:]
		} else if space >= 0 {
			word, rest = turns[:space], turns[space:]
		}
		turn, err := parseTurn(word)
		if err != nil {
			return err
		}
		conversation.turns = append(conversation.turns, turn)
		turns = rest
	}
	t.conversations = append(t.conversations, conversation)
	return nil
}

func parseTurn(word string) (turnText, error) {
	start, marks, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
	turn := turnText{apiMs: 1000, gapMs: corpus.Absent()}
	var err error
	if turn.ms, err = millis(start); err != nil {
		return turn, err
	}
	if marks == "" {
		return turn, nil
	}
	for _, mark := range strings.Split(marks, ",") {
		fields := strings.Fields(mark)
		switch {
		case len(fields) == 1 && fields[0] == "empty":
			turn.empty = true
		case len(fields) == 1:
			turn.apiMs, err = millis(fields[0])
		case len(fields) == 2 && fields[0] == "spawn":
			turn.spawns = append(turn.spawns, fields[1])
		case len(fields) == 2 && fields[0] == "join":
			turn.joins = append(turn.joins, fields[1])
		case len(fields) == 2 && fields[0] == "gap":
			turn.gapMs, err = millis(fields[1])
		default:
			return turn, fmt.Errorf("cannot read the mark %q of %q", mark, word)
		}
		if err != nil {
			return turn, err
		}
	}
	return turn, nil
}

// millis reads seconds; - is an absent time.
func millis(text string) (corpus.Millis, error) {
	if text == "-" {
		return corpus.Absent(), nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	return corpus.Millis(math.Round(seconds*1e9) / 1e6), err
}

func (t *traceText) branch(name, start string, children []string) error {
	ms, err := millis(start)
	t.branches = append(t.branches, branchText{name: name, startMs: ms, children: children})
	return err
}

// plan makes the plan of the trace: gaps from timestamps, spawns and joins, scopes, predecessors.
func (t *traceText) plan() (*corpus.Plan, error) {
	plan := &corpus.Plan{Trace: corpus.TraceID(t.name), BlockSize: 64}
	for c, text := range t.conversations {
		conversation := corpus.Conversation{ID: corpus.ConversationID(text.id), Parent: -1, Scope: t.scope(text.id)}
		if c > 0 {
			conversation.Depth, conversation.Parent = 1, 0
		}
		for k, turn := range text.turns {
			made := corpus.Turn{TMs: turn.ms, APIMs: turn.apiMs, GapMs: turn.gapMs, MaxOut: 100}
			if !turn.empty {
				made.Emitted = 1
			}
			if k > 0 && !made.GapMs.Present() && turn.ms.Present() && text.turns[k-1].ms.Present() {
				before := text.turns[k-1]
				made.GapMs = corpus.Millis(max(0, float64(turn.ms)-float64(before.ms)-before.apiMs.Or(0)))
			}
			conversation.Turns = append(conversation.Turns, made)
		}
		plan.Conversations = append(plan.Conversations, conversation)
	}
	if len(plan.Conversations) == 0 {
		return nil, fmt.Errorf("no conversations")
	}
	if err := t.connect(plan); err != nil {
		return nil, err
	}
	Infer(plan)
	return plan, nil
}

// scope is the barrier domain of a conversation (1.6).
func (t *traceText) scope(id string) string {
	rest, subagent := strings.CutPrefix(id, t.name+"::sa:")
	if !subagent {
		return t.name
	}
	agent, _, _ := strings.Cut(rest, ":")
	return t.name + "::sa:" + agent
}

// connect adds the branches to the root.
func (t *traceText) connect(plan *corpus.Plan) error {
	root := plan.Root()
	for b, text := range t.branches {
		branch := corpus.Branch{ID: corpus.BranchID(text.name), SpawnTurn: -1, JoinTurn: -1, StartMs: text.startMs}
		for k, turn := range t.conversations[0].turns {
			if slices.Contains(turn.spawns, text.name) {
				branch.SpawnTurn = k
				root.Turns[k].Spawns = append(root.Turns[k].Spawns, b)
				begin := float64(turn.ms)
				branch.SpawnAtIssue = turn.apiMs.Or(0) > 0 && float64(text.startMs) < begin+turn.apiMs.Or(0)
			}
			if slices.Contains(turn.joins, text.name) {
				branch.JoinTurn = k
				root.Turns[k].Joins = append(root.Turns[k].Joins, b)
			}
		}
		if branch.SpawnTurn < 0 {
			return fmt.Errorf("no turn spawns %s", text.name)
		}
		for _, name := range text.children {
			child := slices.IndexFunc(t.conversations, func(c conversationText) bool { return Short(c.id) == name })
			if child < 1 {
				return fmt.Errorf("branch %s: no conversation %s", text.name, name)
			}
			branch.Children = append(branch.Children, child)
		}
		root.Branches = append(root.Branches, branch)
	}
	return nil
}
