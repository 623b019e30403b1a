package main

import "github.com/urfave/cli/v3"

// contentFlags say what the recording is to be. The bundle decides; these find it, or are held against
// it. Their names are those of agentx-prep build.
func contentFlags() []cli.Flag {
	toggle := func(name, usage string, sources cli.ValueSourceChain) cli.Flag {
		return &cli.BoolFlag{Name: name, Category: groupContent, Usage: usage, DefaultText: "as the bundle has it", Sources: sources}
	}
	text := func(name, usage string, aliases ...string) cli.Flag {
		return &cli.StringFlag{Name: name, Aliases: aliases, Category: groupContent, Usage: usage, DefaultText: "as the bundle has it"}
	}
	whole := func(name, usage string, aliases ...string) cli.Flag {
		return &cli.Int64Flag{Name: name, Aliases: aliases, Value: unset, Category: groupContent, Usage: usage, DefaultText: "as the bundle has it"}
	}
	return append([]cli.Flag{
		text("public-dataset", "alias of a public data set"),
		text("hf-weka-dataset", "hub repository with recordings"),
		text("hf-subset", "configuration of the repository"),
		text("custom-dataset-type", "weka_trace: local files"),
		&cli.StringSliceFlag{Name: "input-file", Category: groupContent, Usage: "the traces' files or folder; compared by their digests", DefaultText: "as the bundle has it"},
		text("tokenizer", "name, tokenizer.json, or folder with one"),
		text("tokenizer-revision", "revision of the tokenizer"),
		text("prompt-corpus", "filler text: coding or words"),
		whole("max-context-length", "no trace has a request of more tokens, in and out together"),
		whole("num-dataset-entries", "at most so many traces", "num-prompts"),
		whole("synthesis-max-isl", "no trace has a longer input, in tokens"),
		whole("synthesis-max-osl", "cap of the output limit, in tokens"),
		&cli.FloatFlag{Name: "inter-turn-delay-cap-seconds", Value: unset, Category: groupContent, Usage: "cap of the pauses between turns", DefaultText: "as the bundle has it"},
		whole("isl-block-size", "tokens a block"),
		toggle("ignore-trace-delays", "no recorded times", cli.ValueSourceChain{}),
		toggle("use-think-time-only", "recorded think times as pauses", cli.ValueSourceChain{}),
		toggle("tool-shaped-messages", "tool results as tool messages", env("DATASET_WEKA_TOOL_SHAPED_MESSAGES")),
		text("adjacent-roles", "neighbouring messages of one role: keep or merge"),
		text("nested-timestamps", "times of subagents: auto, relative or absolute", "weka-nested-timestamp-basis"),
	}, detectionFlags()...)
}

// detectionFlags are known to the peer's users as environment variables.
func detectionFlags() []cli.Flag {
	number := func(name, variable string) cli.Flag {
		return &cli.FloatFlag{Name: name, Value: unset, Category: groupContent, Usage: "chain detection", DefaultText: "as the bundle has it", Sources: env("DATASET_WEKA_" + variable)}
	}
	toggle := func(name, variable string) cli.Flag {
		return &cli.BoolFlag{Name: name, Category: groupContent, Usage: "chain detection", DefaultText: "as the bundle has it", Sources: env("DATASET_WEKA_" + variable)}
	}
	return []cli.Flag{
		&cli.BoolFlag{Name: "no-preamble", Category: groupContent, Usage: "chain detection", DefaultText: "as the bundle has it"},
		toggle("weka-split-flattened-agents", "SPLIT_FLATTENED_AGENTS"),
		number("weka-seam-max-gap-seconds", "SEAM_MAX_GAP_SECONDS"),
		number("weka-seam-min-overlap-ratio", "SEAM_MIN_OVERLAP_RATIO"),
		number("weka-aux-max-requests", "AUX_MAX_REQUESTS"),
		number("weka-aux-isl-ratio", "AUX_ISL_RATIO"),
		number("weka-aux-isl-floor", "AUX_ISL_FLOOR"),
		toggle("weka-aux-cross-model", "AUX_CROSS_MODEL"),
		number("weka-aux-reduction-osl-max", "AUX_REDUCTION_OSL_MAX"),
		number("weka-aux-reduction-ratio", "AUX_REDUCTION_RATIO"),
		number("weka-worker-group-min", "WORKER_GROUP_MIN"),
	}
}
