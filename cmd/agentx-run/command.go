package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agentx/internal/buildinfo"
	"agentx/internal/clidoc"
	"agentx/internal/exit"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// errReported is the cause of an exit code whose reason the user has already been shown.
var errReported = errors.New("already reported")

func command() *cli.Command {
	o := &run.Options{}
	return &cli.Command{
		Name:                      "agentx-run",
		Usage:                     "replay recorded agent sessions against an inference server",
		Version:                   buildinfo.String(),
		Flags:                     allFlags(o),
		DisableSliceFlagSeparator: true,
		EnableShellCompletion:     true,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		OnUsageError: func(_ context.Context, _ *cli.Command, err error, _ bool) error {
			return exit.With(exit.Usage, err)
		},
		Commands: []*cli.Command{mockServerCommand(), clidoc.Command()},
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("unexpected argument %q: agentx-run takes flags, or one of its commands", command.Args().First()))
			}
			if err := settle(command, o); err != nil {
				return exit.With(exit.Usage, err)
			}
			if code := run.Run(ctx, o); code != exit.Done {
				return exit.With(code, errReported)
			}
			return nil
		},
	}
}

func allFlags(o *run.Options) []cli.Flag {
	return slices.Concat(runFlags(o), serverFlags(&o.Server), loadFlags(&o.Load), resultFlags(&o.Results), simulateFlags(&o.Simulate))
}
