package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"agentx/internal/flags"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// invocation is how the program was called: its command line, and what lies below it.
type invocation struct {
	environment []string
	line        []string // normalized, without what other layers set
	profile     bool     // the peer's word for a run came first
	unknown     []error  // flags that do not exist
	asTyped     func(string) string
	layers      flags.Layers
	known       []string         // environment variables that mean something
	options     *run.Options     // where the flags go
	seams       run.Seams        // for tests
	signals     <-chan os.Signal // caught since the program began; nil for a command
}

// read completes the command line of a run from the environment and the configuration file. Commands
// have only their own flags.
func (i *invocation) read(program *cli.Command, arguments []string) ([]string, error) {
	if len(arguments) > 0 && !isRun(arguments) {
		if err := flags.CheckCommand(program, arguments); err != nil {
			if !slices.ContainsFunc(program.Commands, func(c *cli.Command) bool { return c.HasName(arguments[0]) }) {
				err = fmt.Errorf("%w; a run takes flags only, as in agentx-run --bundle FILE", err)
			}
			return nil, err
		}
	}
	if len(arguments) > 0 {
		if at := slices.IndexFunc(program.Commands, func(c *cli.Command) bool { return c.HasName(arguments[0]) }); at >= 0 {
			rest, err := i.ofCommand(program.Commands[at], arguments[1:])
			return append(arguments[:1:1], rest...), err
		}
	}
	if len(arguments) > 0 && arguments[0] == "profile" { // aiperf profile …
		i.profile, arguments = true, arguments[1:]
	}
	var err error
	if i.line, err = flags.Normalize(program.Flags, arguments); err != nil {
		return nil, err
	}
	if asksForHelp(i.line) {
		return i.line, nil
	}
	i.line, i.unknown = flags.TakeUnknown(program.Flags, i.line)
	i.asTyped = flags.AsTyped(program.Flags, i.line)
	i.options.Spelling = i.asTyped
	i.layers = flags.Layers{Environment: i.environment, Variables: variables()}
	if path := i.configPath(); path != "" {
		if i.layers.File, err = flags.ReadFile(path, program.Flags); err != nil {
			return nil, err
		}
		i.asTyped = flags.AsTyped(program.Flags, i.layers.Spelled(program.Flags, i.line))
		i.options.Spelling = i.asTyped
	}
	i.known = i.layers.Names(program.Flags)
	full, err := i.layers.Complete(program.Flags, i.line)
	for _, flag := range program.Flags { // the library takes an empty variable for a value
		_, sources := fields(flag)
		*sources = cli.ValueSourceChain{}
	}
	return full, err
}

// ofCommand is a command's line; a probe's is completed from the environment as a run's is.
func (i *invocation) ofCommand(command *cli.Command, arguments []string) ([]string, error) {
	line, err := flags.Normalize(command.Flags, arguments)
	if err != nil || command.Name != probeName || asksForHelp(line) {
		return line, err
	}
	layers := flags.Layers{Environment: i.environment, Variables: slices.DeleteFunc(variables(), func(v flags.Variable) bool {
		return !slices.ContainsFunc(command.Flags, func(flag cli.Flag) bool { return flag.Names()[0] == v.Flag })
	})}
	full, err := layers.Complete(command.Flags, line)
	for _, flag := range command.Flags {
		_, sources := fields(flag)
		*sources = cli.ValueSourceChain{}
	}
	return full, err
}

// asksForHelp recognizes lines that are no run.
func asksForHelp(line []string) bool {
	return slices.ContainsFunc(line, func(word string) bool {
		return slices.Contains([]string{"--help", "-h", "--version", "--generate-shell-completion"}, word)
	})
}

// configPath is the configuration file that the command line or the environment names.
func (i *invocation) configPath() string {
	for _, word := range i.line {
		name, value, attached := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if attached && strings.HasPrefix(word, "-") && slices.Contains([]string{"config", "config-file", "f"}, name) {
			return value
		}
	}
	for _, variable := range i.environment {
		if path, ok := strings.CutPrefix(variable, "AGENTX_CONFIG="); ok {
			return path
		}
	}
	return ""
}
