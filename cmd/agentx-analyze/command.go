package main

import (
	"context"
	"fmt"

	"agentx/internal/analyze"
	"agentx/internal/buildinfo"
	"agentx/internal/clidoc"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/messages"
	"agentx/internal/view/report"

	"github.com/urfave/cli/v3"
)

func command() *cli.Command {
	usageError := func(_ context.Context, _ *cli.Command, err error, _ bool) error { return exit.With(exit.Usage, err) }
	program := &cli.Command{
		Name:                  "agentx-analyze",
		Usage:                 "derive results, pages and checks from the event log of a run",
		Version:               buildinfo.String(),
		EnableShellCompletion: true,
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		OnUsageError:          usageError,
		Commands: []*cli.Command{
			summaryCommand(), exportCommand(), swimLaneCommand(), turnMessagesCommand(), verifyCommand(), clidoc.Command(),
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("unknown command %q: see agentx-analyze --help", command.Args().First()))
			}
			return cli.ShowAppHelp(command)
		},
	}
	for _, child := range program.Commands {
		child.OnUsageError = usageError
	}
	return program
}

// eachRun calls do for every RUN of the command line; a run that fails does not keep the others from
// being looked at.
func eachRun(command *cli.Command, do func(run string) error) error {
	if !command.Args().Present() {
		return exit.With(exit.Usage, fmt.Errorf("%s: no run given: expected a run folder or a run.db", command.Name))
	}
	var first error
	for _, run := range command.Args().Slice() {
		if err := do(run); err != nil {
			if first != nil {
				fmt.Fprintf(command.Root().ErrWriter, "agentx-analyze: %v\n", first)
			}
			first = err
		}
	}
	return first
}

func oneRun(command *cli.Command) (string, error) {
	if command.Args().Len() != 1 {
		return "", exit.With(exit.Usage, fmt.Errorf("%s: expected one run folder or run.db, got %d arguments", command.Name, command.Args().Len()))
	}
	return command.Args().First(), nil
}

func summaryCommand() *cli.Command {
	var console report.ConsoleOptions
	return &cli.Command{
		Name: "summary", Usage: "print the tables and the verdict", ArgsUsage: "RUN…",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "show-trace-timing", Destination: &console.HTTPTrace, Usage: "the table of connection times too"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			root := command.Root()
			return eachRun(command, func(run string) error {
				return analyze.Summary(root.Writer, root.ErrWriter, run, measure.Options{}, console)
			})
		},
	}
}

func exportCommand() *cli.Command {
	var set report.Set
	var dir string
	return &cli.Command{
		Name: "export", Usage: "write the result files of a run again", ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &dir, DefaultText: "the run folder", Usage: "folder to write to"},
			&cli.StringSliceFlag{Name: "only", Destination: &set.Only, Usage: "name of a file to write (default: all of the level)"},
			&cli.StringFlag{Name: "export-level", Value: "records", Destination: &set.Level, Usage: "summary or records"},
			&cli.StringFlag{Name: "profile-export-prefix", Destination: &set.Prefix, Usage: "name to use instead of profile_export"},
			&cli.BoolFlag{Name: "export-http-trace", Destination: &set.HTTPTrace, Usage: "connection stamps in profile_export.jsonl"},
			&cli.BoolFlag{Name: "export-outputs-json", Destination: &set.Outputs, Usage: "outputs.json too"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			run, err := oneRun(command)
			if err != nil {
				return err
			}
			root := command.Root()
			return analyze.Export(root.Writer, root.ErrWriter, run, dir, measure.Options{}, set)
		},
	}
}

func swimLaneCommand() *cli.Command {
	var options analyze.SwimLaneOptions
	return &cli.Command{
		Name: "swim-lane", Usage: "draw every request on its lane", ArgsUsage: "RUN…",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "html", Destination: &options.HTML, Usage: "only the page (default: page and PNG)"},
			&cli.BoolFlag{Name: "png", Destination: &options.PNG, Usage: "the picture as PNG"},
			&cli.BoolFlag{Name: "svg", Destination: &options.SVG, Usage: "the picture as SVG"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &options.Out, DefaultText: "<run>/swim_lane.*", Usage: "file to write, with one run and one kind"},
			&cli.IntFlag{Name: "concurrency", Aliases: []string{"c"}, Destination: &options.Target, DefaultText: "the run's", Usage: "where the target line is drawn"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if options.Out != "" && command.Args().Len() > 1 {
				return exit.With(exit.Usage, fmt.Errorf("swim-lane: --out names one file, but %d runs are given", command.Args().Len()))
			}
			root := command.Root()
			return eachRun(command, func(run string) error {
				return analyze.SwimLane(root.Writer, root.ErrWriter, run, options)
			})
		},
	}
}

func turnMessagesCommand() *cli.Command {
	options := analyze.MessagesOptions{Limits: messages.DefaultLimits()}
	return &cli.Command{
		Name: "turn-messages", Usage: "write a page of what each turn sent", ArgsUsage: "RUN…",
		Flags: []cli.Flag{
			bundleFlag(&options.Bundle),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &options.Out, DefaultText: "<run>/turn_messages.html", Usage: "file to write, with one run"},
			&cli.IntFlag{Name: "limit-conversations", Aliases: []string{"n"}, Value: options.Limits.Conversations, Destination: &options.Limits.Conversations, Usage: "most conversations; 0: all"},
			&cli.IntFlag{Name: "max-turns", Value: options.Limits.Turns, Destination: &options.Limits.Turns, Usage: "most turns of a conversation; 0: all"},
			&cli.IntFlag{Name: "content-cap", Value: options.Limits.Content, Destination: &options.Limits.Content, Usage: "most characters of a text; 0: all"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if options.Out != "" && command.Args().Len() > 1 {
				return exit.With(exit.Usage, fmt.Errorf("turn-messages: --out names one file, but %d runs are given", command.Args().Len()))
			}
			root := command.Root()
			return eachRun(command, func(run string) error {
				return analyze.Messages(root.Writer, root.ErrWriter, run, options)
			})
		},
	}
}

func verifyCommand() *cli.Command {
	var options analyze.VerifyOptions
	return &cli.Command{
		Name: "verify", Usage: "check a log: database, chain, decisions made again, wire facts, request bodies", ArgsUsage: "RUN…",
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

func bundleFlag(destination *string) cli.Flag {
	return &cli.StringFlag{Name: "bundle", Destination: destination, DefaultText: "found by the log", Usage: "the bundle that was replayed"}
}
