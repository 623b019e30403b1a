package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"agentx/internal/buildinfo"
	"agentx/internal/clidoc"
	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// errReported is the cause of an exit code whose reason the user has already been shown.
var errReported = errors.New("already reported")

func command(i *invocation) *cli.Command {
	o := &run.Options{Seams: i.seams, Signals: i.signals}
	i.options = o
	program := &cli.Command{
		Name:                      "agentx-run",
		Usage:                     "replay recorded agent sessions against an inference server",
		HideVersion:               true, // -v is the peer's --verbose
		Flags:                     allFlags(o),
		DisableSliceFlagSeparator: true,
		EnableShellCompletion:     true,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		Commands:                  []*cli.Command{probeCommand(), mockServerCommand(), configCommand(), clidoc.Command()},
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Bool("version") {
				fmt.Println("agentx-run", buildinfo.String())
				return nil
			}
			if command.Args().Present() {
				return exit.With(exit.Usage, unexpected(command.Args().First()))
			}
			err := settle(command, i, o)
			hide(os.Args, o.Secrets())
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			if code := run.Run(ctx, o); code != exit.Done {
				return exit.With(code, errReported)
			}
			return nil
		},
	}
	explainUsage(program)
	return program
}

// unexpected refuses a word that is neither a flag nor a command.
func unexpected(word string) error {
	return fmt.Errorf("unexpected argument %q: flags only are expected here", word)
}

// explainUsage gives a program's commands one way to refuse a flag, and keeps their flags to themselves.
func explainUsage(command *cli.Command) {
	command.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error {
		return exit.With(exit.Usage, flags.Explain(command.Flags, err))
	}
	for _, flag := range command.Flags {
		local, _ := fields(flag)
		*local = true
	}
	for _, child := range command.Commands {
		explainUsage(child)
	}
}

// fields are the parts of a flag that no interface of the library reaches.
func fields(flag cli.Flag) (local *bool, sources *cli.ValueSourceChain) {
	switch flag := flag.(type) {
	case *cli.StringFlag:
		return &flag.Local, &flag.Sources
	case *cli.StringSliceFlag:
		return &flag.Local, &flag.Sources
	case *cli.BoolFlag:
		return &flag.Local, &flag.Sources
	case *cli.IntFlag:
		return &flag.Local, &flag.Sources
	case *cli.Int64Flag:
		return &flag.Local, &flag.Sources
	case *cli.Uint64Flag:
		return &flag.Local, &flag.Sources
	case *cli.FloatFlag:
		return &flag.Local, &flag.Sources
	}
	return new(bool), &cli.ValueSourceChain{}
}

func allFlags(o *run.Options) []cli.Flag {
	list := slices.Concat(runFlags(o), serverFlags(&o.Server), connectionFlags(&o.Server), loadFlags(&o.Load), seriesFlags(&o.Series),
		resultFlags(o), contentFlags(), simulateFlags(&o.Simulate))
	for _, peer := range peerFlags() {
		list = append(list, peer.flag)
	}
	return list
}
