package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// simulateFlags are those of a run without a server. The modelled server's have the names of mock-server's
// behind run.SimulatePrefix, and its defaults.
func simulateFlags(o *run.SimulateOptions) []cli.Flag {
	model := &o.Model
	return []cli.Flag{
		&cli.BoolFlag{Name: "simulate", Destination: &o.On, Category: groupSimulate,
			Usage: "replay against a modelled server under a virtual clock, in seconds; needs no --url and no --model"},
		&cli.StringFlag{Name: "simulate-latencies", Destination: &o.Latencies, Category: groupSimulate, DefaultText: "the modelled server",
			Usage: "instead of the model: recorded, or a JSON file of latencies and outcomes"},
		&cli.FloatFlag{Name: "sim-prefill-tokens-per-second", Value: 50_000, Destination: &model.PrefillTokensPerSecond, Category: groupSimulate,
			Usage: "rate at which tokens that are not cached are computed"},
		&cli.FloatFlag{Name: "sim-token-ms", Value: 8, Destination: &o.TokenMs, Category: groupSimulate,
			Usage: "time from one output token to the next"},
		&cli.FloatFlag{Name: "sim-overhead-ms", Value: 3, Destination: &o.OverheadMs, Category: groupSimulate,
			Usage: "time from admission to the start of prefill"},
		&cli.FloatFlag{Name: "sim-decode-slowdown", Destination: &model.DecodeSlowdown, Category: groupSimulate,
			Usage: "share by which each further decoding request slows all down"},
		&cli.IntFlag{Name: "sim-batch-limit", Destination: &model.BatchLimit, DefaultText: "none", Category: groupSimulate,
			Usage: "most requests that run at once"},
		&cli.IntFlag{Name: "sim-prefill-limit", Destination: &model.PrefillLimit, DefaultText: "none", Category: groupSimulate,
			Usage: "most requests that prefill at once; 1 shares the rate among all, as one accelerator does"},
		&cli.Int64Flag{Name: "sim-cache-tokens", Destination: &model.CacheTokens, DefaultText: "unlimited", Category: groupSimulate,
			Usage: "size of the KV cache"},
		&cli.BoolFlag{Name: "sim-no-prefix-cache", Destination: &model.NoPrefixCache, Category: groupSimulate,
			Usage: "compute every prompt whole"},
		&cli.IntFlag{Name: "sim-window-tokens", Destination: &model.WindowTokens, DefaultText: "unlimited", Category: groupSimulate,
			Usage: "context window; longer prompts overflow"},
		&cli.FloatFlag{Name: "sim-error-rate", Destination: &model.ErrorRate, Category: groupSimulate,
			Usage: "share of requests that are refused"},
		&cli.FloatFlag{Name: "sim-abort-rate", Destination: &model.AbortRate, Category: groupSimulate,
			Usage: "share of requests that fail in mid-answer"},
		&cli.FloatFlag{Name: "sim-refusal-ms", Value: 1, Destination: &o.RefusalMs, Category: groupSimulate,
			Usage: "time from a request to its refusal or overflow"},
		&cli.Uint64Flag{Name: "sim-seed", Destination: &model.Seed, Category: groupSimulate,
			Usage: "seed of the errors"},
	}
}
