package corpus

// TraceID names a recorded trace; it is the id of its root conversation too.
type TraceID string

// ConversationID names one message thread of a trace: the trace id for the root, with a suffix
// after "::" for every other one (spec reconstruction 3.6).
type ConversationID string

// BranchID names a group of child conversations that one turn starts and at most one turn joins.
type BranchID string

// Role is the author of a message.
type Role string

// The roles that occur in plans.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// ConversationKind says what part of an agent run a conversation is.
type ConversationKind string

// The conversation kinds (spec golden/README: kind).
const (
	KindRoot          ConversationKind = "root"
	KindSubagent      ConversationKind = "sa"
	KindSubagentAux   ConversationKind = "sa_aux"
	KindSubagentFlat  ConversationKind = "sa_fa"
	KindSubagentGroup ConversationKind = "sa_wg"
	KindFlat          ConversationKind = "fa"
	KindAux           ConversationKind = "aux"
	KindGroup         ConversationKind = "wg"
)

// InputKind says what the new input of a turn is (spec reconstruction 5.9); empty when unknown.
type InputKind string

// The input kinds.
const (
	InputUnknown    InputKind = ""
	InputUser       InputKind = "user_input"
	InputToolResult InputKind = "tool_result"
)

// Plan is everything about one trace that replaying needs, except the text. It is immutable after
// it was made. Conversations are in emission order: the root first, then subagent conversations by
// subagent and chain, then flat ones.
type Plan struct {
	Trace        TraceID `json:"trace"`
	Source       string  `json:"source"` // path of the file inside the corpus, with row for many-row files
	BlockSize    int     `json:"block_size"`
	ToolTokens   int64   `json:"tool_tokens"`
	SystemTokens int64   `json:"system_tokens"`
	// Models lists the recorded models in the order that maps them to configured ones: the i-th is
	// sent as configured model i mod count (spec reconstruction 7).
	Models      []string `json:"models"`
	TopRows     int      `json:"top_rows"`
	Subagents   int      `json:"subagents"`
	PeakContext int64    `json:"peak_context"` // tokens: greatest in + out sent over all recorded requests

	Conversations []Conversation    `json:"conversations"`
	Dropped       []DroppedSubagent `json:"dropped,omitempty"`
	Split         SplitCounts       `json:"split"`
}

// Root is the conversation that the trace itself is.
func (p *Plan) Root() *Conversation { return &p.Conversations[0] }

// DroppedSubagent is a subagent without a turn that could spawn it.
type DroppedSubagent struct {
	Agent  string `json:"agent"`
	Row    int    `json:"row"`
	Reason string `json:"reason"`
}

// SplitCounts are the chain-detection counters of one trace (spec reconstruction 3).
type SplitCounts struct {
	Chains     int `json:"chains"` // workers: chains beside the main ones
	Aux        int `json:"aux"`    // without the reductions
	Reductions int `json:"reductions"`
	Group      int `json:"group"`      // members of worker groups
	Seams      int `json:"seams"`      // compactions: chains spliced back, also inside subagents
	EmptyHash  int `json:"empty_hash"` // rows without hash ids
	Preambles  int `json:"preambles"`
}

// Conversation is one ordered list of turns with its own message history.
type Conversation struct {
	ID     ConversationID   `json:"id"`
	Kind   ConversationKind `json:"kind"`
	Depth  int              `json:"depth"`
	Parent int              `json:"parent"` // index in Plan.Conversations, -1 for the root
	// Scope is the barrier domain: turns are ordered by Preds only inside one scope.
	Scope    string   `json:"scope"`
	Branches []Branch `json:"branches,omitempty"`
	Turns    []Turn   `json:"turns"`
}

// Branch is a group of child conversations with one spawning turn and at most one joining turn,
// both turns of the conversation that holds the branch.
type Branch struct {
	ID        BranchID `json:"id"`
	SpawnTurn int      `json:"spawn_turn"`
	JoinTurn  int      `json:"join_turn"` // -1: background, nothing waits for the children
	StartMs   Millis   `json:"start_ms"`  // trace clock
	// SpawnAtIssue: the branch started inside the recorded interval of its spawning turn, so its
	// children start when that turn is sent, not when it returns (spec scheduling 5.4.2).
	SpawnAtIssue bool  `json:"spawn_at_issue"`
	Children     []int `json:"children"` // indices in Plan.Conversations
}

// TurnRef names a turn of a plan.
type TurnRef struct {
	Conversation int `json:"c"`
	Turn         int `json:"t"`
}

// Turn is one recorded request of a conversation.
type Turn struct {
	Row      int       `json:"row"`      // outer row of the trace
	InnerRow int       `json:"inner"`    // row inside the subagent entry, -1 for top-level rows
	Type     string    `json:"type"`     // recorded request type: n or s
	Model    int       `json:"model"`    // index in Plan.Models
	In       int64     `json:"in"`       // recorded input tokens
	Out      int64     `json:"out"`      // recorded output tokens
	MaxOut   int64     `json:"max"`      // output limit to send (spec reconstruction 8), at least 1
	TMs      Millis    `json:"t_ms"`     // recorded start, trace clock
	APIMs    Millis    `json:"api_ms"`   // recorded server time
	GapMs    Millis    `json:"gap_ms"`   // end-to-start gap before this turn; absent on turn 0
	ThinkMs  Millis    `json:"think_ms"` // recorded think time
	Input    InputKind `json:"input,omitempty"`
	Stop     string    `json:"stop,omitempty"` // recorded stop reason

	// The message array of turn k is the first Keep messages of turn k-1's array, then New. Reset and
	// Emitted tell what the peer would store for it (spec reconstruction 5.7).
	Keep    int       `json:"keep"`
	New     []Message `json:"new"`
	Reset   bool      `json:"reset"`
	Emitted int       `json:"emitted"`

	HitBlocks   int   `json:"hit"`        // theoretical prefix-cache hits (spec reconstruction 6)
	TotalBlocks int   `json:"blocks"`     // length of the recorded id list
	HitTokens   int64 `json:"hit_tokens"` // min(HitBlocks, floor(in/B)) * B

	Preds  []TurnRef `json:"preds,omitempty"`  // turns that must have completed before this one is sent
	Joins  []int     `json:"joins,omitempty"`  // indices in the conversation's Branches that this turn waits for
	Spawns []int     `json:"spawns,omitempty"` // indices in the conversation's Branches that this turn starts
}

// Message is the shape of one chat message.
type Message struct {
	Role   Role  `json:"r"`
	Tokens int64 `json:"n"`
	// ToolCall is k+1 when this message belongs to the tool-shaped pair of turn k: an assistant message
	// that carries the call `call_turn_<k>`, or the tool message that answers it; 0 otherwise.
	ToolCall int `json:"tool,omitempty"`
}
