package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"agentx/internal/buildinfo"
	"agentx/internal/clidoc"
	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/prep"
	"agentx/internal/progress"
)

func command(out, errs io.Writer) *cli.Command {
	return &cli.Command{
		Name:                      "agentx-prep",
		Usage:                     "turn recorded agent sessions into bundles, and look into bundles",
		Version:                   buildinfo.String(),
		Writer:                    out,
		ErrWriter:                 errs,
		DisableSliceFlagSeparator: true,
		EnableShellCompletion:     true,
		ExitErrHandler:            func(context.Context, *cli.Command, error) {},
		OnUsageError:              usageError,
		Commands:                  []*cli.Command{buildCommand(), fetchCommand(), inspectCommand(), checkCommand(), exportCommand(), statsCommand(), diffCommand(), cacheCommand(), clidoc.Command()},
		Action: func(_ context.Context, command *cli.Command) error {
			if command.Args().Present() { // after a flag; else CheckCommand has told
				return exit.With(exit.Usage, fmt.Errorf("unexpected argument %q: a command comes first; agentx-prep --help lists them", command.Args().First()))
			}
			return cli.ShowRootCommandHelp(command)
		},
	}
}

func usageError(_ context.Context, command *cli.Command, err error, _ bool) error {
	return exit.With(exit.Usage, flags.Explain(command.Flags, err))
}

// normalize lets list flags take several words, refuses a single-valued flag given twice, and takes what the
// environment sets, for the commands that have no other words on their line.
func normalize(program *cli.Command, arguments []string) ([]string, error) {
	if len(arguments) < 2 {
		return arguments, nil
	}
	if err := flags.CheckCommand(program, arguments[1:]); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	at := slices.IndexFunc(program.Commands, func(c *cli.Command) bool { return c.Name == arguments[1] && c.ArgsUsage == "" && c.Action != nil })
	if at < 0 {
		return arguments, nil
	}
	rest, err := flags.Normalize(program.Commands[at].Flags, arguments[2:])
	if err == nil {
		rest, err = fromEnvironment(program.Commands[at], rest)
	}
	return append(arguments[:2:2], rest...), exit.With(exit.Usage, err)
}

// printerOf shows progress on the program's error stream.
func printerOf(command *cli.Command, quiet bool) *progress.Printer {
	if file, ok := command.Root().ErrWriter.(*os.File); ok {
		return progress.New(file, quiet)
	}
	if quiet {
		return progress.Plain(io.Discard, time.Now)
	}
	return progress.Plain(command.Root().ErrWriter, time.Now)
}

// oneArgument is the single argument of a command.
func oneArgument(command *cli.Command, what string) (string, error) {
	if command.Args().Len() != 1 {
		return "", exit.With(exit.Usage, fmt.Errorf("%s: expected one argument, the %s, found %d; flags go before it, and each that has a value takes the next word", command.Name, what, command.Args().Len()))
	}
	return command.Args().First(), nil
}

// noArguments refuses words of a command that takes none.
func noArguments(command *cli.Command) error {
	if command.Args().Present() {
		return exit.With(exit.Usage, fmt.Errorf("%s: unexpected argument %q: it takes flags only", command.Name, command.Args().First()))
	}
	return nil
}

func inspectCommand() *cli.Command {
	var options prep.InspectOptions
	var models []string
	return &cli.Command{
		Name: "inspect", Usage: "print a bundle's manifest, or one of its traces", ArgsUsage: "BUNDLE", OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "trace", Usage: "print this trace as a tree of conversations", Destination: &options.Trace},
			&cli.BoolFlag{Name: "json", Usage: "print JSON", Destination: &options.JSON},
			&cli.StringSliceFlag{Name: "model", Aliases: []string{"m", "model-names"}, Usage: "names for the recorded models, in their order (comma-separated or several times)", Destination: &models},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			path, err := oneArgument(command, "bundle")
			if err != nil {
				return err
			}
			options.Models = flags.CommaList(models)
			return prep.Inspect(command.Root().Writer, path, options)
		},
	}
}

func checkCommand() *cli.Command {
	options := prep.CheckOptions{Workers: runtime.GOMAXPROCS(0)}
	var quiet bool
	return &cli.Command{
		Name: "check", Usage: "verify every byte of a bundle; with --retokenize also its token counts", ArgsUsage: "BUNDLE", OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "retokenize", Usage: "encode so many turns again, or `all`, and compare the counts", Destination: &options.Retokenize},
			&cli.BoolFlag{Name: "template", Usage: "render every role sequence with the bundle's chat template and list those it refuses", Destination: &options.Template},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show no progress", Destination: &quiet},
		},
		Action: func(ctx context.Context, command *cli.Command) error {
			path, err := oneArgument(command, "bundle")
			if err != nil {
				return err
			}
			show := printerOf(command, quiet)
			err = prep.Check(ctx, command.Root().Writer, path, options, show)
			show.Close()
			return err
		},
	}
}

func exportCommand() *cli.Command {
	var trace string
	return &cli.Command{
		Name: "export", Usage: "print every turn of a trace, with its whole message array, as a JSON line", ArgsUsage: "BUNDLE", OnUsageError: usageError,
		Flags: []cli.Flag{&cli.StringFlag{Name: "trace", Usage: "id of the trace, as inspect lists them; must be given", Destination: &trace}},
		Action: func(_ context.Context, command *cli.Command) error {
			path, err := oneArgument(command, "bundle")
			if err != nil {
				return err
			}
			return prep.Export(command.Root().Writer, path, trace)
		},
	}
}

func cacheCommand() *cli.Command {
	var folder string
	var days int
	folderFlag := func() cli.Flag {
		return &cli.StringFlag{Name: "cache-dir", Usage: "folder of the cache", DefaultText: "agentx in the user's cache folder", Sources: env("CACHE_DIR"), Destination: &folder}
	}
	return &cli.Command{
		Name: "cache", Usage: "list or remove the bundles that builds have left for reuse", OnUsageError: usageError,
		Commands: []*cli.Command{
			{Name: "ls", Usage: "list the bundles", Flags: []cli.Flag{folderFlag()}, OnUsageError: usageError, Action: func(_ context.Context, command *cli.Command) error {
				if err := noArguments(command); err != nil {
					return err
				}
				return prep.CacheList(command.Root().Writer, folder)
			}},
			{Name: "rm", Usage: "remove bundles", ArgsUsage: "KEY …", Flags: []cli.Flag{folderFlag()}, OnUsageError: usageError, Action: func(_ context.Context, command *cli.Command) error {
				return prep.CacheRemove(command.Root().Writer, folder, command.Args().Slice())
			}},
			{Name: "gc", Usage: "remove what no build will use: unfinished files, damaged bundles, idle locks", OnUsageError: usageError,
				Flags: []cli.Flag{folderFlag(), &cli.IntFlag{Name: "older-than", Usage: "remove bundles made more than so many days ago too; 0 keeps them", Destination: &days}},
				Action: func(_ context.Context, command *cli.Command) error {
					if err := noArguments(command); err != nil {
						return err
					}
					if days < 0 {
						return exit.With(exit.Usage, errors.New("--older-than must not be negative"))
					}
					return prep.CacheCollect(command.Root().Writer, folder, time.Duration(days)*24*time.Hour)
				}},
		},
	}
}
