package eventlog

// The payloads of the kinds that are not the replay machine's, as JSON objects with short keys. Keys
// are part of the file format: a key keeps its meaning for ever; new keys may be added, a reader
// ignores the ones it does not know. Times `*_ns` are nanoseconds since run start; a pointer is nil
// where the thing did not happen or is not known.

// RunConfig is the payload of the first event.
type RunConfig struct {
	Schema      int               `json:"schema"` // version of the log format
	Program     string            `json:"program"`
	Version     string            `json:"version"`
	Commit      string            `json:"commit,omitempty"`
	RunID       string            `json:"run_id"`
	BenchmarkID string            `json:"benchmark_id"`
	Scenario    string            `json:"scenario,omitempty"`
	Simulated   bool              `json:"simulated,omitempty"`
	Args        []string          `json:"args"`     // secrets replaced by <redacted>
	Settings    map[string]any    `json:"settings"` // every flag with its resolved value, by flag name
	Explicit    []string          `json:"explicit"` // flags that the user set
	Env         map[string]string `json:"env,omitempty"`
	Seed        uint64            `json:"seed"` // schedule seed
	SeedFresh   bool              `json:"seed_fresh,omitempty"`
	URLs        []string          `json:"urls"` // credentials redacted
	Models      []string          `json:"models"`
	Labels      map[string]string `json:"labels,omitempty"`
	Bundle      BundleInfo        `json:"bundle"`
	Host        HostInfo          `json:"host"`
	Trial       int               `json:"trial"`
	Trials      int               `json:"trials"`
}

// BundleInfo says which bundle was replayed.
type BundleInfo struct {
	Path          string         `json:"path"`
	Key           string         `json:"key"`            // hex
	ContentDigest string         `json:"content_digest"` // hex
	Traces        []string       `json:"traces"`         // in bundle order
	Manifest      map[string]any `json:"manifest,omitempty"`
}

