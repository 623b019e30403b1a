package clidoc

import (
	"context"

	"github.com/urfave/cli/v3"
)

// Command is the hidden command `cli-docs` that prints the reference of the program it belongs to.
func Command() *cli.Command {
	return &cli.Command{
		Name:   "cli-docs",
		Hidden: true,
		Usage:  "print the reference of all commands and flags as Markdown",
		Action: func(_ context.Context, command *cli.Command) error {
			return Write(command.Root().Writer, command.Root())
		},
	}
}
