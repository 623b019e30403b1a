package bundle

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentx/corpus"
)

// parsePlan reads a plan frame and checks every number that is used as an index: a plan that passes
// can be replayed without looking again.
func parsePlan(data []byte) (*corpus.Plan, error) {
	plan := &corpus.Plan{}
	if err := json.Unmarshal(data, plan); err != nil {
		return nil, err
	}
	switch {
	case len(plan.Conversations) == 0:
		return nil, errors.New("no conversation")
	case plan.BlockSize < 1 || plan.BlockSize > corpus.MaxBlockSize:
		return nil, fmt.Errorf("block size %d", plan.BlockSize)
	case plan.Conversations[0].Parent != -1:
		return nil, errors.New("the first conversation is not the root")
	}
	for c := range plan.Conversations {
		if err := checkConversation(plan, c); err != nil {
			return nil, fmt.Errorf("conversation %d: %w", c, err)
		}
	}
	return plan, nil
}

func checkConversation(plan *corpus.Plan, c int) error {
	conversation := &plan.Conversations[c]
	if c > 0 && (conversation.Parent < 0 || conversation.Parent >= len(plan.Conversations) || conversation.Parent == c) {
		return fmt.Errorf("parent %d", conversation.Parent)
	}
	for b := range conversation.Branches {
		if err := checkBranch(plan, conversation, &conversation.Branches[b]); err != nil {
			return fmt.Errorf("branch %d: %w", b, err)
		}
	}
	before := 0 // messages of the turn before
	for t := range conversation.Turns {
		turn := &conversation.Turns[t]
		if err := checkTurn(plan, conversation, turn, before); err != nil {
			return fmt.Errorf("turn %d: %w", t, err)
		}
		before = turn.Keep + len(turn.New)
	}
	return nil
}

func checkBranch(plan *corpus.Plan, conversation *corpus.Conversation, branch *corpus.Branch) error {
	turns := len(conversation.Turns)
	if branch.SpawnTurn < 0 || branch.SpawnTurn >= turns {
		return fmt.Errorf("spawn turn %d of %d", branch.SpawnTurn, turns)
	}
	if branch.JoinTurn != -1 && (branch.JoinTurn <= branch.SpawnTurn || branch.JoinTurn >= turns) {
		return fmt.Errorf("join turn %d of %d, spawned by turn %d", branch.JoinTurn, turns, branch.SpawnTurn)
	}
	for _, child := range branch.Children {
		if child < 1 || child >= len(plan.Conversations) {
			return fmt.Errorf("child %d of %d conversations", child, len(plan.Conversations))
		}
	}
	return nil
}

func checkTurn(plan *corpus.Plan, conversation *corpus.Conversation, turn *corpus.Turn, before int) error {
	switch {
	case turn.Keep < 0 || turn.Keep > before:
		return fmt.Errorf("keeps %d messages of %d", turn.Keep, before)
	case turn.Keep+len(turn.New) == 0:
		return errors.New("no message")
	case turn.Model < 0 || turn.Model >= len(plan.Models):
		return fmt.Errorf("model %d of %d", turn.Model, len(plan.Models))
	case turn.MaxOut < 1:
		return fmt.Errorf("output limit %d", turn.MaxOut)
	}
	for _, message := range turn.New {
		if message.Tokens < 1 {
			return fmt.Errorf("a message of %d tokens", message.Tokens)
		}
		switch message.Role {
		case corpus.RoleSystem, corpus.RoleUser, corpus.RoleAssistant, corpus.RoleTool:
		default:
			return fmt.Errorf("a message of role %q", message.Role)
		}
	}
	for _, pred := range turn.Preds {
		if pred.Conversation < 0 || pred.Conversation >= len(plan.Conversations) ||
			pred.Turn < 0 || pred.Turn >= len(plan.Conversations[pred.Conversation].Turns) {
			return fmt.Errorf("predecessor %d.%d", pred.Conversation, pred.Turn)
		}
	}
	for _, list := range [][]int{turn.Joins, turn.Spawns} {
		for _, branch := range list {
			if branch < 0 || branch >= len(conversation.Branches) {
				return fmt.Errorf("branch %d of %d", branch, len(conversation.Branches))
			}
		}
	}
	return nil
}
