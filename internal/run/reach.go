package run

import "agentx/corpus"

// Reachable cache hits (spec decision 32). What a server with an unlimited prefix cache could reuse
// for a request is its longest common beginning with any request sent earlier in the same tree, in
// full windows; the part before the cache-bust marker is shared by all trees of a trace.

// promptMessage is one message of a prompt, as windows.
type promptMessage struct {
	role    corpus.Role
	content corpus.Content
}

// reachNode is one message of a prompt sent earlier, below the messages that stood before it.
type reachNode struct {
	message  promptMessage
	windows  int // full windows from the start of the prompt to the end of this message
	children []*reachNode
}

// reachTree holds every prompt sent so far in one scope as a tree of messages.
type reachTree struct{ root reachNode }

// reachPath is the place of one stream's last prompt in a tree: a node for each message.
type reachPath []*reachNode

// visit adds a prompt that keeps the first keep messages of the path and goes on with added. It
// returns the new path and how many full windows at its beginning were sent before.
func (t *reachTree) visit(path reachPath, keep int, added []promptMessage) (reachPath, int) {
	path = path[:keep]
	node := &t.root
	if keep > 0 {
		node = path[keep-1]
	}
	common, matching := node.windows, true
	for _, message := range added {
		next := (*reachNode)(nil)
		if matching {
			var partial int
			next, partial = node.longest(message)
			if next == nil {
				common, matching = node.windows+partial, false
			} else {
				common = next.windows
			}
		}
		if next == nil {
			next = &reachNode{message: message, windows: node.windows + fullWindows(message.content)}
			node.children = append(node.children, next)
		}
		path, node = append(path, next), next
	}
	return path, common
}

// longest looks for a child equal to the message; without one it returns nil and the greatest count of
// full windows that the message has in common with the beginning of a child of the same role.
func (n *reachNode) longest(message promptMessage) (*reachNode, int) {
	best := 0
	for _, child := range n.children {
		if child.message.role != message.role {
			continue
		}
		common := commonWindows(child.message.content, message.content)
		if common == fullWindows(message.content) && common == fullWindows(child.message.content) &&
			sameTail(child.message.content, message.content) {
			return child, common
		}
		best = max(best, common)
	}
	return nil, best
}

func sameTail(a, b corpus.Content) bool {
	return a.HasTail == b.HasTail && (!a.HasTail || a.Tail == b.Tail)
}

func fullWindows(content corpus.Content) int {
	windows := 0
	for _, span := range content.Spans {
		windows += int(span.Count)
	}
	return windows
}

// commonWindows counts the equal windows at the beginning of two contents, however their spans are cut.
func commonWindows(a, b corpus.Content) int {
	common := 0
	i, j := 0, 0
	var usedA, usedB uint32
	for i < len(a.Spans) && j < len(b.Spans) {
		spanA, spanB := a.Spans[i], b.Spans[j]
		if spanA.First+corpus.Rank(usedA) != spanB.First+corpus.Rank(usedB) {
			return common
		}
		step := min(spanA.Count-usedA, spanB.Count-usedB)
		common += int(step)
		usedA, usedB = usedA+step, usedB+step
		if usedA == spanA.Count {
			i, usedA = i+1, 0
		}
		if usedB == spanB.Count {
			j, usedB = j+1, 0
		}
	}
	return common
}
