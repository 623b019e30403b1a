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

	"github.com/urfave/cli/v3"
)

func command() *cli.Command {
	usageError := func(_ context.Context, command *cli.Command, err error, _ bool) error {
		return exit.With(exit.Usage, flags.Explain(command.Flags, err))
	}
	program := &cli.Command{
		Name:                  "agentx-analyze",
		Usage:                 "derive results, pages and checks from the event log of a run",
		Version:               buildinfo.String(),
		EnableShellCompletion: true,
		ExitErrHandler:        func(context.Context, *cli.Command, error) {},
		OnUsageError:          usageError,
		Commands: []*cli.Command{
			summaryCommand(), exportCommand(), validateCommand(),
			swimLaneCommand(), turnMessagesCommand(), diffCommand(), reportCommand(), watchCommand(),
			scheduleCommand(), verifyCommand(), tailCommand(), queryCommand(), clidoc.Command(),
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("unexpected argument %q: a command comes first; agentx-analyze --help lists them", command.Args().First()))
			}
			return cli.ShowAppHelp(command)
		},
	}
	for _, child := range program.Commands {
		child.OnUsageError = usageError
		child.DisableSliceFlagSeparator = true
		child.Before = func(ctx context.Context, command *cli.Command) (context.Context, error) {
			return ctx, exit.With(exit.Usage, errors.Join(flags.RefuseEmpty(command), flags.RefuseNegative(command, "from", "to", "lines")))
		}
	}
	return program
}

// checkLine refuses a command that does not exist, and a single-valued flag that a command is given twice with different values: the parser
// would take the last without a word.
func checkLine(program *cli.Command, arguments []string) error {
	if len(arguments) == 0 {
		return nil
	}
	if err := flags.CheckCommand(program, arguments); err != nil {
		if _, missing := os.Stat(arguments[0]); missing == nil {
			err = fmt.Errorf("%w; to look at that run: agentx-analyze summary %s", err, arguments[0])
		}
		return exit.With(exit.Usage, err)
	}
	at := slices.IndexFunc(program.Commands, func(c *cli.Command) bool { return c.HasName(arguments[0]) })
	if at < 0 {
		return nil
	}
	return exit.With(exit.Usage, flags.CheckOnce(program.Commands[at].Flags, arguments[1:]))
}

// each calls do for every argument; one that fails does not keep the others from being looked at.
func each(command *cli.Command, arguments []string, what string, do func(argument string) error) error {
	if len(arguments) == 0 {
		return exit.With(exit.Usage, fmt.Errorf("%s: nothing given: expected %s", command.Name, what))
	}
	var first error
	for _, argument := range arguments {
		err := do(argument)
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			fmt.Fprintf(command.Root().ErrWriter, "agentx-analyze: %v\n", err)
		}
	}
	return first
}

const runWords = "a run folder or a run.db"

// eachRun calls do for every RUN of the command line.
func eachRun(command *cli.Command, do func(run string) error) error {
	return each(command, command.Args().Slice(), runWords, do)
}

func oneRun(command *cli.Command) (string, error) {
	if command.Args().Len() != 1 {
		return "", exit.With(exit.Usage, fmt.Errorf("%s: expected one run folder or run.db, got %d arguments", command.Name, command.Args().Len()))
	}
	return command.Args().First(), nil
}

func bundleFlag(destination *string) cli.Flag {
	return &cli.StringFlag{Name: "bundle", Destination: destination, DefaultText: "found by the log", Usage: "the bundle that was replayed"}
}
