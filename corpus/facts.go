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
	OutOfOrderTraces   int `json:"out_of_order_traces"`

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
