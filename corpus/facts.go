package corpus

// Facts are what building a trace met that a user should know (spec reconstruction 11): all counters,
// so that the facts of traces add up to those of a corpus.
type Facts struct {
	Traces        int                      `json:"traces"`
	Conversations map[ConversationKind]int `json:"conversations"`
	Turns         map[ConversationKind]int `json:"turns"`
	InTokens      int64                    `json:"in_tokens"`
	OutTokens     int64                    `json:"out_tokens"`
	MaxOutTokens  int64                    `json:"max_out_tokens"`
	HitBlocks     int64                    `json:"hit_blocks"`
	TotalBlocks   int64                    `json:"total_blocks"`
	HitTokens     int64                    `json:"hit_tokens"`

	TracesSplit int         `json:"traces_split"`
	Split       SplitCounts `json:"split"`

	Branches           int `json:"branches"`
	BranchesBackground int `json:"branches_background"`
	DroppedSubagents   int `json:"dropped_subagents"`
	DroppedRequests    int `json:"dropped_requests"`  // requests of dropped subagents
	FilteredRequests   int `json:"filtered_requests"` // top-level requests outside the schedule window
	PredecessorEdges   int `json:"predecessor_edges"`
	CyclicEdges        int `json:"cyclic_edges"` // predecessor edges dropped because they close a cycle

	OutOfOrder []TraceID `json:"out_of_order_traces,omitempty"` // sorted by time

	NestedRelative int          `json:"nested_relative"` // subagents by the basis of their times
	NestedAbsolute int          `json:"nested_absolute"`
	NestedGuessed  []NestedNote `json:"nested_guessed,omitempty"` // absolute for want of any evidence

	Delays         int     `json:"delays"`
	DelayTotalMs   float64 `json:"delay_total_ms"`
	DelaysLong     int     `json:"delays_over_60s"`
	DelayMaxMs     float64 `json:"delay_max_ms"`
	DelaysCapped   int     `json:"delays_capped"`
	DelayUncapped  float64 `json:"delay_uncapped_max_ms"` // greatest delay before the cap
	NegativeThink  int     `json:"negative_think_times"`  // taken as 0
	NegativeAPI    int     `json:"negative_api_times"`    // taken as 0
	ZeroOut        int     `json:"zero_outputs"`          // recorded 0, sent as 1
	OutputsCapped  int     `json:"outputs_capped"`        // by max_osl
	Resets         int     `json:"resets"`
	UnchangedTurns int     `json:"unchanged_turns"`  // prompts identical to the turn before
	NonUserEnds    int     `json:"non_user_endings"` // turns whose last message is not from the user
	NoSystem       int     `json:"system_too_long"`  // conversations whose declared system part exceeds the id list

	RowsTooFewIDs  int   `json:"rows_too_few_ids"` // filled with unique text
	RowsSurplusIDs int   `json:"rows_surplus_ids"` // surplus ids ignored
	FillBlocks     int64 `json:"fill_blocks"`      // full windows of unique text
	Tails          int64 `json:"tails"`
	DistinctBlocks int64 `json:"distinct_blocks"`
	OddBlockSize   int   `json:"odd_block_sizes"` // traces whose block size is not 64
}

// NestedNote names a subagent.
type NestedNote struct {
	Trace TraceID `json:"trace"`
	Agent string  `json:"agent"`
}

