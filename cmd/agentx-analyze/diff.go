package main

import (
	"context"
	"fmt"

	"agentx/internal/analyze"
	"agentx/internal/compare"
	"agentx/internal/exit"

	"github.com/urfave/cli/v3"
)

func diffCommand() *cli.Command {
	options := analyze.DiffOptions{Options: compare.DefaultOptions(), Format: "text"}
	var chosen selection
	return &cli.Command{
		Name: "diff", Usage: "compare two runs, or two groups of runs (comma lists, or folders of runs)", ArgsUsage: "A B",
		Flags: append(chosen.flags(),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: options.Format, Destination: &options.Format, Usage: "text, markdown, json or html"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &options.Out, DefaultText: "standard output", Usage: "file to write"},
			&cli.StringSliceFlag{Name: "fail-if", Destination: &options.FailIf, Usage: "exit 3 if B against A reaches it, as in 'time_to_first_token.p99>+5%' or 'request_throughput<-2%'"},
			&cli.BoolFlag{Name: "sure", Destination: &options.SureFor, Usage: "a --fail-if counts only where the whole interval reaches it"},
			&cli.BoolFlag{Name: "force", Destination: &options.Force, Usage: "compare runs of different corpora or scenarios too"},
			&cli.BoolFlag{Name: "all", Destination: &options.All, Usage: "figures without an interval too"},
			&cli.IntFlag{Name: "changes", Value: options.Changes, Destination: &options.Changes, Usage: "most turns that are listed as changed, in each direction"},
		),
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Len() != 2 {
				return exit.With(exit.Usage, fmt.Errorf("diff: expected two runs or groups of runs, got %d arguments", command.Args().Len()))
			}
			var err error
			if options.Measure, err = chosen.options(command); err != nil {
				return err
			}
			root := command.Root()
			return analyze.Diff(root.Writer, root.ErrWriter, command.Args().Get(0), command.Args().Get(1), options)
		},
	}
}
