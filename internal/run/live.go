package run

import (
	"agentx/corpus"
	"agentx/internal/prompt"
	"agentx/sched"
	"agentx/wire"
)

// play is one live tree.
type play struct {
	id           sched.PlayID
	plan         *corpus.Plan
	planIndex    int
	text         prompt.Text
	models       []string // sent model for each recorded one
	marker       []byte   // JSON-escaped text, nil for none
	markerTokens int64
	reach        *reachTree
	streams      []sched.StreamID
	rootSession  string
}

// stream is the live side of one conversation.
type stream struct {
	play         *play
	conversation int
	session      string
	parent       string
	history      prompt.History
	path         reachPath
	body         *wire.StreamBody // nil in a simulated run
}

// reachScopes holds the prompts sent earlier, by what may share a prefix cache: per tree, and per trace
// what stands before the marker (spec decision 32).
type reachScopes struct {
	target sched.CacheBust
	traces map[int]*reachTree // by plan; without a marker the trees of a trace share everything
	shared map[int]*reachTree // by plan: the messages before the marker
}

func newReachScopes(target sched.CacheBust) *reachScopes {
	return &reachScopes{target: target, traces: map[int]*reachTree{}, shared: map[int]*reachTree{}}
}

func treeOf(scopes map[int]*reachTree, plan int) *reachTree {
	if scopes[plan] == nil {
		scopes[plan] = &reachTree{}
	}
	return scopes[plan]
}

// tree is the scope of a new play.
func (s *reachScopes) tree(plan int) *reachTree {
	if s.target == sched.CacheBustNone {
		return treeOf(s.traces, plan)
	}
	return &reachTree{}
}

// visit counts the tokens at the beginning of the stream's prompt that were sent before, and adds it.
func (s *reachScopes) visit(stream *stream, kept int, place prompt.Place) int64 {
	messages := stream.history.Messages
	added := promptMessages(stream, messages[kept:])
	path, windows := stream.play.reach.visit(stream.path, kept, added)
	stream.path = path
	if place.Message >= 0 {
		before := promptMessages(stream, messages[:place.Shared(messages)])
		_, sharedWindows := treeOf(s.shared, stream.play.planIndex).visit(nil, 0, before)
		windows = max(windows, sharedWindows)
	}
	return int64(windows) * int64(stream.play.plan.BlockSize)
}

func promptMessages(stream *stream, refs []prompt.Ref) []promptMessage {
	messages := make([]promptMessage, len(refs))
	for i, ref := range refs {
		messages[i] = promptMessage{
			role:    ref.Message.Role,
			content: stream.play.text.Content(stream.conversation, ref.Turn, ref.Index),
		}
	}
	return messages
}
