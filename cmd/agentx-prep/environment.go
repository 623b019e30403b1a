package main

import (
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"agentx/internal/flags"
	"agentx/internal/progress"
)

// fromEnvironment completes the normalized line of a command by the environment, as agentx-run does: an
// empty variable is none, the words for yes and no are the peer's, and two variables of one setting must
// agree. Afterwards the parser need not look at the environment any more.
func fromEnvironment(command *cli.Command, line []string) ([]string, error) {
	if asksForHelp(line) {
		return line, nil
	}
	layers := flags.Layers{Environment: os.Environ()}
	full, err := layers.Complete(command.Flags, line)
	for _, flag := range command.Flags {
		if sources := sourcesOf(flag); sources != nil {
			*sources = cli.ValueSourceChain{}
		}
	}
	return full, err
}

// asksForHelp recognizes lines whose help shows the variables.
func asksForHelp(line []string) bool {
	return slices.ContainsFunc(line, func(word string) bool {
		return slices.Contains([]string{"--help", "-h", "--generate-shell-completion"}, word)
	})
}

// sourcesOf are the variables of a flag, nil for a kind of flag that has none here.
func sourcesOf(flag cli.Flag) *cli.ValueSourceChain {
	switch flag := flag.(type) {
	case *cli.StringFlag:
		return &flag.Sources
	case *cli.BoolFlag:
		return &flag.Sources
	case *cli.IntFlag:
		return &flag.Sources
	case *cli.Int64Flag:
		return &flag.Sources
	case *cli.FloatFlag:
		return &flag.Sources
	}
	return nil
}

// noteVariables tells of variables that look like settings of a build and are none (spec decision 23): ours
// with a name that does not exist are a mistake, most likely of spelling; the peer's have no counterpart.
// What the other programs read is theirs to judge, and only named.
func noteVariables(environment, known []string, show *progress.Printer) {
	const settings = "DATASET_"
	var unknown, idle []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		own, isOwn := strings.CutPrefix(name, "AGENTX_")
		peers, isPeers := strings.CutPrefix(name, "AIPERF_")
		switch {
		case value == "" || slices.Contains(known, name):
		case isOwn && strings.HasPrefix(own, settings) && !slices.Contains(withoutCounterpart(), own):
			unknown = append(unknown, name)
		case isOwn || isPeers && strings.HasPrefix(peers, settings):
			idle = append(idle, name)
		}
	}
	slices.Sort(unknown)
	slices.Sort(idle)
	for _, name := range unknown {
		show.Line("warning: environment variable %s is not known: see agentx-prep build --help for those that are", name)
	}
	if len(idle) > 0 {
		show.Line("environment variables that a build does not read: %s", strings.Join(idle, ", "))
	}
}

// withoutCounterpart are the peer's settings of data sets that mean nothing here, without their prefix.
func withoutCounterpart() []string {
	return []string{
		"DATASET_WEKA_PARALLEL_THRESHOLD", "DATASET_MMAP_CACHE_ENABLED", "DATASET_MMAP_CACHE_DIR", "DATASET_MMAP_BASE_PATH", "DATASET_MMAP_PREFAULT",
		"DATASET_PREFORMAT_PAYLOADS", "DATASET_CONFIGURATION_TIMEOUT", "DATASET_PUBLIC_DATASET_TIMEOUT",
	}
}

// variablesOf lists the environment variables of flags.
func variablesOf(definitions []cli.Flag) []string {
	layers := flags.Layers{}
	return layers.Names(definitions)
}
