package corpus

import (
	"fmt"
)

// Build turns a recorded trace into the plan that replaying follows and the layout of its text: it
// finds the conversations in the recording, their spawns, joins, delays, predecessors, message shapes
// and theoretical cache hits (spec reconstruction 1.4 and 3 … 8). The trace is not changed.
//
// It does not leave out whole traces: Select does. An error is a *TraceError that says why the trace
// cannot be replayed.
func Build(trace *Trace, options Options) (*Plan, *Layout, Facts, error) {
	b, err := prepare(trace, options)
	if err != nil {
		return nil, nil, Facts{}, err
	}
	b.converse()
	b.hits()
	b.layout.Messages = make([][][]Content, len(b.streams))
	for s := range b.streams {
		b.layout.Messages[s] = b.compose(&b.streams[s], b.plan.Conversations[s].Turns)
	}
	b.predecessors()
	if err := b.breakCycles(); err != nil {
		return nil, nil, Facts{}, err
	}
	b.count()
	return b.plan, b.layout, b.facts, nil
}

// TraceError says why a trace cannot be replayed.
type TraceError struct {
	Trace   TraceID
	Field   string // path inside the trace, as requests[3].in
	Problem string
	Hint    string // what to do
}

func (e *TraceError) Error() string {
	return fmt.Sprintf("trace %s: %s: %s (%s)", e.Trace, e.Field, e.Problem, e.Hint)
}

// builder holds what the steps of Build hand on.
type builder struct {
	trace   *Trace
	options Options
	block   int // tokens
	models  map[string]int

	streams  []stream // in emission order
	branches []Branch // the root's
	ranks    []Rank   // by block, for blocks that need a window

	plan   *Plan
	layout *Layout
	facts  Facts
}

// prepare does the steps that decide whether the trace can be replayed and what its streams are.
func prepare(trace *Trace, options Options) (*builder, error) {
	b := &builder{trace: trace, options: options, block: trace.BlockSize, plan: &Plan{}, layout: &Layout{}}
	if options.BlockSize > 0 {
		b.block = options.BlockSize
	}
	if b.block < 1 || b.block > MaxBlockSize {
		return nil, b.fail("block_size", fmt.Sprintf("is %d, expected 1 … %d", b.block, MaxBlockSize), "correct the trace")
	}
	if err := b.checkRequests(); err != nil {
		return nil, err
	}
	if err := b.checkVolume(); err != nil {
		return nil, err
	}
	*b.plan = Plan{
		Trace: trace.ID, Source: trace.Source, BlockSize: b.block,
		ToolTokens: trace.ToolTokens, SystemTokens: trace.SystemTokens, TopRows: len(trace.Rows),
	}
	b.plan.Models, b.models = trace.modelOrder()
	_, b.plan.PeakContext = trace.peaks(&options)
	bases := b.nestedBases()
	top := b.separate(b.topCalls(), trace.ToolTokens+trace.SystemTokens)
	return b, b.attach(b.rootStreams(top), bases)
}

// fail makes the error that refuses the trace.
func (b *builder) fail(field, problem, hint string) error {
	return &TraceError{Trace: b.trace.ID, Field: field, Problem: problem, Hint: hint}
}

// converse makes the plan's conversations with their turns and branches.
func (b *builder) converse() {
	b.plan.Conversations = make([]Conversation, len(b.streams))
	for s := range b.streams {
		own := &b.streams[s]
		b.plan.Conversations[s] = Conversation{
			ID: own.id, Kind: own.kind, Depth: 1, Parent: 0, Scope: own.scope, Turns: b.turns(own),
		}
	}
	root := b.plan.Root()
	root.Depth, root.Parent = 0, -1
	root.Branches = b.branches
	for i := range root.Branches {
		branch := &root.Branches[i]
		spawning := &root.Turns[branch.SpawnTurn]
		spawning.Spawns = append(spawning.Spawns, i)
		if branch.JoinTurn >= 0 {
			joining := &root.Turns[branch.JoinTurn]
			joining.Joins = append(joining.Joins, i)
		}
		// spec scheduling 5.4.2
		branch.SpawnAtIssue = spawning.APIMs.Or(0) > 0 &&
			float64(branch.StartMs) < float64(spawning.TMs)+float64(spawning.APIMs)
	}
}

// checkRequests refuses numbers that no plan can be made of.
func (b *builder) checkRequests() error {
	for i := range b.trace.Rows {
		row := &b.trace.Rows[i]
		if row.Subagent == nil {
			if err := b.checkRequest(&row.Request, fmt.Sprintf("requests[%d]", i)); err != nil {
				return err
			}
			continue
		}
		if err := b.checkTime(row.Subagent.T, fmt.Sprintf("requests[%d].t", i)); err != nil {
			return err
		}
		for r := range row.Subagent.Requests {
			place := fmt.Sprintf("requests[%d].requests[%d]", i, r)
			if err := b.checkRequest(&row.Subagent.Requests[r], place); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *builder) checkRequest(r *Request, place string) error {
	if r.In <= 0 {
		return b.fail(place+".in", fmt.Sprintf("is %d, expected at least 1", r.In), "a request needs input to be sent")
	}
	if r.Out < 0 {
		return b.fail(place+".out", fmt.Sprintf("is %d, expected at least 0", r.Out), "correct the trace")
	}
	for i, block := range r.Blocks {
		if int(block) >= b.trace.Blocks {
			return b.fail(fmt.Sprintf("%s.hash_ids[%d]", place, i), fmt.Sprintf("is block %d of %d", block, b.trace.Blocks), "number blocks from 0")
		}
	}
	return b.checkTime(r.T, place+".t")
}

func (b *builder) checkTime(t float64, field string) error {
	if t >= 0 && t <= MaxSeconds {
		return nil
	}
	return b.fail(field, fmt.Sprintf("is %v, expected seconds from 0 to %g", t, float64(MaxSeconds)), "correct the trace")
}
