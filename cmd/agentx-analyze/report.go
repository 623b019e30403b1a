package main

import (
	"context"
	"fmt"

	"agentx/internal/analyze"
	"agentx/internal/exit"

	"github.com/urfave/cli/v3"
)

func reportCommand() *cli.Command {
	var chosen selection
	var out string
	return &cli.Command{
		Name: "report", Usage: "write the page to read first: checklist, verdict, headline numbers, figures; several runs: a table and their Pareto front", ArgsUsage: "RUN…",
		Flags: append(chosen.flags(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Destination: &out, DefaultText: "<run>/report.html; several runs: report.html, if there is none", Usage: "file to write"},
		),
		Action: func(_ context.Context, command *cli.Command) error {
			if !command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("report: no run given: expected run folders or run.db files"))
			}
			options, err := chosen.options(command)
			if err != nil {
				return err
			}
			root := command.Root()
			return analyze.Report(root.Writer, root.ErrWriter, command.Args().Slice(), out, options)
		},
	}
}
