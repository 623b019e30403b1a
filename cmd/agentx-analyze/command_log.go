package main

import (
	"context"
	"os"
	"os/signal"

	"agentx/internal/analyze"
	"agentx/internal/view/report"

	"github.com/urfave/cli/v3"
)

const scheduleDescription = `Seconds count from the start of the warmup. "due" is when the request was wanted, "late" what it was sent after that or after
the last thing that it waited for. "tree" numbers the session trees of the run, "pass" those of one trace. What it waited for:

    gap       the pause before its turn
    join      the subagents that the turn needs the answers of
    spawn     the delay of a subagent's first turn
    barrier   turns of its tree that the recording shows as finished before it
    first     its place among the first requests of the phase
    slot      --prefill-concurrency
    guard     it was moved forward: nothing was in flight in the run for --system-idle-gap-cap-seconds
    watchdog  it was moved forward: nothing was in flight in its tree for --trace-idle-gap-cap-seconds`

func scheduleCommand() *cli.Command {
	var asJSON bool
	return &cli.Command{
		Name: "schedule", Usage: "list every request with when it was due, when it was sent, and what it waited for", ArgsUsage: "RUN",
		Description: scheduleDescription,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Destination: &asJSON, Usage: "one JSON object a line; times are ns since the start of the warmup"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			run, err := oneRun(command)
			if err != nil {
				return err
			}
			root := command.Root()
			return analyze.Schedule(root.Writer, root.ErrWriter, run, asJSON)
		},
	}
}

func verifyCommand() *cli.Command {
	var options analyze.VerifyOptions
	return &cli.Command{
		Name: "verify", Usage: "check a log: database, chain, decisions made again, invariants, wire facts, request bodies", ArgsUsage: "RUN…",
		Flags: []cli.Flag{
			bundleFlag(&options.Bundle),
			&cli.BoolFlag{Name: "log-only", Destination: &options.LogOnly, Usage: "only database, sequence and chain"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			root := command.Root()
			return eachRun(command, func(run string) error {
				return analyze.Verify(root.Writer, root.ErrWriter, run, options)
			})
		},
	}
}

func tailCommand() *cli.Command {
	var options analyze.TailOptions
	return &cli.Command{
		Name: "tail", Usage: "show the last events of a log, and those that a live run adds", ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "lines", Aliases: []string{"n"}, Value: 10, Destination: &options.Lines, Usage: "events to begin with; 0: only new ones, -1: all"},
			&cli.StringSliceFlag{Name: "kind", Destination: &options.Kinds, DefaultText: "all", Usage: "name of a kind of event to show; may be given several times"},
			&cli.BoolFlag{Name: "no-follow", Destination: &options.NoFollow, Usage: "do not wait for more"},
		},
		Action: func(ctx context.Context, command *cli.Command) error {
			run, err := oneRun(command)
			if err != nil {
				return err
			}
			if options.Lines < -1 {
				return usage(command, "--lines is %d: expected a number of events, 0 (only those that come now), or -1 (all)", options.Lines)
			}
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
			defer stop()
			root := command.Root()
			return analyze.Tail(ctx, root.Writer, root.ErrWriter, run, options)
		},
	}
}

func queryCommand() *cli.Command {
	var format string
	return &cli.Command{
		Name: "query", Usage: "run a read-only SQL statement on a log (recipes: docs/event-log.md)", ArgsUsage: "RUN SQL",
		Flags: []cli.Flag{formatFlag(&format, "text, csv or json (one object a line)")},
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Len() != 2 {
				return usage(command, "expected a run and one SQL statement, in quotes, got %d arguments", command.Args().Len())
			}
			if err := checkFormat(command, format); err != nil {
				return err
			}
			root := command.Root()
			return analyze.Query(root.Writer, root.ErrWriter, command.Args().Get(0), command.Args().Get(1), report.Format(format))
		},
	}
}
