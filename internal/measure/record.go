package measure

// Record is everything known about one planned request, sent or not.
type Record struct {
	Exchange int64 // id of the exchange in the log, -1 for a turn that was never sent
	Number   int   // dispatch order in its phase, from 0; -1 when never sent
	Phase    Phase
	Outcome  Outcome
	Class    string // the wire's class of an error or an odd success
	Reason   string // why it was cancelled or not sent

	Place Place
	Plan  PlanFacts
	Error *ErrorInfo // nil unless the wire or the peer's rules call it an error

	Times   Times
	Tokens  Tokens
	HTTP    HTTP
	Streams bool  // the answer came as a stream; TTFT and ITL exist only then
	Chunks  int   // content chunks that the wire counted
	Trail   Trail // content chunks; empty when the analysis does not read chunks

	MaxTokens      Count  // output limit sent
	InFlight       bool   // grace: was running when the configured duration ended
	Marker         string // cache-bust marker of its tree, without the newlines
	OverflowPhrase string // what made an error an overflow
	Finish         string // finish reason of the first choice, as sent by the server
	ModelSent      string
	RequestID      string
	Primer         bool     // warmup request of a stream that was alive at the start
	Waited         []string // what the request waited for, in the machine's words
	Incomplete     bool     // the stream ended without finish reason, [DONE] or usage
}

// Place says where in the run and where in the recording a request belongs.
type Place struct {
	Lane, Play, Stream, Turn int
	Trace                    string
	Conversation             string
	Kind                     string // conversation kind: root, sa, fa, aux …
	Depth                    int
	Turns                    int // turns of the conversation
	Session, Parent, Root    string
	PlaysBefore              int // earlier plays of the same trace in this run
}

// PlanFacts are the recording's own figures for a request.
type PlanFacts struct {
	Row, InnerRow int   // rows of the trace; inner is -1 for top-level rows
	In, Out       Count // recorded tokens
	TNs           Stamp // recorded start, trace clock
	APINs         int64 // recorded server time
	GapNs         int64 // recorded pause before the turn, -1 where there is none
	HitBlocks     Count // theoretical prefix-cache hit
	TotalBlocks   Count
	HitTokens     Count
	ReachTokens   Count // hit that earlier requests of this run make possible, in tokens
	InputKind     string
}

// Times are the moments of a request.
type Times struct {
	Due, Ready, Issued Stamp // planned; last gate opened; dispatched by the scheduler
	Start              Stamp // before a connection was asked for
	SendStart, Written Stamp
	FirstByte, Headers Stamp
	First              Stamp // first content of any kind
	FirstText          Stamp // first content that is not reasoning
	Second             Stamp // second content chunk
	Last               Stamp // last content chunk
	LastResponse       Stamp // last chunk of any kind but keep-alive
	LastByte           Stamp
	End                Stamp
	Cancel             Stamp
	SlotWaitNs         int64 // time queued for a prefill slot
	ReadDelayNs        int64 // greatest difference of the client's stamp and the kernel's
}

// Tokens are the counts of a request from every source; Input, Output and Reasoning are those of the
// source the run asked for.
type Tokens struct {
	Input, Output, Reasoning                Count
	LocalInput, LocalOutput, LocalReasoning Count
	FirstChunk                              Count // running usage on the first content chunk
	Usage                                   UsageCounts
}

// UsageCounts are what the server reported, verbatim.
type UsageCounts struct {
	Reported                               bool
	Prompt, Completion, Total, Reasoning   Count
	CacheRead, CacheWrite, CacheMiss       Count
	AcceptedPrediction, RejectedPrediction Count
	ToolUsePrompt                          Count
}

// HTTP are the connection facts of a request. Durations are ns; -1 is not known.
type HTTP struct {
	Status                              int
	Protocol                            string
	URLIndex                            int
	ConnWaitNs, DNSNs, ConnectNs, TLSNs int64
	Reused                              bool
	Resends                             int
	SentBytes, ReceivedBytes            int64
	Writes, Reads                       int
	LocalAddr, RemoteAddr               string
}

// ErrorInfo is an error as the peer's files show it.
type ErrorInfo struct {
	Code       *int
	Type       string
	Message    string
	Cause      string
	CauseChain []string
}

// NewRecord is a record of which nothing is known yet.
func NewRecord() *Record {
	return &Record{
		Exchange: -1, Number: -1, MaxTokens: NoCount,
		Plan: PlanFacts{
			InnerRow: -1, In: NoCount, Out: NoCount, TNs: NoStamp, GapNs: -1,
			HitBlocks: NoCount, TotalBlocks: NoCount, HitTokens: NoCount, ReachTokens: NoCount,
		},
		Times: Times{
			Due: NoStamp, Ready: NoStamp, Issued: NoStamp, Start: NoStamp, SendStart: NoStamp,
			Written: NoStamp, FirstByte: NoStamp, Headers: NoStamp, First: NoStamp, FirstText: NoStamp,
			Second: NoStamp, Last: NoStamp, LastResponse: NoStamp, LastByte: NoStamp, End: NoStamp, Cancel: NoStamp,
		},
		Tokens: Tokens{
			Input: NoCount, Output: NoCount, Reasoning: NoCount,
			LocalInput: NoCount, LocalOutput: NoCount, LocalReasoning: NoCount, FirstChunk: NoCount,
			Usage: noUsage(),
		},
		HTTP: HTTP{ConnWaitNs: -1, DNSNs: -1, ConnectNs: -1, TLSNs: -1},
	}
}

func noUsage() UsageCounts {
	return UsageCounts{
		Prompt: NoCount, Completion: NoCount, Total: NoCount, Reasoning: NoCount,
		CacheRead: NoCount, CacheWrite: NoCount, CacheMiss: NoCount,
		AcceptedPrediction: NoCount, RejectedPrediction: NoCount, ToolUsePrompt: NoCount,
	}
}

// Valid reports whether the request counts in latency and token metrics: an answer with content.
func (r *Record) Valid() bool { return r.Outcome == OutcomeOK && r.Times.Last.Known() }

// OSL is output plus reasoning tokens (spec metrics 0, token counting 4); not known when both are not.
func (r *Record) OSL() Count { return sumCounts(r.Tokens.Output, r.Tokens.Reasoning) }

// Over is when whoever waits for the request knows that it is over: of one that failed the end of the
// exchange, which a silent server may put long after the last chunk; else AxisEnd.
func (r *Record) Over() Stamp {
	if !r.Valid() && r.Times.End.Known() {
		return max(r.Times.End, r.AxisEnd())
	}
	return r.AxisEnd()
}

// AxisEnd is the record's end on the time axis: the last chunk of any kind, which may be the finish
// delta, usage or [DONE]; where no chunk came, the end of the exchange (spec metrics 0).
func (r *Record) AxisEnd() Stamp {
	if r.Times.LastResponse.Known() {
		return max(r.Times.LastResponse, r.Times.Start)
	}
	if r.Times.End.Known() {
		return max(r.Times.End, r.Times.Start)
	}
	return r.Times.Start
}
