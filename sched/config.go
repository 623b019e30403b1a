package sched

// Config is everything that the machine needs to know beside the plans. It can be written as JSON
// and read back without loss; the log keeps it, so that the decisions can be recomputed. Durations
// are nanoseconds; a nil pointer means that the setting is off.
type Config struct {
	Concurrency int    `json:"concurrency"`  // lanes, at least 1
	Seed        uint64 `json:"seed"`         // schedule seed
	BenchmarkID string `json:"benchmark_id"` // 32 hex digits; part of every marker

	// The window of a trace, in fractions of its span of request starts, that the start is drawn from.
	StartMinRatio float64 `json:"start_min_ratio"`
	StartMaxRatio float64 `json:"start_max_ratio"`
	// StartAtMs forces the start of each lane's first tree, in ms of the trace clock: one value for all
	// lanes, or one per lane.
	StartAtMs []float64 `json:"start_at_ms,omitempty"`

	Sampler   Sampler   `json:"sampler"`
	AllowWrap bool      `json:"allow_wrap,omitempty"`
	CacheBust CacheBust `json:"cache_bust"`

	SystemIdleCapNs  *int64 `json:"system_idle_cap_ns,omitempty"` // global idle guard
	TraceIdleCapNs   *int64 `json:"trace_idle_cap_ns,omitempty"`  // per-tree watchdog; 0 is legal
	BurstPhaseStarts bool   `json:"burst_phase_starts,omitempty"`
	RampNs           int64  `json:"ramp_ns,omitempty"`       // concurrency ramp of profiling
	PrefillLimit     int    `json:"prefill_limit,omitempty"` // requests before their first token; 0: no limit

	DurationNs    *int64 `json:"duration_ns,omitempty"`     // of profiling
	GraceNs       *int64 `json:"grace_ns,omitempty"`        // after the duration; nil: endless
	RequestCount  int64  `json:"request_count,omitempty"`   // profiling requests; 0: no limit
	NumSessions   int64  `json:"num_sessions,omitempty"`    // root sessions; 0: no limit
	WarmupGraceNs *int64 `json:"warmup_grace_ns,omitempty"` // nil: see WarmupGrace

	// Cache-pressure warmup, at most one of the two.
	CacheWarmupNs         *int64       `json:"cache_warmup_ns,omitempty"`
	WarmupRequestsPerLane int          `json:"warmup_requests_per_lane,omitempty"`
	HandoffClock          HandoffClock `json:"handoff_clock,omitempty"` // empty: dataset after requests per lane, else delay

	JoinPolicy  JoinPolicy  `json:"join_policy"`
	SpawnPolicy SpawnPolicy `json:"spawn_policy"`
	FailFast    FailFast    `json:"fail_fast"`
	// OverflowBackoffNs is how long after a root's overflow, or a failure without one response byte, its
	// lane waits before it takes the next trace. 0 switches it off.
	OverflowBackoffNs int64 `json:"overflow_backoff_ns"`
	// FailedRequestThreshold cancels the run when more than this fraction of the profiling requests
	// failed, once max(Concurrency, 10) have ended.
	FailedRequestThreshold *float64 `json:"failed_request_threshold,omitempty"`

	URLCount int      `json:"url_count"` // at least 1
	URLScope URLScope `json:"url_scope"`
}

// Sampler says in which order lanes take traces.
type Sampler string

// The samplers.
const (
	SamplerSequential Sampler = "sequential" // round robin in data set order
	SamplerShuffle    Sampler = "shuffle"    // a new shuffle for each pass
	SamplerRandom     Sampler = "random"     // uniform with replacement
)

// CacheBust says where a tree's marker goes; the machine needs to know whether there is one.
type CacheBust string

// The targets.
const (
	CacheBustNone            CacheBust = "none"
	CacheBustFirstTurnPrefix CacheBust = "first_turn_prefix"
	CacheBustFirstTurnSuffix CacheBust = "first_turn_suffix"
	CacheBustSystemPrefix    CacheBust = "system_prefix"
	CacheBustSystemSuffix    CacheBust = "system_suffix"
	// The isolation targets mark warmup requests by one constant and mint no markers.
	CacheBustWarmupIsolationPrefix CacheBust = "warmup_isolation_prefix"
	CacheBustWarmupIsolationSuffix CacheBust = "warmup_isolation_suffix"
)

// HandoffClock says how first offsets are counted after a cache-pressure warmup.
type HandoffClock string

// The clocks.
const (
	HandoffDataset HandoffClock = "dataset" // recorded start minus the tree's origin
	HandoffDelay   HandoffClock = "delay"   // the recorded gap of the next turn, in full
)

// JoinPolicy says when a turn that waited for subagents goes out.
type JoinPolicy string

// The join policies.
const (
	JoinMax       JoinPolicy = "max"       // max(parent's end + gap, last child's end)
	JoinImmediate JoinPolicy = "immediate" // the last child's end, as AIPerf 0.13 does
)

// SpawnPolicy says when a subagent starts that was spawned at its parent's return.
type SpawnPolicy string

// The spawn policies.
const (
	SpawnRecorded  SpawnPolicy = "recorded"  // parent's return + recorded delay after the parent's end
	SpawnImmediate SpawnPolicy = "immediate" // parent's return + delay after the branch's start, as AIPerf 0.13 does
)

// FailFast says what a child's error ends.
type FailFast string

// The fail-fast modes.
const (
	FailFastOff  FailFast = "off"
	FailFastTree FailFast = "tree"
	FailFastRun  FailFast = "run"
)

// URLScope says what keeps one server URL.
type URLScope string

// The scopes.
const (
	URLPerStream URLScope = "stream"
	URLPerTree   URLScope = "tree"
)

// DefaultConfig is the generic default: one lane, no limits, TARGET policies.
func DefaultConfig() Config {
	return Config{
		Concurrency: 1, StartMinRatio: 0.25, StartMaxRatio: 0.75,
		Sampler: SamplerSequential, CacheBust: CacheBustNone,
		JoinPolicy: JoinMax, SpawnPolicy: SpawnRecorded, FailFast: FailFastOff,
		OverflowBackoffNs: 1_000_000_000, URLCount: 1, URLScope: URLPerStream,
	}
}
