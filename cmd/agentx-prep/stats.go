package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v3"

	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/prep"
)

func statsCommand() *cli.Command {
	var options prep.StatsOptions
	var limits []string
	var quiet bool
	return &cli.Command{
		Name: "stats", Usage: "print the recorded shape of a corpus: lengths, gaps, fan-out, hits, and what context limits do to it", ArgsUsage: "BUNDLE|TRACES", OnUsageError: usageError,
		Description: "Looks at a bundle, or at a folder or file of traces of which no bundle was made yet; these are read with the settings of a build without flags.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "trace", Usage: "only this trace", Destination: &options.Trace},
			&cli.BoolFlag{Name: "json", Usage: "print JSON, with every trace", Destination: &options.JSON},
			&cli.StringSliceFlag{Name: "context-limits", Aliases: []string{"context-limit"}, Usage: "context windows to look at, in tokens (comma-separated or several times)", DefaultText: "32768,65536,131072,200000,262144,1048576", Destination: &limits},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show no progress", Destination: &quiet},
		},
		Action: func(ctx context.Context, command *cli.Command) error {
			path, err := oneArgument(command, "bundle, or folder or file of traces")
			if err != nil {
				return err
			}
			if options.Limits, err = contextLimits(limits); err != nil {
				return exit.With(exit.Usage, err)
			}
			show := printerOf(command, quiet)
			err = prep.Stats(ctx, command.Root().Writer, path, options, show)
			show.Close()
			return err
		},
	}
}

// contextLimits reads numbers of tokens; without any, the usual windows.
func contextLimits(texts []string) ([]int64, error) {
	var limits []int64
	for _, text := range flags.CommaList(texts) {
		limit, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--context-limits %q: expected a number of tokens", text)
		}
		limits = append(limits, limit)
	}
	if limits == nil {
		return prep.DefaultContextLimits(), nil
	}
	return limits, nil
}

func diffCommand() *cli.Command {
	var options prep.DiffOptions
	return &cli.Command{
		Name: "diff", Usage: "print which settings, traces and turns differ between two bundles", ArgsUsage: "BUNDLE BUNDLE", OnUsageError: usageError,
		Description: "Exits with 0 when the comparison was made, whatever it found, or with 3 when they differ and --fail-if-different is given.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON, with every difference", Destination: &options.JSON},
			&cli.BoolFlag{Name: "fail-if-different", Usage: "exit with 3 when they differ", Destination: &options.Fail},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Len() != 2 {
				return exit.With(exit.Usage, fmt.Errorf("expected two bundles, found %d arguments", command.Args().Len()))
			}
			return prep.DiffBundles(command.Root().Writer, command.Args().Get(0), command.Args().Get(1), options)
		},
	}
}
