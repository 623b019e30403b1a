package run

import (
	"os"

	"agentx/internal/bundles"
)

// Options is everything that the user decides about a run, after flags, environment and configuration
// file are merged. Durations are in seconds; a negative duration or count means unset.
type Options struct {
	Bundle    string       // empty: the one in the cache that Wish means
	Wish      bundles.Wish // data set and content flags that the user gave
	CacheDir  string       // of agentx-prep; empty: the default
	Overwrite bool
	Quiet     bool
	Plain     bool // progress as lines, also on a terminal
	Dashboard bool // the view of the log, where there is a terminal
	DryRun    bool // only show what the run would be

	DashboardAsked bool // the user named it: say why there is none

	Scenario       string
	UnsafeOverride bool
	Seed           int64 // schedule seed; negative: a fresh one is drawn and logged
	RunID          string
	BenchmarkID    string
	Labels         []string
	ArtifactDir    string
	LogDir         string
	ExportLevel    string
	ExportPrefix   string
	StatsInterval  float64

	Server  ServerOptions
	Load    LoadOptions
	Series  SeriesOptions
	Results ResultOptions

	Simulate SimulateOptions

	Seams Seams

	Signals <-chan os.Signal // what Catch gives; nil: caught when the run begins

	Args     []string            // command line, secrets redacted
	Settings map[string]any      // every flag with its resolved value
	Explicit []string            // flags that the user set, sorted
	Env      map[string]string   // AGENTX_* and AIPERF_* variables that are set
	Refused  []error             // what the command line has and cannot be: the run does not begin
	Instead  string              // the command line without it
	Spelling func(string) string // rewrites a message with the names of flags as they were typed; may be nil
	Notes    []Note              // what the command line wants the user to know
}

// Note is a word to the user about the settings. It goes to the terminal once, and into every log.
type Note struct {
	Level string `json:"level"` // info or warning
	Code  string `json:"code"`  // stable
	Text  string `json:"text"`
}

// line is the note as the terminal shows it.
func (n *Note) line() string {
	if n.Level == "warning" {
		return "warning: " + n.Text
	}
	return n.Text
}

// ServerOptions say where requests go and what they look like.
type ServerOptions struct {
	URLs                   []string
	Models                 []string
	Endpoint               string
	BareURL                bool // the URLs are used as they are
	APIKey                 string
	Headers                []string
	ExtraInputs            []string
	SessionHeader          string
	TreeHeader             string
	Streaming              bool
	LegacyMaxTokens        bool
	PerChunkUsage          bool
	URLScope               string
	Reuse                  string // pooled, never, sticky-user-sessions
	HTTPVersion            string
	RequestTimeout         float64
	ConnectTimeout         float64
	FirstByteTimeout       float64
	IdleTimeout            float64
	FinishGrace            float64
	CancellationRate       float64 // percent
	CancellationDelay      float64
	Insecure               bool
	CAFile                 string
	Proxy                  string // empty for none, "environment", or a URL
	Connection             ConnectionOptions
	IPVersion              string
	WaitTimeout            float64
	WaitInterval           float64
	WaitMode               string
	ResetKVCache           bool
	ResetKVPath            string
	ResetKVTimeout         float64
	Profiler               bool
	ProfilerStart          string
	ProfilerStop           string
	ProfilerTimeout        float64
	MetricsURLs            []string
	NoMetrics              bool
	MetricsInterval        float64
	NetworkLatencyMean     float64 // ms
	NetworkLatencyAuto     bool
	NetworkLatencyInterval float64
}

// limitName is the name of the output limit in requests.
func (o *ServerOptions) limitName() string {
	if o.LegacyMaxTokens {
		return "max_tokens"
	}
	return "max_completion_tokens"
}

// LoadOptions say what is sent when.
type LoadOptions struct {
	Concurrency     int
	Duration        float64
	Grace           float64 // +Inf: wait for ever
	RequestCount    int64
	NumSessions     int64
	Prefill         int
	Ramp            float64
	StartMinRatio   float64
	StartMaxRatio   float64
	StartAtMs       float64 // NaN: drawn
	Burst           bool
	SystemIdleCap   float64
	TraceIdleCap    float64
	CacheBust       string
	Sampler         string
	AllowWrap       bool
	CacheWarmup     float64
	WarmupPerLane   int
	WarmupGrace     float64
	HandoffClock    string
	JoinPolicy      string
	SpawnPolicy     string
	FailFast        string
	OverflowBackoff float64
	FailedThreshold float64
	OverflowPhrases []string // nil: the default ones; empty: none
}

// SeriesOptions say how often the run is repeated and over which concurrencies.
type SeriesOptions struct {
	Runs               int // repetitions of each configuration
	Cooldown           float64
	VarySeed           bool
	FreshSeeds         bool // without a seed each run draws its own, in place of 42 for all
	NoWarmupAfterFirst bool // the pressure stage of the warmup only in the first run
	Concurrencies      []int
	PointCooldown      float64
	SameSeed           bool // all concurrencies use one seed, in place of seed + i
	PointsTogether     bool // all repetitions of a concurrency before the next one
	NoTable            bool
	Confidence         float64

	// Convergence of repetitions: no further ones are made once they agree. Metric is empty where all are made.
	ConvergenceMetric    string
	ConvergenceStat      string
	ConvergenceMode      string
	ConvergenceThreshold float64 // negative: the mode's own
}

// ResultOptions are the settings of the closing summary, the same as agentx-analyze's.
type ResultOptions struct {
	SliceDuration   float64
	Goodput         []string
	UseServerTokens bool
	ApplyTemplate   bool // prompt tokens are counted with what the chat template adds
	HTTPTrace       bool
	ShowTrace       bool
	OutputsJSON     bool
}