// Add joins the facts of another trace or corpus to these.
func (f *Facts) Add(other Facts) {
	f.Traces += other.Traces
	f.Conversations = addCounts(f.Conversations, other.Conversations)
	f.Turns = addCounts(f.Turns, other.Turns)
	f.InTokens += other.InTokens
	f.OutTokens += other.OutTokens
	f.MaxOutTokens += other.MaxOutTokens
	f.HitBlocks += other.HitBlocks
	f.TotalBlocks += other.TotalBlocks
	f.HitTokens += other.HitTokens
	f.TracesSplit += other.TracesSplit
	f.Split.add(other.Split)
	f.Branches += other.Branches
	f.BranchesBackground += other.BranchesBackground
	f.DroppedSubagents += other.DroppedSubagents
	f.DroppedRequests += other.DroppedRequests
	f.FilteredRequests += other.FilteredRequests
	f.PredecessorEdges += other.PredecessorEdges
	f.CyclicEdges += other.CyclicEdges
	f.OutOfOrder = append(f.OutOfOrder, other.OutOfOrder...)
	f.NestedRelative += other.NestedRelative
	f.NestedAbsolute += other.NestedAbsolute
	f.NestedGuessed = append(f.NestedGuessed, other.NestedGuessed...)
	f.addTimes(other)
	f.addText(other)
}

func (f *Facts) addTimes(other Facts) {
	f.Delays += other.Delays
	f.DelayTotalMs += other.DelayTotalMs
	f.DelaysLong += other.DelaysLong
	f.DelayMaxMs = max(f.DelayMaxMs, other.DelayMaxMs)
	f.DelaysCapped += other.DelaysCapped
	f.DelayUncapped = max(f.DelayUncapped, other.DelayUncapped)
	f.NegativeThink += other.NegativeThink
	f.NegativeAPI += other.NegativeAPI
}

func (f *Facts) addText(other Facts) {
	f.ZeroOut += other.ZeroOut
	f.OutputsCapped += other.OutputsCapped
	f.Resets += other.Resets
	f.UnchangedTurns += other.UnchangedTurns
	f.NonUserEnds += other.NonUserEnds
	f.NoSystem += other.NoSystem
	f.RowsTooFewIDs += other.RowsTooFewIDs
	f.RowsSurplusIDs += other.RowsSurplusIDs
	f.FillBlocks += other.FillBlocks
	f.Tails += other.Tails
	f.DistinctBlocks += other.DistinctBlocks
	f.OddBlockSize += other.OddBlockSize
}

func (s *SplitCounts) add(other SplitCounts) {
	s.Chains += other.Chains
	s.Aux += other.Aux
	s.Reductions += other.Reductions
	s.Group += other.Group
	s.Seams += other.Seams
	s.EmptyHash += other.EmptyHash
	s.Preambles += other.Preambles
}

// addCounts adds by kind; it changes and returns the first map, made if need be.
func addCounts(counts, others map[ConversationKind]int) map[ConversationKind]int {
	if counts == nil {
		counts = map[ConversationKind]int{}
	}
	for kind, count := range others {
		counts[kind] += count
	}
	return counts
}

// usualBlockSize is that of every public corpus, in tokens.
const usualBlockSize = 64

// count fills the facts that the finished plan tells.
func (b *builder) count() {
	f := &b.facts
	f.Traces = 1
	f.Conversations, f.Turns = map[ConversationKind]int{}, map[ConversationKind]int{}
	for c := range b.plan.Conversations {
		conversation := &b.plan.Conversations[c]
		f.Conversations[conversation.Kind]++
		f.Turns[conversation.Kind] += len(conversation.Turns)
		for k := range conversation.Turns {
			if conversation.Turns[k].Reset {
				f.Resets++
			}
		}
	}
	f.Split = b.plan.Split
	if f.Split.Chains > 0 {
		f.TracesSplit = 1
	}
	f.Branches = len(b.branches)
	for i := range b.branches {
		if b.branches[i].JoinTurn < 0 {
			f.BranchesBackground++
		}
	}
	f.DroppedSubagents = len(b.plan.Dropped)
	for _, tokens := range b.layout.Unique {
		if int(tokens) == b.block {
			f.FillBlocks++
		} else {
			f.Tails++
		}
	}
	f.DistinctBlocks = int64(b.layout.IDs)
	if b.trace.BlockSize != usualBlockSize {
		f.OddBlockSize = 1
	}
}
