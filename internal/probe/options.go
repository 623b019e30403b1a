package probe

import (
	"time"

	"agentx/wire"
)

// Options say what to ask.
type Options struct {
	// Wire are the replay's own settings: URLs (each is probed), key, headers, extra inputs, TLS, limits.
	Wire  wire.Options
	Model string
	// Quick, where not empty, is the whole prompt of a single request; else a prompt that no server can
	// have seen is sent twice.
	Quick string
	// PromptTokens is about how long the prompt of the two requests is; 0: 2,048.
	PromptTokens int
	// OutputTokens is the output limit; 0: 32.
	OutputTokens int64
	// Timeout bounds each request, and (as far as serverinfo's 10 s do not) what the server is asked about itself
	// before; 0: 120 s.
	Timeout time.Duration
	// Seed makes the prompt; a fresh one has never been seen by the server.
	Seed uint64
}

func (o *Options) fill() {
	if o.PromptTokens == 0 {
		o.PromptTokens = 2048
	}
	if o.OutputTokens == 0 {
		o.OutputTokens = 32
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
}
