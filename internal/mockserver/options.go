package mockserver

import (
	"errors"
	"fmt"
	"io"
	"time"

	"agentx/internal/servermodel"
)

// Options say what server to run. The zero value is a server on a free port of the loopback interface
// that takes no time, caches everything and accepts any model name.
type Options struct {
	Host string // default 127.0.0.1
	Port int    // 0 takes a free one

	// Models are the served model names; others get a 404. Without any, "mock" is listed and every name
	// is accepted, as llama.cpp does.
	Models []string
	// Server is the model's configuration. Seed names the draws of faults too.
	Server servermodel.Config

	TokensPerChunk  int    // default 1
	ReasoningTokens int    // so many tokens of every answer come first, as reasoning
	ReasoningKey    string // name of the delta's field; default reasoning_content
	NoRoleChunk     bool   // do not begin streams with a chunk that only names the role
	NoUsageDetails  bool   // leave prompt_tokens_details out, as servers without cache reports do
	EarlyHeaders    bool   // send response head and role chunk on admission, not with the first token

	APIKey string // when set, requests without it get a 401
	TLS    bool   // serve TLS with a certificate made for the occasion; see Server.CertificatePEM
	HTTP2  bool   // also accept HTTP/2: by ALPN with TLS, by prior knowledge without

	// Counter counts prompt tokens; default NewByteCounter(4, unit tokens).
	Counter Counter

	Faults     Faults // to order; see faults.go
	FaultsFile string // JSON of Faults; read in addition

	RecordFile    string // records as JSON lines; created or truncated
	KeepRecords   int    // how many records Records keeps, the latest; default 100,000
	RecordContent bool   // keep the time of every content write in the record

	KeepAliveTimeout time.Duration // idle connections are closed after it; 0 = never
	MaxBodyBytes     int64         // larger requests get a 413; default 256 MiB

	// Out is where Run prints the address; nil prints nothing.
	Out io.Writer
}

func (o Options) withDefaults() (Options, error) {
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if o.TokensPerChunk == 0 {
		o.TokensPerChunk = 1
	}
	if o.ReasoningKey == "" {
		o.ReasoningKey = "reasoning_content"
	}
	if o.KeepRecords == 0 {
		o.KeepRecords = 100_000
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = 256 << 20
	}
	if o.Counter == nil {
		unit := o.Server.UnitTokens
		if unit == 0 {
			unit = servermodel.DefaultUnitTokens
		}
		o.Counter = NewByteCounter(4, unit)
	}
	var problems []error
	if o.Port < 0 || o.Port > 65535 {
		problems = append(problems, fmt.Errorf("port is %d: expected 0 (any) to 65535", o.Port))
	}
	if o.TokensPerChunk < 0 || o.ReasoningTokens < 0 || o.KeepRecords < 0 {
		problems = append(problems, errors.New("tokens per chunk, reasoning tokens and kept records: expected 0 or more"))
	}
	if err := o.Server.Validate(); err != nil {
		problems = append(problems, err)
	}
	return o, errors.Join(problems...)
}
