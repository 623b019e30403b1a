package wire

import "agentx/wire/chat"

// Outcome is the single end state of an exchange.
type Outcome string

// The outcomes that wire gives. (A caller that stops waiting may have one more of its own.)
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeOverflow  Outcome = "overflow" // the prompt did not fit the server's context window
	OutcomeCancelled Outcome = "cancelled"
)

// The classes tell errors, and odd successes, apart. A plain success has none.
const (
	ClassHTTP             = "http"              // a status outside 200..299
	ClassTransport        = "transport"         // connection, TLS, or framing of the answer
	ClassTimeout          = "timeout"           // one of the time limits
	ClassInStream         = "in_stream"         // an error inside a 2xx answer
	ClassIncompleteStream = "incomplete_stream" // ended without finish reason, [DONE] or final usage
	ClassLineTooLong      = "line_too_long"     // an event above the limit
	ClassBodyTooLarge     = "body_too_large"    // an unstreamed answer above the limit
	ClassRequest          = "request"           // refused here, nothing was sent
	ClassNoVisibleOutput  = "no_visible_output" // ok, but nothing that counts as a token came
	ClassNotStreamed      = "not_streamed"      // ok, but a streaming request was answered in one piece
	ClassNoEnd            = "no_end"            // ok: finished, but neither [DONE] nor the end of the body came
)

// Result is all that happened in one exchange. Stamps are ns on the client's clock; stamps, durations
// and counts are Unset where the thing did not happen.
type Result struct {
	Outcome Outcome
	Class   string
	Err     *Error // nil for ok
	// Overflow is the phrase that made the outcome an overflow. OverflowLike says that an error without
	// such a phrase is about the length of prompt or output by its fields.
	Overflow     string
	OverflowLike bool
	// CancelCause is context.Cause of the context that ended the exchange.
	CancelCause error

	Status   int
	Reason   string // phrase of the status line
	Protocol string // HTTP/1.1, HTTP/2.0; empty where no connection was made
	URLIndex int

	StartNs      int64 // before a connection was asked for; of the resend, where there was one
	FirstStartNs int64 // the same of the first attempt
	ConnWaitNs   int64 // duration in the queue for a connection
	DNSNs        int64 // duration; Unset where no look-up was made
	ConnectNs    int64 // duration of the TCP (or unix) connect, all addresses tried
	TLSNs        int64 // duration of the handshake
	Reused       bool  // the connection was there before: it had carried an exchange, or Open made it
	Resends      int   // 0 or 1

	SendStartNs    int64 // before the first byte of the request head was handed to the socket
	WrittenNs      int64 // the last byte of the request was handed over
	FirstByteNs    int64 // first byte of the answer
	HeadersNs      int64 // head of the answer complete
	FirstBodyNs    int64 // first body byte
	FirstTokenNs   int64 // first content of any kind
	FirstTextNs    int64 // first content that is not reasoning
	SecondTokenNs  int64 // second chunk with content
	LastTokenNs    int64
	LastResponseNs int64 // last chunk of any kind but keep-alive
	LastByteNs     int64
	EndNs          int64 // the answer was complete, or the failure was known
	CancelNs       int64

	SentBytes     int64 // body bytes handed to the socket
	ReceivedBytes int64 // body bytes, HTTP framing taken off
	Writes, Reads int   // of the socket
	BodyDigest    [32]byte
	HasBodyDigest bool
	Early         bool // the answer came before the request was written

	Streamed         bool // the answer was an event stream
	Counts           ChunkCounts
	Chunks           []Chunk // nil where Hooks.Chunks took them
	ChunksLost       int     // not kept, above Options.MaxChunks
	Choices          []Choice
	TextCut          bool // output above Options.MaxTextBytes is counted but not in Choices
	InvalidUTF8      bool // some output was not valid UTF-8; it is kept as received
	Malformed        int  // events whose data was not the JSON of a chunk; ignored
	Done             bool // [DONE] came
	Model            string
	Usage            Usage
	HasUsage         bool
	FirstChunkTokens int64 // running usage on the first chunk with content

	ReadDelayMaxNs int64 // largest Go stamp minus kernel stamp of a read
	KernelStamps   int   // reads that had a kernel stamp
	Server         string
	ContentType    string
	RetryAfter     string
	LocalAddr      string
	RemoteAddr     string

	FailedBody []byte // beginning of the answer's body where the exchange failed, secrets masked
	RawHead    []byte
	RawBody    []byte
	RawCut     bool // RawBody ends at Options.MaxBodyBytes
	WriteList  []IO
	ReadList   []IO
}

// Choice is the output of one choice: text, reasoning and tool-call text (names and arguments), each
// concatenated in order of arrival, and its finish reason as sent.
type Choice struct {
	Index     int
	Text      []byte
	Reasoning []byte
	Tool      []byte
	Finish    string
}

// IO is one write or read of the socket: when, and how many bytes (below TLS).
type IO struct {
	At    int64
	Bytes int
}

// Error describes a failure in the terms of the peer's records, so that results can be compared.
type Error struct {
	// Code is the HTTP status, 499 for a cancellation, the numeric code of an in-stream error or 502, 0
	// for a send timeout; nil for transport errors and timeouts.
	Code *int
	// Type is one of the names in docs/wire.md, the reason phrase of an HTTP error, or the type that the
	// server gave.
	Type    string
	Message string
	Cause   string
	Chain   []string // type names of the causes, outermost first
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// Usage is what the server counted; Unset where it did not report a value.
type Usage = chat.Usage
