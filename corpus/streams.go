package corpus

import "fmt"

// stream is a conversation while it is being built.
type stream struct {
	id           ConversationID
	kind         ConversationKind
	scope        string
	calls        []call // its turns
	tool, system int64  // declared sizes that its turn 0 inherits
	number       int    // chain number inside a subagent, 0 for the main chain and for top-level streams
	nested       bool   // belongs to a subagent
}

// layer is the outcome of chain detection on one list of calls: the main stream and the others.
type layer struct {
	main    []call
	workers []worker
}

type worker struct {
	calls []call
	class class
	// inherits says that the worker begins with the declared tools and system prompt of its layer.
	inherits bool
}

// separate splits the calls of one layer (spec reconstruction 3). declared is the size, in tokens, of
// the layer's tools and system prompt.
func (b *builder) separate(calls []call, declared int64) layer {
	if len(calls) == 0 {
		return layer{}
	}
	if !b.options.SplitFlattenedAgents {
		return layer{main: calls}
	}
	found := detect(calls, &b.options)
	split := &b.plan.Split
	split.Seams += found.seams
	split.EmptyHash += found.noBlocks
	if found.peeled {
		split.Preambles++
	}
	classes := classify(&found, calls, &b.options)
	split.Chains += len(found.workers)
	result := layer{main: pick(calls, found.main)}
	base := firstBlocks(pick(calls, found.yard))
	for w, chain := range found.workers {
		switch class := classes[w]; {
		case class.aux:
			split.Aux++
		case class.reduction:
			split.Reductions++
		case class.group >= 0:
			split.Group++
		}
		own := pick(calls, chain.calls)
		result.workers = append(result.workers, worker{
			calls:    own,
			class:    classes[w],
			inherits: b.sharesSystem(base, firstBlocks(own), declared),
		})
	}
	return result
}

func pick(calls []call, positions []int) []call {
	picked := make([]call, len(positions))
	for i, position := range positions {
		picked[i] = calls[position]
	}
	return picked
}

// firstBlocks is the first list of blocks that is not empty.
func firstBlocks(calls []call) []Block {
	for i := range calls {
		if len(calls[i].Blocks) > 0 {
			return calls[i].Blocks
		}
	}
	return nil
}

// sharesSystem reports whether a derived chain begins with the blocks of the declared tools and system
// prompt of its base (spec reconstruction 3.7).
func (b *builder) sharesSystem(base, derived []Block, declared int64) bool {
	count := b.blocksOf(declared)
	if count == 0 || int64(len(base)) < count || int64(len(derived)) < count {
		return false
	}
	return commonPrefix(base[:count], derived[:count]) == int(count)
}

// blocksOf is the number of blocks that hold the tokens.
func (b *builder) blocksOf(tokens int64) int64 {
	if tokens <= 0 {
		return 0
	}
	return (tokens-1)/int64(b.block) + 1
}

// topCalls are the trace's own requests that the schedule window leaves (spec reconstruction 2.4), in
// time order.
func (b *builder) topCalls() []call {
	var calls []call
	for row := range b.trace.Rows {
		entry := &b.trace.Rows[row]
		if entry.Subagent != nil {
			continue
		}
		at := float64(entry.Request.T * 1000)
		if b.options.ScheduleStartMs != nil && at < *b.options.ScheduleStartMs ||
			b.options.ScheduleEndMs != nil && at > *b.options.ScheduleEndMs {
			b.facts.FilteredRequests++
			continue
		}
		calls = append(calls, call{&entry.Request, entry.Request.T, row, -1})
	}
	sortCalls(calls)
	return calls
}

// nestedCalls are a subagent's requests on the trace's clock, in time order.
func nestedCalls(agent *Subagent, row int, basis TimeBasis) []call {
	calls := make([]call, len(agent.Requests))
	for inner := range agent.Requests {
		request := &agent.Requests[inner]
		at := request.T
		if basis == BasisRelative {
			at = agent.T + request.T
		}
		calls[inner] = call{request, at, row, inner}
	}
	sortCalls(calls)
	return calls
}

// rootStreams are the conversations of the trace's own requests, the root first.
func (b *builder) rootStreams(top layer) []stream {
	trace, scope := b.trace, string(b.trace.ID)
	streams := []stream{{id: ConversationID(trace.ID), kind: KindRoot, scope: scope, calls: top.main,
		tool: trace.ToolTokens, system: trace.SystemTokens}}
	for n, worker := range top.workers {
		own := stream{id: ConversationID(fmt.Sprintf("%s::%s", trace.ID, worker.class.suffix(n))),
			kind: worker.class.kind(KindFlat, KindAux, KindGroup), scope: scope, calls: worker.calls}
		if worker.inherits {
			own.tool, own.system = trace.ToolTokens, trace.SystemTokens
		}
		streams = append(streams, own)
	}
	return streams
}

// agentStreams are the conversations of a subagent, its main one first.
func (b *builder) agentStreams(agent *Subagent, row int, basis TimeBasis) []stream {
	layer := b.separate(nestedCalls(agent, row, basis), agent.ToolTokens+agent.SystemTokens)
	scope := fmt.Sprintf("%s::sa:%s", b.trace.ID, agent.Agent)
	streams := []stream{{id: ConversationID(scope), kind: KindSubagent, scope: scope, calls: layer.main,
		tool: agent.ToolTokens, system: agent.SystemTokens, nested: true}}
	for n, worker := range layer.workers {
		own := stream{id: ConversationID(fmt.Sprintf("%s:%s", scope, worker.class.suffix(n))),
			kind:  worker.class.kind(KindSubagentFlat, KindSubagentAux, KindSubagentGroup),
			scope: scope, calls: worker.calls, number: n + 1, nested: true}
		if worker.inherits {
			own.tool, own.system = agent.ToolTokens, agent.SystemTokens
		}
		streams = append(streams, own)
	}
	return streams
}