// HostInfo says where the client ran.
type HostInfo struct {
	Name string `json:"name"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	Go   string `json:"go"`
	PID  int    `json:"pid"`
}

// Anchor ties the run clock (the event's at_ns) to the wall clock.
type Anchor struct {
	WallNs int64  `json:"wall_ns"` // since the Unix epoch, UTC
	Why    string `json:"why"`     // start, tick, step, end
	StepNs int64  `json:"step_ns,omitempty"`
	// MonoNs is the machine's monotonic clock (on Linux CLOCK_MONOTONIC) at the same instant, for comparing
	// with the records of another program on the same machine; 0 where it cannot be read.
	MonoNs int64 `json:"mono_ns,omitempty"`
}

// ModelMap introduces one trace before its first tree: where its plan lies and which configured model
// stands for each recorded one.
type ModelMap struct {
	Plan     int      `json:"plan"` // index in the bundle, as in the machine's events
	Trace    string   `json:"trace"`
	Digest   string   `json:"digest"` // hex BLAKE3 of the plan frame (JSON) in table plans
	Recorded []string `json:"recorded"`
	Sent     []string `json:"sent"`
}

// ServerInfo is what the server says of itself.
type ServerInfo struct {
	URL         string         `json:"url"`
	Server      string         `json:"server,omitempty"` // Server header
	Version     string         `json:"version,omitempty"`
	Models      []string       `json:"models,omitempty"`
	MaxModelLen int64          `json:"max_model_len,omitempty"`
	Error       string         `json:"error,omitempty"`
	Raw         map[string]any `json:"raw,omitempty"`
}

// Notice is a warning or a note that the user was shown.
type Notice struct {
	Level string         `json:"level"` // info, warning, error
	Code  string         `json:"code"`  // stable, e.g. window_too_small
	Text  string         `json:"text"`
	Facts map[string]any `json:"facts,omitempty"`
}

// ClientSample is the client's own load since the previous sample.
type ClientSample struct {
	CPUSeconds     float64 `json:"cpu_s"`
	CPUShare       float64 `json:"cpu_share"` // of all cores, 0..1
	MachineShare   float64 `json:"machine_share,omitempty"`
	HeapBytes      int64   `json:"heap"`
	RSSBytes       int64   `json:"rss,omitempty"`
	GCPauseNs      int64   `json:"gc_pause_ns"`
	SchedLatP99Ns  int64   `json:"sched_lat_p99_ns"` // Go scheduler latency
	QueueEvents    int64   `json:"queue_events"`     // log queue depth
	QueueBytes     int64   `json:"queue_bytes"`
	CountQueue     int64   `json:"count_queue"` // token counting queue depth
	InFlight       int64   `json:"in_flight"`
	LateP50Ns      int64   `json:"late_p50_ns"` // lateness of sends, spec scheduling 11.6
	LateP99Ns      int64   `json:"late_p99_ns"`
	LateMaxNs      int64   `json:"late_max_ns"`
	ReadDelayP50Ns int64   `json:"read_delay_p50_ns"` // Go stamp minus kernel stamp
	ReadDelayP99Ns int64   `json:"read_delay_p99_ns"`
	ReadDelayMaxNs int64   `json:"read_delay_max_ns"`
	Goroutines     int     `json:"goroutines"`
}

// ServerSample is one scrape of a metrics page.
type ServerSample struct {
	URL     string `json:"url"`
	FetchNs int64  `json:"fetch_ns"`
	Status  int    `json:"status,omitempty"`
	Error   string `json:"error,omitempty"`
}

// RunEnd is the payload of the last event.
type RunEnd struct {
	ExitCode     int    `json:"exit_code"`
	Reason       string `json:"reason"` // done, user, warmup_failure, failed_requests, fail_fast, drain_timeout, log_failure, ...
	WasCancelled bool   `json:"was_cancelled"`
	Text         string `json:"text,omitempty"`
}

// ReasonLogFailure is the reason of a run that ended because its log could not be written.
const ReasonLogFailure = "log_failure"

// StreamNames are the ids that a stream's requests carry.
type StreamNames struct {
	Session string `json:"session"` // X-Correlation-ID
	Parent  string `json:"parent,omitempty"`
	Root    string `json:"root"`
}

// BundlePart says that a stretch of the bundle's file is in table plans.
type BundlePart struct {
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Of     int64  `json:"of"`     // bytes of the whole file
	Digest string `json:"digest"` // hex BLAKE3 of the stretch
}

// RequestWritten says that the last byte of a request was handed to the socket.
type RequestWritten struct {
	Bytes int64 `json:"n"` // body bytes
}

// FirstContent says that the first chunk with content arrived.
type FirstContent struct {
	Class string `json:"class"`
}

// Outcome is the single end state of an exchange.
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeOverflow  Outcome = "overflow"
	OutcomeCancelled Outcome = "cancelled"
	OutcomeAbandoned Outcome = "abandoned"
)

// ExchangeEnd is the whole result of one HTTP exchange. It is stored with keys of its own, to save half its
// bytes: a field that is added here is added to exchangeForm too (a test looks).
type ExchangeEnd struct {
	Outcome Outcome
	// Class tells errors and odd successes apart: http, transport, in_stream, timeout,
	// no_visible_output, incomplete_stream, line_too_long …; empty for a plain success.
	Class  string
	Reason string // of a cancellation: user, warmup_failure, threshold, fail_fast, grace

	ErrorCode    *int // as the peer exports it
	ErrorType    string
	ErrorMessage string
	ErrorCause   string
	CauseChain   []string
	Overflow     string // the phrase that matched

	RequestID string
	Status    int
	Protocol  string
	URLIndex  int

	// Stamps, ns since run start.
	StartNs        int64  // before a connection was asked for
	ConnWaitNs     *int64 // duration
	DNSNs          *int64 // duration
	ConnectNs      *int64 // duration, TCP
	TLSNs          *int64 // duration
	Reused         bool
	Resends        int
	SendStartNs    *int64
	WrittenNs      *int64
	FirstByteNs    *int64
	HeadersNs      *int64 // response head complete
	FirstTokenNs   *int64 // first content of any kind
	FirstTextNs    *int64 // first content that is not reasoning
	SecondTokenNs  *int64 // second content chunk
	LastTokenNs    *int64
	LastByteNs     *int64
	LastResponseNs *int64 // last chunk of any kind but keep-alive
	EndNs          int64
	CancelNs       *int64

	SentBytes     int64 // body
	ReceivedBytes int64 // body
	Writes        int
	Reads         int
	BodyDigest    string // BLAKE3 of the request body, hex
	// PromptTokens is the prompt as planned: the message tokens, and the marker's. ReachTokens is how much
	// of it an unlimited prefix cache could have held (spec decision 32).
	PromptTokens int64
	MarkerTokens int64
	ReachTokens  int64
	MaxTokens    int64 // output limit as sent

	Chunks           ChunkCounts
	FinishReasons    []string // by choice, as sent
	Done             bool     // [DONE] seen
	Early            bool     // the answer came before the request was written
	OverflowLike     bool     // an error about length that matched no phrase
	Streamed         bool
	Model            string // as answered
	Usage            *Usage
	FirstChunkTokens *int64 // running usage on the first content chunk

	OutputTokensLocal    *int64
	ReasoningTokensLocal *int64
	NoLocalCount         string // why the two are missing

	ReadDelayMaxNs int64
	LocalAddr      string
	RemoteAddr     string
}

// ChunkCounts counts the streamed pieces by class.
type ChunkCounts struct {
	Role      int `json:"role,omitempty"`
	Reasoning int `json:"reasoning,omitempty"`
	Text      int `json:"text,omitempty"`
	Tool      int `json:"tool,omitempty"`
	Usage     int `json:"usage,omitempty"`
	Done      int `json:"done,omitempty"`
	KeepAlive int `json:"keep,omitempty"`
	Error     int `json:"error,omitempty"`
	Other     int `json:"other,omitempty"`
}

// Usage is what the server counted; nil means not reported, which is not 0.
type Usage struct {
	Prompt             *int64 `json:"prompt,omitempty"`
	Completion         *int64 `json:"completion,omitempty"`
	Total              *int64 `json:"total,omitempty"`
	Reasoning          *int64 `json:"reasoning,omitempty"`
	CacheRead          *int64 `json:"cache_read,omitempty"`
	CacheWrite         *int64 `json:"cache_write,omitempty"`
	CacheMiss          *int64 `json:"cache_miss,omitempty"`
	AcceptedPrediction *int64 `json:"accepted_prediction,omitempty"`
	RejectedPrediction *int64 `json:"rejected_prediction,omitempty"`
	ToolUsePrompt      *int64 `json:"tool_use_prompt,omitempty"`
}

// NetworkSample is one connect of the latency probe.
type NetworkSample struct {
	Target    string `json:"target"`
	ConnectNs int64  `json:"connect_ns"`
	Error     string `json:"error,omitempty"`
}
