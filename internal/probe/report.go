package probe

// Report is all that was found, one entry for each URL, in their order.
type Report struct {
	Servers []Server `json:"servers"`
}

// OK tells whether every request was answered.
func (r *Report) OK() bool {
	for i := range r.Servers {
		if !r.Servers[i].answered() {
			return false
		}
	}
	return true
}

// Fit tells whether nothing that a replay relies on was found missing.
func (r *Report) Fit() bool {
	for i := range r.Servers {
		for _, finding := range r.Servers[i].Findings {
			if finding.Verdict == No && finding.needed() {
				return false
			}
		}
	}
	return true
}

// Server is what one URL gave.
type Server struct {
	URL      string    `json:"url"` // credentials masked
	Identity Identity  `json:"identity"`
	Requests []Request `json:"requests"`
	Findings []Finding `json:"findings"`
}

func (s *Server) answered() bool {
	for i := range s.Requests {
		if s.Requests[i].Outcome != "ok" && !s.Requests[i].stopped {
			return false
		}
	}
	return len(s.Requests) > 0
}

// Identity is what the server says of itself.
type Identity struct {
	Server       string   `json:"server,omitempty"`  // header
	Version      string   `json:"version,omitempty"` // of /version
	Models       []string `json:"models,omitempty"`
	WindowTokens int64    `json:"window_tokens,omitempty"`
	Error        string   `json:"error,omitempty"` // why it says nothing
}

// Request is one exchange. Times are in ms from the moment before a connection was asked for; what did not
// happen, or was not told, is left out.
type Request struct {
	Prompt       string `json:"prompt"`           // quick, cold, repeat
	LimitName    string `json:"limit,omitempty"`  // max_completion_tokens or max_tokens; empty: neither was sent
	LimitTokens  int64  `json:"limit_tokens"`     // as asked for
	IgnoreEOS    bool   `json:"ignore_eos"`       // as asked for
	Outcome      string `json:"outcome"`          // of docs/wire.md
	Class        string `json:"class,omitempty"`  // of docs/wire.md
	Error        string `json:"error,omitempty"`  // the server's words, secrets masked
	Status       int    `json:"status,omitempty"` // HTTP
	Protocol     string `json:"protocol,omitempty"`
	Resends      int    `json:"resends"`
	RequestBytes int64  `json:"request_bytes"`

	ConnectMs    *float64 `json:"connect_ms,omitempty"` // look-up, TCP and TLS
	TTFTMs       *float64 `json:"ttft_ms,omitempty"`
	TotalMs      *float64 `json:"total_ms,omitempty"`
	TokensPerS   *float64 `json:"output_tokens_per_s,omitempty"` // (completion − 1) over the time from first to last output; without usage chunks are counted
	RateOf       string   `json:"rate_of,omitempty"`             // tokens or chunks
	Chunks       int      `json:"chunks"`                        // with output
	FinishReason string   `json:"finish_reason,omitempty"`
	Done         bool     `json:"done"` // [DONE] came

	PromptTokens     *int64 `json:"prompt_tokens,omitempty"`
	CompletionTokens *int64 `json:"completion_tokens,omitempty"`
	ReasoningTokens  *int64 `json:"reasoning_tokens,omitempty"`
	CachedTokens     *int64 `json:"cached_tokens,omitempty"`

	Text      string `json:"text"` // the beginning of the output
	Reasoning string `json:"reasoning,omitempty"`
	streamed  bool
	stopped   bool // ended here, because the output passed the limit by far
}

// Verdict says whether a property was seen.
type Verdict string

// The verdicts.
const (
	Yes     Verdict = "yes"
	No      Verdict = "no"
	Unknown Verdict = "unknown" // these requests cannot tell
)

// The properties that are looked at.
const (
	Streaming    = "streaming"
	IncludeUsage = "include_usage"
	LengthLimit  = "length_limit"
	IgnoreEOS    = "ignore_eos"
	PrefixCache  = "prefix_cache"
)

// Finding is a property, what was found, the figures it rests on, and what to do about it.
type Finding struct {
	Property string  `json:"property"`
	Verdict  Verdict `json:"verdict"`
	Evidence string  `json:"evidence"`
	Advice   string  `json:"advice,omitempty"`
}

// needed tells whether a replay's figures rest on the property; a cache may be off on purpose.
func (f *Finding) needed() bool { return f.Property != PrefixCache }
