package main

import (
	"context"
	"os"
	"slices"

	"agentx/internal/exit"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// probeName is the command whose flags are also set by environment variables, as a run's are.
const probeName = "probe"

func probeCommand() *cli.Command {
	o := &run.ProbeOptions{}
	holder := &run.Options{}
	return &cli.Command{
		Name:                      probeName,
		Usage:                     "ask a server one or two requests on the wire path of a run, and say what a run would meet",
		ArgsUsage:                 "--url URL --model NAME [--quick TEXT] [--json]",
		Description:               "Without --quick, a prompt that is new to the server is sent twice: the figures of the second show the prefix cache. Exit code 0: answered, and nothing that a replay rests on is missing; 1: a request was not answered; 2: usage; 3: streaming, usage, the output limit or ignore_eos was seen not to be honoured; 130: interrupted. Environment variables count as in a run.",
		Flags:                     probeFlags(o, holder),
		DisableSliceFlagSeparator: true,
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, unexpected(command.Args().First()))
			}
			err := settleServer(command, holder)
			hide(os.Args, holder.Secrets())
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			o.Server = holder.Server
			return run.Probe(ctx, o, command.Root().Writer)
		},
	}
}

// probeFlags are those of a run's flags that shape a request and its connection, and the probe's own.
func probeFlags(o *run.ProbeOptions, holder *run.Options) []cli.Flag {
	own := []cli.Flag{
		&cli.StringFlag{Name: "quick", Destination: &o.Quick, Category: groupProbe, Usage: "send this text once, and show the answer"},
		&cli.IntFlag{Name: "prompt-tokens", Value: 2048, Destination: &o.PromptTokens, Category: groupProbe, Usage: "about how long the prompt is that is sent twice"},
		&cli.Int64Flag{Name: "output-tokens", Value: 32, Destination: &o.OutputTokens, Category: groupProbe, Usage: "output limit of each request"},
		&cli.FloatFlag{Name: "request-timeout-seconds", Value: 120, Destination: &o.Timeout, Category: groupProbe, Usage: "longest time of each request, and of asking the server who it is (at most 10)"},
		&cli.BoolFlag{Name: "json", Destination: &o.JSON, Category: groupProbe, Usage: "print the report as JSON"},
	}
	run := slices.Concat(serverFlags(&holder.Server), connectionFlags(&holder.Server))
	return append(own, slices.DeleteFunc(run, func(flag cli.Flag) bool { return slices.Contains(notOfAProbe(), flag.Names()[0]) })...)
}

// groupProbe heads the probe's own flags in its help.
const groupProbe = "1 Probe"

// notOfAProbe are flags of servers and connections that only a run has a use for. Their values are the
// run's defaults all the same.
func notOfAProbe() []string {
	return []string{
		"url-scope", "streaming", "no-streaming", "per-chunk-usage", "request-cancellation-rate", "request-cancellation-delay",
		"wait-for-model-timeout", "wait-for-model-interval", "wait-for-model-mode",
		"reset-kv-cache", "reset-kv-cache-path", "reset-kv-cache-timeout-seconds",
		"server-profiler", "server-profiler-start-path", "server-profiler-stop-path", "server-profiler-timeout-seconds",
		"server-metrics", "no-server-metrics", "server-metrics-interval", "request-timeout-seconds",
		"http-connection-limit", "http-keepalive-timeout", "request-cancellation-send-timeout", "connection-reuse-strategy",
		"network-latency-automatic", "network-latency-mean", "network-latency-ping-interval",
	}
}
