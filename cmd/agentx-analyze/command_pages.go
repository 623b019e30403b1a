package main

import (
	"context"
	"path/filepath"

	"agentx/internal/analyze"
	"agentx/internal/view/messages"

	"github.com/urfave/cli/v3"
)

func swimLaneCommand() *cli.Command {
	var options analyze.SwimLaneOptions
	var together bool
	var dirs []string
	return &cli.Command{
		Name: "swim-lane", Usage: "draw every request on its lane", ArgsUsage: "RUN…",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "html", Destination: &options.HTML, Usage: "only the page (default: page and PNG)"},
			&cli.BoolFlag{Name: "png", Destination: &options.PNG, Usage: "the picture as PNG"},
			&cli.BoolFlag{Name: "svg", Destination: &options.SVG, Usage: "the picture as SVG"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &options.Out, DefaultText: "<run>/swim_lane.*", Usage: "file to write, with one run or --together; its ending says the kind"},
			&cli.IntFlag{Name: "concurrency", Aliases: []string{"c"}, Destination: &options.Target, DefaultText: "the run's", Usage: "where the target line is drawn"},
			&cli.FloatFlag{Name: "ramp", Destination: &options.RampSeconds, DefaultText: "the run's", Usage: "seconds after the start of profiling where the end of the ramp is drawn"},
			&cli.BoolFlag{Name: "together", Destination: &together, Usage: "all runs on one axis, on one page"},
			&cli.StringSliceFlag{Name: "run-dirs", Destination: &dirs, Usage: "a run, as the arguments"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			root, runs := command.Root(), append(dirs, command.Args().Slice()...)
			switch {
			case together && (options.PNG || options.SVG || options.Out != "" && filepath.Ext(options.Out) != ".html"):
				return usage(command, "--together makes one page: give it without --png and --svg, and an --out that ends in .html")
			case together && len(runs) > 0:
				return analyze.SwimLanes(root.Writer, root.ErrWriter, runs, options)
			case options.Out != "" && len(runs) > 1:
				return usage(command, "--out names one file, but %d runs are given: see --together", len(runs))
			}
			return each(command, runs, runWords, func(run string) error {
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
				return usage(command, "--out names one file, but %d runs are given", command.Args().Len())
			}
			root := command.Root()
			return eachRun(command, func(run string) error {
				return analyze.Messages(root.Writer, root.ErrWriter, run, options)
			})
		},
	}
}
