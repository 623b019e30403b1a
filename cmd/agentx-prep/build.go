package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"agentx/corpus"
	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/prep"
	"agentx/internal/synth/filler"
)

// given holds the flags that are not options of a build as they stand.
type given struct {
	options     prep.Options
	style       string
	nested      string
	adjacent    string
	datasetType string
	public      string // data set on a hub, by alias
	repository  string // or by repository
	subset      string
	delayCap    float64
	from, until float64
	block       int
	trustRemote bool
	quiet       bool
	models      []string
}

func buildCommand() *cli.Command {
	g := &given{options: prep.DefaultOptions()}
	definitions := slices.Concat(inputFlags(g), hubFlags(g), contentFlags(g), detectionFlags(&g.options.Corpus))
	known := variablesOf(definitions)
	return &cli.Command{
		Name: "build", Usage: "make a bundle of recorded traces, or find it in the cache", OnUsageError: usageError,
		Flags: definitions,
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("unexpected argument %q: traces are given by --input-file", command.Args().First()))
			}
			if err := errors.Join(flags.RefuseEmpty(command), g.settle(command), g.settleHub()); err != nil {
				return exit.With(exit.Usage, err)
			}
			show := printerOf(command, g.quiet)
			noteVariables(os.Environ(), known, show)
			if g.trustRemote {
				show.Line("--tokenizer-trust-remote-code has no effect: no code of a repository is ever run")
			}
			if len(g.models) > 0 {
				show.Line("--model has no effect on a bundle: agentx-run maps the recorded models to yours")
			}
			result, err := prep.Build(ctx, g.options, show)
			show.Close()
			if err != nil || g.quiet {
				return err
			}
			return result.WriteSummary(command.Root().Writer)
		},
	}
}

// settle turns flags into options, telling an absent value from a given zero.
func (g *given) settle(command *cli.Command) error {
	o := &g.options.Corpus
	g.options.Style = filler.Style(g.style)
	o.NestedTimestamps = corpus.TimeBasis(g.nested)
	o.AdjacentRoles = corpus.AdjacentRoles(g.adjacent)
	o.BlockSize = g.block
	for _, positive := range []struct {
		flag  string
		value int64
	}{
		{"max-context-length", o.MaxContextLength}, {"num-dataset-entries", int64(o.NumDatasetEntries)},
		{"synthesis-max-isl", o.MaxISL}, {"synthesis-max-osl", o.MaxOSL}, {"isl-block-size", int64(g.block)},
	} {
		if command.IsSet(positive.flag) && positive.value < 1 {
			return fmt.Errorf("--%s is %d, expected at least 1", positive.flag, positive.value)
		}
	}
	for _, optional := range []struct {
		flag  string
		value *float64
		into  **float64
	}{
		{"inter-turn-delay-cap-seconds", &g.delayCap, &o.InterTurnDelayCapSeconds},
		{"fixed-schedule-start-offset", &g.from, &o.ScheduleStartMs},
		{"fixed-schedule-end-offset", &g.until, &o.ScheduleEndMs},
	} {
		if command.IsSet(optional.flag) {
			*optional.into = optional.value
		}
	}
	if g.datasetType != "" && g.datasetType != "weka_trace" {
		return fmt.Errorf("--custom-dataset-type %s: only weka_trace can be read", g.datasetType)
	}
	if g.options.Output == "-" {
		return errors.New("a bundle cannot go to standard output; give --output FILE")
	}
	if info, err := os.Stat(g.options.Output); g.options.Output != "" && err == nil && info.IsDir() {
		return fmt.Errorf("--output %s is a folder; give the name of a file", g.options.Output)
	}
	return nil
}
