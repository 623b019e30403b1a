package corpus

import "math"

// Block numbers a distinct hash id of one trace. Recorded ids lie anywhere in −2^63 … 2^64−1; the rules
// only ever ask whether two of them are equal, so a reader gives each distinct id a number below
// Trace.Blocks and forgets the id itself.
type Block uint32

// Trace is one recorded agent run, as read: nothing is filtered, sorted or corrected yet. It is not
// changed by Build. Slices of blocks may share memory with each other and must not be written to.
type Trace struct {
	ID TraceID
	// Source says where the trace was read: the path inside the corpus, with line or row for files of
	// many traces.
	Source       string
	BlockSize    int   // tokens a block, 1 … MaxBlockSize
	ToolTokens   int64 // declared size of the tool definitions, 0 when not declared
	SystemTokens int64 // declared size of the system prompt, 0 when not declared
	Rows         []Row // in file order
	Blocks       int   // every Block in the rows is below it
	// NestedFallback is the time basis of subagents that give no evidence of their own in a trace whose
	// other subagents give none either: the convention of the corpus, BasisAuto when it has none.
	NestedFallback TimeBasis
}

// MaxBlockSize is the largest block size that a Layout can describe.
const MaxBlockSize = math.MaxUint16

// MaxSeconds is the latest time and the longest duration of a trace: what int64 nanoseconds hold.
const MaxSeconds = 9e9

// Row is one entry of a trace's request list: a request of the main agent, or a subagent's marker.
type Row struct {
	Request  Request   // meaningful only when Subagent is nil
	Subagent *Subagent // nil for a request
}

// Request is one recorded model call.
type Request struct {
	T         float64 // seconds since the trace began; in a subagent as recorded, so on either basis
	Type      string  // "n" or "s"
	Model     string
	In        int64   // input tokens, > 0
	Out       int64   // output tokens, ≥ 0
	Blocks    []Block // hash ids of the input, in order; empty when none were recorded
	Input     InputKind
	Stop      string  // recorded stop reason, empty when unknown
	APITime   Seconds // server time
	ThinkTime Seconds // client pause before this request
}

// Subagent is a recorded child agent with its own requests.
type Subagent struct {
	T            float64 // seconds since the trace began
	Agent        string
	DurationMs   Millis // recorded extent, absent when unknown
	ToolTokens   int64
	SystemTokens int64
	Requests     []Request // in file order
}

// Seconds is a recorded duration in seconds; NaN means that it was not recorded.
type Seconds float64

// NoSeconds is the Seconds of a duration that the recording does not have.
func NoSeconds() Seconds { return Seconds(math.NaN()) }

// Present reports whether the duration was recorded.
func (s Seconds) Present() bool { return !math.IsNaN(float64(s)) }

// floored is the duration, 0 when it is absent or negative (spec reconstruction Q-17).
func (s Seconds) floored() float64 {
	if s > 0 {
		return float64(s)
	}
	return 0
}

// end is the instant, in seconds, at which the request had been answered.
func (r *Request) end() float64 { return r.T + r.APITime.floored() }

// commonPrefix counts the leading blocks that both lists share.
func commonPrefix(a, b []Block) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] {
		return n
	}
	for i, block := range a[:n] {
		if block != b[i] {
			return i
		}
	}
	return n
}
