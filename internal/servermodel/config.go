package servermodel

import (
	"errors"
	"fmt"
)

// DefaultUnitTokens is the size of a cache unit, as the block size of the usual servers.
const DefaultUnitTokens = 16

// Config says how a modelled server behaves. The zero value of every limit means "no limit"; the zero
// value of every rate means "takes no time" (one nanosecond, so that cause comes before effect).
type Config struct {
	// UnitTokens is the size of a prefix-cache unit in tokens; 0 means DefaultUnitTokens. Only full
	// units are shared.
	UnitTokens int
	// CacheTokens is the size of the KV cache in tokens, rounded down to full units. Running requests
	// hold the units of their prompt and room for the output they asked for; what is not held is evicted
	// least recently used first. A request that does not fit waits; one that would not fit an empty
	// cache runs alone, with as much of its prompt cached as fits.
	CacheTokens int64
	// NoPrefixCache switches sharing off: every prompt is computed whole.
	NoPrefixCache bool

	// WindowTokens is the context window: a prompt that does not leave room for one output token is an
	// overflow; an output limit that does not fit is cut to what does (as vLLM and llama.cpp do), or,
	// with RefuseOverWindow, is an overflow too (as SGLang does).
	WindowTokens     int
	RefuseOverWindow bool

	// BatchLimit is the largest number of requests that run at once; the rest wait in arrival order.
	BatchLimit int
	// PrefillLimit is the largest number of requests that prefill at once; 1 shares the prefill rate
	// among all, as one accelerator does.
	PrefillLimit int

	// OverheadNs passes between admission and the start of prefill.
	OverheadNs int64
	// PrefillTokensPerSecond is the rate at which the tokens that are not cached are computed, by each
	// prefilling request.
	PrefillTokensPerSecond float64
	// TokenNs is the time from one output token to the next with one request decoding. With n of them it
	// is TokenNs × (1 + DecodeSlowdown × (n−1)).
	TokenNs        int64
	DecodeSlowdown float64

	// DefaultMaxTokens is the output limit of a request that gives none; 0 means 128.
	DefaultMaxTokens int
	// MeanOutputTokens, above 0, ends an answer by a stop token drawn with this mean (geometric), unless
	// the request ignores it; 0 means that answers run to their limit.
	MeanOutputTokens float64

	// Seed names the random draws.
	Seed uint64
	// ErrorRate is the share of requests that are refused, AbortRate the share that fail in mid-answer,
	// after a number of tokens drawn evenly.
	ErrorRate float64
	AbortRate float64
	// RefusalNs passes between the arrival of a request that is refused or overflows and its answer.
	RefusalNs int64
}

// withDefaults fills in what 0 stands for.
func (c Config) withDefaults() Config {
	if c.UnitTokens == 0 {
		c.UnitTokens = DefaultUnitTokens
	}
	if c.DefaultMaxTokens == 0 {
		c.DefaultMaxTokens = 128
	}
	return c
}

// Validate says what is wrong with a configuration, or returns nil.
func (c Config) Validate() error {
	var problems []error
	negative := func(name string, value float64) {
		if !(value >= 0) { // also refuses NaN
			problems = append(problems, fmt.Errorf("%s is %v: expected 0 or more", name, value))
		}
	}
	negative("unit tokens", float64(c.UnitTokens))
	negative("cache tokens", float64(c.CacheTokens))
	negative("window tokens", float64(c.WindowTokens))
	negative("batch limit", float64(c.BatchLimit))
	negative("prefill limit", float64(c.PrefillLimit))
	negative("overhead", float64(c.OverheadNs))
	negative("prefill rate", c.PrefillTokensPerSecond)
	negative("time per token", float64(c.TokenNs))
	negative("decode slow-down", c.DecodeSlowdown)
	negative("default max tokens", float64(c.DefaultMaxTokens))
	negative("refusal time", float64(c.RefusalNs))
	if c.MeanOutputTokens != 0 && !(c.MeanOutputTokens >= 1) {
		problems = append(problems, fmt.Errorf("mean output tokens is %v: expected 0 (off) or at least 1", c.MeanOutputTokens))
	}
	if !(c.ErrorRate >= 0 && c.AbortRate >= 0 && c.ErrorRate+c.AbortRate <= 1) {
		problems = append(problems, fmt.Errorf("error rate %v and abort rate %v: expected shares that add up to at most 1", c.ErrorRate, c.AbortRate))
	}
	if c.UnitTokens > 0 && c.CacheTokens > 0 && c.CacheTokens < int64(c.UnitTokens) {
		problems = append(problems, fmt.Errorf("cache of %d tokens is smaller than one unit of %d", c.CacheTokens, c.UnitTokens))
	}
	return errors.Join(problems...)
}
