package main

import (
	"math"

	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

func loadFlags(o *run.LoadOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "concurrency", Value: "1", Category: groupLoad,
			Usage: "session trees that are always alive; several numbers, separated by commas, are runs one after the other"},
		&cli.FloatFlag{Name: "benchmark-duration", Value: unset, DefaultText: "none", Destination: &o.Duration, Category: groupLoad,
			Usage: "seconds of profiling; nothing is sent after it"},
		&cli.StringFlag{Name: "benchmark-grace-period", Value: "30", Category: groupLoad,
			Usage: "seconds that requests in flight may still take after the duration, or inf"},
		&cli.Int64Flag{Name: "request-count", Aliases: []string{"num-requests"}, Value: unset, DefaultText: "none", Destination: &o.RequestCount, Category: groupLoad,
			Usage: "stop after this many requests"},
		&cli.Int64Flag{Name: "num-sessions", Aliases: []string{"num-conversations", "conversation-num"}, Value: unset, DefaultText: "none", Destination: &o.NumSessions, Category: groupLoad,
			Usage: "stop after this many root sessions"},
		&cli.IntFlag{Name: "prefill-concurrency", Value: unset, DefaultText: "none", Destination: &o.Prefill, Category: groupLoad,
			Usage: "most requests that wait for their first token at once"},
		&cli.FloatFlag{Name: "concurrency-ramp-duration", Value: unset, DefaultText: "none", Destination: &o.Ramp, Category: groupLoad,
			Usage: "seconds over which the lanes open"},
		&cli.FloatFlag{Name: "trajectory-start-min-ratio", Value: 0.25, Destination: &o.StartMinRatio, Category: groupLoad,
			Usage: "earliest start inside a trace, as a share of its span"},
		&cli.FloatFlag{Name: "trajectory-start-max-ratio", Value: 0.75, Destination: &o.StartMaxRatio, Category: groupLoad,
			Usage: "latest start inside a trace, as a share of its span"},
		&cli.FloatFlag{Name: "trajectory-start-at", Value: math.NaN(), DefaultText: "drawn", Destination: &o.StartAtMs, Category: groupLoad,
			Usage: "start of every lane's first tree inside its trace, in ms"},
		&cli.BoolFlag{Name: "burst-phase-starts", Destination: &o.Burst, Category: groupLoad,
			Usage: "send the first requests of each phase at once"},
		&cli.FloatFlag{Name: "system-idle-gap-cap-seconds", Value: unset, DefaultText: "none", Destination: &o.SystemIdleCap, Category: groupLoad,
			Usage: "longest time without any request in flight"},
		&cli.FloatFlag{Name: "trace-idle-gap-cap-seconds", Value: unset, DefaultText: "none", Destination: &o.TraceIdleCap, Category: groupLoad,
			Usage: "longest time in which one session tree is idle"},
		&cli.StringFlag{Name: "cache-bust", Value: "none", Destination: &o.CacheBust, Category: groupLoad,
			Usage: "where each tree's own marker goes: none, first_turn_prefix, first_turn_suffix, system_prefix, system_suffix"},
		&cli.StringFlag{Name: "dataset-sampling-strategy", Value: "sequential", Destination: &o.Sampler, Category: groupLoad,
			Usage: "which trace comes next: sequential, shuffle, or random"},
		&cli.BoolFlag{Name: "allow-dataset-wrap", Destination: &o.AllowWrap, Category: groupLoad,
			Usage: "let several lanes replay the same trace without a marker"},
		&cli.BoolFlag{Name: "no-allow-dataset-wrap", Category: groupLoad, Usage: "same as --allow-dataset-wrap=false"},
		&cli.FloatFlag{Name: "agentic-cache-warmup-duration", Value: unset, DefaultText: "none", Destination: &o.CacheWarmup, Category: groupLoad,
			Usage: "seconds of cache-pressure warmup before profiling"},
		&cli.IntFlag{Name: "warmup-requests-per-lane", Value: unset, DefaultText: "none", Destination: &o.WarmupPerLane, Category: groupLoad,
			Usage: "requests of cache-pressure warmup on each lane"},
		&cli.FloatFlag{Name: "agentic-warmup-grace-period", Aliases: []string{"warmup-grace-period"}, Value: unset, DefaultText: "none", Destination: &o.WarmupGrace, Category: groupLoad,
			Usage: "seconds that warmup requests may still take after the last was sent"},
		&cli.StringFlag{Name: "handoff-clock", Value: "auto", Destination: &o.HandoffClock, Category: groupLoad,
			Usage: "how first profiling times follow from a cache warmup: dataset, delay, or auto"},
		&cli.StringFlag{Name: "join-policy", Value: "max", Destination: &o.JoinPolicy, Category: groupLoad,
			Usage: "when a turn that waits for subagents goes: max (its recorded gap too) or immediate"},
		&cli.StringFlag{Name: "spawn-policy", Value: "recorded", Destination: &o.SpawnPolicy, Category: groupLoad,
			Usage: "when a subagent starts: recorded (its delay after the spawning turn's end) or immediate"},
		&cli.StringFlag{Name: "dag-fail-fast", Value: "off", Destination: &o.FailFast, Category: groupLoad,
			Usage: "what a failed subagent ends: off, tree, or run (AGENTX_DAG_FAIL_FAST=1 means run)"},
		&cli.FloatFlag{Name: "overflow-backoff", Value: 1, Destination: &o.OverflowBackoff, Category: groupLoad,
			Usage: "seconds that a lane waits after its root overflowed the context window; 0: none"},
		&cli.FloatFlag{Name: "failed-request-threshold", Value: unset, DefaultText: "none", Destination: &o.FailedThreshold, Category: groupLoad,
			Usage: "share of failed requests, 0 to 1, above which the run is ended"},
		&cli.StringSliceFlag{Name: "context-overflow-substrings", Category: groupLoad, DefaultText: "six phrases of known servers",
			Usage: "phrase that tells an answer that the context window was exceeded; an empty one: none does (as a JSON list by AGENTX_CONTEXT_OVERFLOW_SUBSTRINGS)"},
	}
}
