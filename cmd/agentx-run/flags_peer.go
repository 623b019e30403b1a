package main

import "github.com/urfave/cli/v3"

// peerFlag is a flag of AIPerf that means nothing to agentx-run. It is known all the same, so that its
// user is answered in place of being told that it does not exist.
type peerFlag struct {
	flag   cli.Flag
	answer string
	// changes: the flag would change what is sent, so a run without it is another run and does not begin.
	changes bool
	// quiet values ask for what agentx does anyway.
	quiet string
}

const (
	answerPace     = "agentx-run replays recorded sessions at their own pace: leave it out, and set the load by --concurrency"
	answerPrompts  = "prompts are those of the bundle: leave it out, and choose the recording with agentx-prep build"
	answerRescale  = "recordings are replayed as they are, not rescaled: leave it out"
	answerWarmup   = "the warmup is one request for each live session; --warmup-requests-per-lane or --agentic-cache-warmup-duration adds to it"
	answerSweep    = "give the values as a comma list to --concurrency"
	answerUpload   = "nothing is uploaded; report.json, records.jsonl and run.db can be"
	answerPictures = "pictures are made by agentx-analyze swim-lane RUN"
	answerProcess  = "agentx-run is one process with as many goroutines as it needs"
	answerGPU      = "agentx collects no GPU telemetry; a page of DCGM's exporter can be given to --server-metrics"
	answerLog      = "everything is in run.db; agentx-analyze shows it"
)

func peerFlags() []peerFlag {
	text := func(name string, aliases ...string) cli.Flag {
		return &cli.StringFlag{Name: name, Aliases: aliases, Hidden: true}
	}
	words := func(name string, aliases ...string) cli.Flag {
		return &cli.StringSliceFlag{Name: name, Aliases: aliases, Hidden: true}
	}
	toggle := func(name string, aliases ...string) cli.Flag {
		return &cli.BoolFlag{Name: name, Aliases: aliases, Hidden: true}
	}
	var list []peerFlag
	other := func(answer string, flags ...cli.Flag) {
		for _, flag := range flags {
			list = append(list, peerFlag{flag: flag, answer: answer, changes: true})
		}
	}
	idle := func(answer string, flags ...cli.Flag) {
		for _, flag := range flags {
			list = append(list, peerFlag{flag: flag, answer: answer})
		}
	}
	only := func(value, answer string, flag cli.Flag) {
		list = append(list, peerFlag{flag: flag, answer: answer, changes: true, quiet: value})
	}
	other(answerPace, text("request-rate"), text("arrival-pattern", "request-rate-mode"), text("arrival-smoothness"), text("request-rate-ramp-duration"),
		text("request-rate-series"), text("user-centric-rate"), text("num-users"), toggle("fixed-schedule"), toggle("fixed-schedule-auto-offset"),
		text("fixed-schedule-start-offset"), text("fixed-schedule-end-offset"), toggle("adaptive-scale"))
	other("the limit itself is there: --prefill-concurrency; a ramp of lanes is --concurrency-ramp-duration", text("prefill-concurrency-ramp-duration"))
	other("the recording's own system part is replayed: leave it out", text("system-prompt"), text("system-prompt-file"))
	other(answerPrompts, text("isl", "synthetic-input-tokens-mean"), text("isl-stddev", "synthetic-input-tokens-stddev"), text("osl", "output-tokens-mean"),
		text("osl-stddev", "output-tokens-stddev"), text("seq-dist"), text("session-turns-mean", "conversation-turn-mean"), text("session-turns-stddev", "conversation-turn-stddev"),
		text("session-turn-delay-mean", "conversation-turn-delay-mean"), text("session-turn-delay-stddev", "conversation-turn-delay-stddev"), text("session-delay-ratio"),
		text("num-prefix-prompts", "prefix-prompt-pool-size"), text("prefix-prompt-length"), text("prompt-batch-size", "batch-size-text"),
		text("accuracy-benchmark"), text("shared-system-prompt-length"), text("user-context-prompt-length"), text("sequence-distribution"))
	other("recorded sessions are text: leave it out", text("image-width-mean"), text("image-width-stddev"), text("image-height-mean"), text("image-height-stddev"),
		text("image-batch-size", "batch-size-image"), text("image-format"), text("audio-batch-size", "batch-size-audio"), text("audio-length-mean"), text("audio-length-stddev"),
		text("audio-format"), text("audio-depths"), text("audio-sample-rates"), text("audio-num-channels"), text("video-batch-size", "batch-size-video"), text("video-duration"),
		text("video-fps"), text("video-width"), text("video-height"), text("video-synth-type"), text("video-format"), text("video-codec"), toggle("download-video-content"))
	other(answerRescale, text("synthesis-speedup-ratio"), text("synthesis-prefix-len-multiplier"), text("synthesis-prefix-root-multiplier"),
		text("synthesis-prompt-len-multiplier"), text("synthesis-output-len-multiplier"))
	other(answerSweep, text("variant"), text("search-recipe"), text("search-sla-tier"))
	only("chat", "agentx speaks chat completions only; --endpoint sets another path for them", text("endpoint-type"))
	only("round-robin", "the servers take turns: leave it out", text("url-strategy"))
	only("http", "agentx speaks HTTP only; --http-version picks 1.1 or 2", text("transport", "transport-type"))
	only("grid", answerSweep, text("sweep-type"))
	idle("no code of a repository is ever run", toggle("tokenizer-trust-remote-code"))
	idle("recorded models are mapped to --model in their order", text("model-selection-strategy"))
	idle(answerWarmup, text("warmup-request-count", "num-warmup-requests"), text("num-warmup-sessions", "warmup-num-sessions"), text("warmup-duration"), text("warmup-concurrency"),
		text("warmup-prefill-concurrency"), text("warmup-request-rate"), text("warmup-arrival-pattern"), text("warmup-concurrency-ramp-duration"),
		text("warmup-prefill-concurrency-ramp-duration"), text("warmup-request-rate-ramp-duration"))
	idle(answerGPU, words("gpu-telemetry"), toggle("no-gpu-telemetry"))
	idle(answerProcess, text("workers-max", "max-workers"), text("record-processors", "record-processor-service-count"))
	idle(answerUpload, text("otel-url"), text("mlflow-tracking-uri"), text("mlflow-experiment"), text("mlflow-run-name"), words("mlflow-tags"), text("mlflow-parent-run-id"),
		text("wandb-project"), text("wandb-entity"), text("wandb-run-name"), text("wandb-mode"), words("wandb-tags"))
	idle(answerPictures, toggle("auto-plot"), toggle("no-auto-plot"), toggle("plot-required"))
	idle("progress is on the terminal and in logs/agentx.log; run.db can be read while it grows", text("api-port"), text("api-host"))
	idle(answerLog, text("log-level"), toggle("verbose", "v"), toggle("extra-verbose", "vv"))
	idle("the pages are in run.db whole; server_metrics_export.json and .csv are written from it", words("server-metrics-formats"))
	idle("what a server reports of speculative decoding is in its metrics pages, which run.db holds whole", toggle("per-request-spec-decode-metrics"))
	idle(answerProcess, text("zmq-host"), text("zmq-ipc-path"))
	idle("this is so anyway", toggle("no-fixed-schedule"))
	return list
}
