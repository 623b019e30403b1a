package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

const configHead = `# Configuration of agentx-run: the names are those of its flags, which win over this file, as do
# environment variables. Uncomment what you set. Use it by: agentx-run --config FILE
# Put no API key here: name the file that holds it by api-key-file.
`

func configCommand() *cli.Command {
	return &cli.Command{
		Name: "config", Usage: "make or check a configuration file for --config",
		Commands: []*cli.Command{
			{Name: "init", Usage: "write a configuration with every flag as a comment", ArgsUsage: "[FILE]", Action: func(_ context.Context, command *cli.Command) error {
				if command.Args().Len() > 1 {
					return exit.With(exit.Usage, errors.New("config init: expected one file, or none to see it"))
				}
				return exit.With(exit.Usage, initConfig(command.Root().Writer, command.Args().First()))
			}},
			{Name: "validate", Usage: "check a configuration: names, kinds of values, and what excludes each other", ArgsUsage: "FILE", Action: func(_ context.Context, command *cli.Command) error {
				if command.Args().Len() != 1 {
					return exit.With(exit.Usage, errors.New("config validate: expected one file"))
				}
				path := command.Args().First()
				if err := validateConfig(path); err != nil {
					return exit.With(exit.Usage, err)
				}
				_, err := fmt.Fprintf(command.Root().Writer, "%s: ok\n", path)
				return err
			}},
		},
	}
}

// initConfig writes the template to a file that does not exist yet, or shows it.
func initConfig(out io.Writer, path string) error {
	if path == "" {
		return writeConfig(out)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return errors.Join(writeConfig(file), file.Close())
}

func writeConfig(out io.Writer) error {
	if _, err := io.WriteString(out, configHead); err != nil {
		return err
	}
	return flags.WriteTemplate(out, allFlags(&run.Options{}))
}

// validateConfig reads a file as a run would, without the environment, and stops before the bundle.
func validateConfig(path string) error {
	invocation := &invocation{}
	program := command(invocation)
	full, err := invocation.read(program, []string{"--config=" + path})
	if err != nil {
		return err
	}
	program.Action = func(_ context.Context, command *cli.Command) error {
		o := invocation.options
		if err := settle(command, invocation, o); err != nil {
			return err
		}
		if len(o.Server.Models) == 0 {
			o.Server.Models = []string{"named on the command line"}
		}
		return o.Check()
	}
	err = program.Run(context.Background(), append([]string{"agentx-run"}, full...))
	if err != nil {
		return errors.New(invocation.asTyped(err.Error())) // every one is a usage error
	}
	return nil
}
