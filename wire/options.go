package wire

import "time"

// Options configure a Client. The zero value of each field is a usable default, save URLs and Clock.
type Options struct {
	// URLs are the base URLs; see ParseEndpoint.
	URLs []string
	// Path, where not nil, stands for v1/chat/completions; an empty string appends nothing.
	Path  *string
	Clock Clock
	// HTTP2 speaks HTTP/2: over TLS by ALPN, over plain connections with prior knowledge.
	HTTP2 bool

	// Extra are fields added to every body (--extra-inputs).
	Extra Fields
	// LegacyMaxTokens sends max_tokens in place of max_completion_tokens.
	LegacyMaxTokens bool
	// PerChunkUsage asks for running usage in every chunk.
	PerChunkUsage bool

	UserAgent string // default "agentx"
	// SessionHeader renames X-Correlation-ID.
	SessionHeader string
	Affinity      Affinity
	Headers       []Header
	APIKey        string

	Reuse ReusePolicy
	// MaxConns is the number of simultaneous exchanges; default 2500.
	MaxConns int
	// IdleTimeout evicts pooled connections; default 300 s. A shorter Keep-Alive hint of the server wins.
	IdleTimeout time.Duration
	IP          IPVersion
	// DNSTTL is how long a look-up is kept; default 300 s; negative: never.
	DNSTTL time.Duration
	Socket SocketOptions
	TLS    TLSOptions
	// Proxy is empty for none, "environment" for HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or a URL.
	Proxy string

	Timeouts Timeouts
	Limits   Limits
	// OverflowPhrases are looked for in errors; nil is DefaultOverflowPhrases, empty switches off.
	OverflowPhrases []string
}

// Affinity says which routing headers a request carries besides its session header.
type Affinity struct {
	SessionID       bool // X-Session-ID
	SessionAffinity bool // X-Session-Affinity
	SMGRoutingKey   bool // X-SMG-Routing-Key
	DynamoSessionID bool // X-Dynamo-Session-ID, and X-Dynamo-Parent-Session-ID of a child
	// TreeHeader names a header that carries Request.TreeID; empty: none.
	TreeHeader string
}

// ReusePolicy says how connections are kept.
type ReusePolicy string

// The policies.
const (
	ReusePooled ReusePolicy = "pooled"               // one pool per server; the default
	ReuseNever  ReusePolicy = "never"                // a new connection for each request
	ReuseSticky ReusePolicy = "sticky-user-sessions" // one connection per session
)

// IPVersion restricts addresses.
type IPVersion string

// The versions.
const (
	IPAuto IPVersion = "auto" // what the resolver gives, in its order; the default
	IPv4   IPVersion = "4"
	IPv6   IPVersion = "6"
)

// SocketOptions are set on new TCP sockets, where the system has them. 0 is the default named; negative
// leaves the system's.
type SocketOptions struct {
	SendBuffer, ReceiveBuffer int // default: the system's, which it tunes by itself
	// NotSentLowat bounds what "written" may leave unsent in the kernel; default 128 KiB (Linux, darwin).
	NotSentLowat  int
	KeepIdle      time.Duration // default 60 s
	KeepInterval  time.Duration // default 30 s
	KeepCount     int           // default 1
	UserTimeout   time.Duration // default 30 s (Linux)
	NoKernelStamp bool          // use Go stamps for reads
}

// TLSOptions configure https URLs.
type TLSOptions struct {
	SkipVerify bool
	CAFile     string // PEM file with the certificates to trust in place of the system's
}

// Timeouts bound the parts of an exchange. 0 is the default named.
type Timeouts struct {
	Request     time.Duration // whole exchange; default 6 h
	Connect     time.Duration // name look-up, connect, TLS, proxy; default 10 s
	FirstByte   time.Duration // from written to the first byte of the answer; default off
	Idle        time.Duration // between two reads of an answer, after its first byte; default off
	FinishGrace time.Duration // after the last finish reason or [DONE]; default 2 s
	CancelSend  time.Duration // to write a request that has CancelAfter; default 300 s
}

// Limits bound memory. 0 is the default named.
type Limits struct {
	LineBytes int   // one event of a stream; default 16 MiB
	BodyBytes int64 // an unstreamed body, RawBody; default 64 MiB. Of an error's body at most 1 MiB is kept
	TextBytes int64 // output text kept per exchange; default 32 MiB
	Chunks    int   // Result.Chunks; default 1,048,576
	KeptBytes int64 // beginnings of bodies, all streams together (StreamBody); default 64 MiB; negative: none
}
