package main

import (
	"github.com/urfave/cli/v3"

	"agentx/corpus"
)

// env are the variables of a setting: ours, and the peer's for settings that it has too.
func env(name string) cli.ValueSourceChain {
	return cli.EnvVars("AGENTX_"+name, "AIPERF_"+name)
}

const (
	categoryInput     = "Input and output"
	categoryContent   = "Content"
	categoryDetection = "Chain detection"
)

func inputFlags(g *given) []cli.Flag {
	o := &g.options
	return []cli.Flag{
		&cli.StringSliceFlag{Category: categoryInput, Name: "input-file", Usage: "traces: a folder, a .json, .jsonl or .parquet file (plain, .gz, .zst), or - for standard input", Destination: &o.Inputs},
		&cli.StringFlag{Category: categoryInput, Name: "output", Aliases: []string{"o"}, Usage: "put the bundle here", Destination: &o.Output},
		&cli.StringFlag{Category: categoryInput, Name: "tokenizer", Usage: "a tokenizer.json, a folder with one (and tokenizer_config.json for the chat template), or a hub repository OWNER/NAME[@REVISION]", DefaultText: "the embedded o200k_base", Destination: &o.Tokenizer},
		&cli.BoolFlag{Category: categoryInput, Name: "tokenizer-trust-remote-code", Usage: "accepted, without effect", Destination: &g.trustRemote},
		&cli.StringFlag{Category: categoryInput, Name: "custom-dataset-type", Usage: "accepted: weka_trace", Destination: &g.datasetType},
		&cli.StringSliceFlag{Category: categoryInput, Name: "model", Aliases: []string{"m", "model-names"}, Usage: "accepted, without effect: models are mapped by agentx-run", Destination: &g.models},
		&cli.StringFlag{Category: categoryInput, Name: "cache-dir", Usage: "folder of the cache", DefaultText: "agentx in the user's cache folder", Sources: env("CACHE_DIR"), Destination: &o.CacheDir},
		&cli.BoolFlag{Category: categoryInput, Name: "no-cache", Usage: "build anew, and only into --output", Destination: &o.NoCache},
		&cli.IntFlag{Category: categoryInput, Name: "workers", Usage: "goroutines; any number gives the same bytes", DefaultText: "one a processor", Sources: env("DATASET_WEKA_PARALLEL_WORKERS"), Destination: &o.Workers},
		&cli.BoolFlag{Category: categoryInput, Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing but errors", Destination: &g.quiet},
	}
}

func contentFlags(g *given) []cli.Flag {
	o := &g.options.Corpus
	return []cli.Flag{
		&cli.Int64Flag{Category: categoryContent, Name: "random-seed", Usage: "content seed", Destination: &g.options.Seed},
		&cli.StringFlag{Category: categoryContent, Name: "prompt-corpus", Usage: "what the text looks like: coding or words", Value: "coding", Destination: &g.style},
		&cli.Int64Flag{Category: categoryContent, Name: "max-context-length", Usage: "leave out traces with a request of more tokens, in and out together", DefaultText: "none", Destination: &o.MaxContextLength},
		&cli.IntFlag{Category: categoryContent, Name: "num-dataset-entries", Usage: "take the first so many traces that pass the filters", DefaultText: "all", Destination: &o.NumDatasetEntries},
		&cli.Int64Flag{Category: categoryContent, Name: "synthesis-max-isl", Usage: "leave out traces with a longer input, in tokens", DefaultText: "none", Destination: &o.MaxISL},
		&cli.Int64Flag{Category: categoryContent, Name: "synthesis-max-osl", Usage: "cap the output limit of root and flat turns, in tokens", DefaultText: "none", Destination: &o.MaxOSL},
		&cli.BoolFlag{Category: categoryContent, Name: "use-think-time-only", Usage: "take recorded think times as delays", Destination: &o.ThinkTimeOnly},
		&cli.BoolFlag{Category: categoryContent, Name: "ignore-trace-delays", Usage: "leave out all recorded times", Destination: &o.IgnoreTraceDelays},
		&cli.FloatFlag{Category: categoryContent, Name: "inter-turn-delay-cap-seconds", Usage: "cap delays between turns", DefaultText: "none", Destination: &g.delayCap},
		&cli.FloatFlag{Category: categoryContent, Name: "fixed-schedule-start-offset", Usage: "leave out earlier top-level requests, in ms", DefaultText: "none", Destination: &g.from},
		&cli.FloatFlag{Category: categoryContent, Name: "fixed-schedule-end-offset", Usage: "leave out later top-level requests, in ms", DefaultText: "none", Destination: &g.until},
		&cli.StringFlag{Category: categoryContent, Name: "nested-timestamps", Aliases: []string{"weka-nested-timestamp-basis"}, Usage: "times of subagents: auto, relative or absolute", Value: string(corpus.BasisAuto), Destination: &g.nested},
		&cli.StringFlag{Category: categoryContent, Name: "adjacent-roles", Usage: "neighbouring messages of one role: keep or merge", Value: string(corpus.AdjacentKeep), Destination: &g.adjacent},
		&cli.BoolFlag{Category: categoryContent, Name: "tool-shaped-messages", Usage: "send tool results as tool calls and tool messages", Sources: env("DATASET_WEKA_TOOL_SHAPED_MESSAGES"), Destination: &o.ToolShaped},
		&cli.IntFlag{Category: categoryContent, Name: "isl-block-size", Usage: "tokens a block, instead of the traces' own (needs --force)", DefaultText: "the traces' own", Destination: &g.block},
		&cli.BoolFlag{Category: categoryContent, Name: "force", Usage: "allow an --isl-block-size that is not the traces' own", Destination: &g.options.Force},
		&cli.BoolFlag{Category: categoryContent, Name: "strict", Usage: "refuse unknown fields, and id lists that do not fit the input length", Destination: &g.options.Strict},
		&cli.BoolFlag{Category: categoryContent, Name: "skip-invalid", Usage: "leave out traces that cannot be read, and list them, instead of failing", Destination: &g.options.SkipInvalid},
	}
}

func detectionFlags(o *corpus.Options) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Category: categoryDetection, Name: "weka-split-flattened-agents", Usage: "find the agents that a recording has mixed", Value: o.SplitFlattenedAgents, Sources: env("DATASET_WEKA_SPLIT_FLATTENED_AGENTS"), Destination: &o.SplitFlattenedAgents},
		&cli.BoolFlag{Category: categoryDetection, Name: "no-preamble", Usage: "peel no preamble off a recording", Destination: &o.NoPreamble},
		&cli.FloatFlag{Category: categoryDetection, Name: "weka-seam-max-gap-seconds", Usage: "longest pause over which a compaction is spliced whatever it keeps", Value: o.SeamMaxGapSeconds, Sources: env("DATASET_WEKA_SEAM_MAX_GAP_SECONDS"), Destination: &o.SeamMaxGapSeconds},
		&cli.FloatFlag{Category: categoryDetection, Name: "weka-seam-min-overlap-ratio", Usage: "share that a compaction must keep after a longer pause", Value: o.SeamMinOverlapRatio, Sources: env("DATASET_WEKA_SEAM_MIN_OVERLAP_RATIO"), Destination: &o.SeamMinOverlapRatio},
		&cli.IntFlag{Category: categoryDetection, Name: "weka-aux-max-requests", Usage: "most requests of a sidecar; 0 finds none", Value: o.AuxMaxRequests, Sources: env("DATASET_WEKA_AUX_MAX_REQUESTS"), Destination: &o.AuxMaxRequests},
		&cli.FloatFlag{Category: categoryDetection, Name: "weka-aux-isl-ratio", Usage: "input of a sidecar, as a share of the main agent's peak", Value: o.AuxISLRatio, Sources: env("DATASET_WEKA_AUX_ISL_RATIO"), Destination: &o.AuxISLRatio},
		&cli.Int64Flag{Category: categoryDetection, Name: "weka-aux-isl-floor", Usage: "input below which a one-shot is a sidecar, in tokens", Value: o.AuxISLFloor, Sources: env("DATASET_WEKA_AUX_ISL_FLOOR"), Destination: &o.AuxISLFloor},
		&cli.BoolFlag{Category: categoryDetection, Name: "weka-aux-cross-model", Usage: "a one-shot of another model is a sidecar", Value: o.AuxCrossModel, Sources: env("DATASET_WEKA_AUX_CROSS_MODEL"), Destination: &o.AuxCrossModel},
		&cli.Int64Flag{Category: categoryDetection, Name: "weka-aux-reduction-osl-max", Usage: "output below which a long one-shot may be a reduction, in tokens; 0 finds none", Value: o.AuxReductionOSLMax, Sources: env("DATASET_WEKA_AUX_REDUCTION_OSL_MAX"), Destination: &o.AuxReductionOSLMax},
		&cli.FloatFlag{Category: categoryDetection, Name: "weka-aux-reduction-ratio", Usage: "input over output of a reduction", Value: o.AuxReductionRatio, Sources: env("DATASET_WEKA_AUX_REDUCTION_RATIO"), Destination: &o.AuxReductionRatio},
		&cli.IntFlag{Category: categoryDetection, Name: "weka-worker-group-min", Usage: "fewest parallel workers that make a group; 0 finds none", Value: o.WorkerGroupMin, Sources: env("DATASET_WEKA_WORKER_GROUP_MIN"), Destination: &o.WorkerGroupMin},
	}
}
