package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentx/internal/analyze"
	"agentx/internal/exit"
	"agentx/internal/measure"
	"agentx/internal/view/report"

	"github.com/urfave/cli/v3"
)

// selection are the flags that choose requests and shape their numbers.
type selection struct {
	goodput      []string
	sliceSeconds float64
	serverTokens bool
	gpus         int
	from, to     float64
	phase        string
	depth        int
	trace, kind  string
	noErrors     bool
}

const (
	groupSelect = "Selection"
	groupShape  = "Numbers"
)

func (s *selection) flags() []cli.Flag {
	return []cli.Flag{
		&cli.FloatFlag{Name: "from", Destination: &s.from, Category: groupSelect, DefaultText: "the beginning", Usage: "only requests that start so many seconds after the start of profiling, or later"},
		&cli.FloatFlag{Name: "to", Destination: &s.to, Category: groupSelect, DefaultText: "the end", Usage: "only requests that start before so many seconds after the start of profiling"},
		&cli.StringFlag{Name: "phase", Value: string(measure.PhaseProfiling), Destination: &s.phase, Category: groupSelect, Usage: "only requests of a phase: warmup or profiling"},
		&cli.IntFlag{Name: "depth", Destination: &s.depth, Category: groupSelect, DefaultText: "all", Usage: "only requests of a depth: 0 root sessions, 1 subagents"},
		&cli.StringFlag{Name: "trace", Destination: &s.trace, Category: groupSelect, DefaultText: "all", Usage: "only requests of a trace"},
		&cli.StringFlag{Name: "kind", Destination: &s.kind, Category: groupSelect, DefaultText: "all", Usage: "only requests of a kind of conversation: root, sa, fa, aux, wg …"},
		&cli.BoolFlag{Name: "exclude-errors", Destination: &s.noErrors, Category: groupSelect, Usage: "leave failed requests out"},
		&cli.StringSliceFlag{Name: "goodput", Destination: &s.goodput, Category: groupShape, DefaultText: "the run's", Usage: "tag:value in display units; requests that meet all of them count as good"},
		&cli.FloatFlag{Name: "slice-duration", Destination: &s.sliceSeconds, Category: groupShape, DefaultText: "the run's", Usage: "seconds of a time slice; 0: none"},
		&cli.BoolFlag{Name: "use-server-token-count", Destination: &s.serverTokens, Category: groupShape, DefaultText: "as the run", Usage: "take token counts from the server's usage"},
		&cli.IntFlag{Name: "gpus", Destination: &s.gpus, Category: groupShape, DefaultText: "not known", Usage: "accelerators of the server, for rates per GPU"},
	}
}

// options are what the flags say; what was not given stays as the run has it.
func (s *selection) options(command *cli.Command) (measure.Options, error) {
	o := measure.Options{Phase: measure.Phase(s.phase), Trace: s.trace, Kind: s.kind, ExcludeErrors: s.noErrors, GPUs: s.gpus, Goodput: strings.Join(s.goodput, " ")}
	if o.Phase != measure.PhaseWarmup && o.Phase != measure.PhaseProfiling {
		return o, usage(command, "--phase is %q: expected warmup or profiling", s.phase)
	}
	if command.IsSet("from") {
		o.FromSeconds = &s.from
	}
	if command.IsSet("to") {
		o.ToSeconds = &s.to
	}
	if command.IsSet("from") && command.IsSet("to") && s.from >= s.to {
		return o, usage(command, "--from %g is not before --to %g", s.from, s.to)
	}
	if command.IsSet("depth") {
		o.Depth = &s.depth
	}
	if command.IsSet("slice-duration") {
		o.SliceSeconds = &s.sliceSeconds
	}
	if command.IsSet("use-server-token-count") {
		o.ServerTokens = &s.serverTokens
	}
	if _, err := measure.ParseObjectives(o.Goodput); err != nil {
		return o, usage(command, "--goodput: %v", err)
	}
	return o, nil
}

func usage(command *cli.Command, format string, arguments ...any) error {
	return exit.With(exit.Usage, fmt.Errorf(command.Name+": "+format, arguments...))
}

func formatFlag(destination *string, usage string) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: string(report.FormatText), Destination: destination, Usage: usage}
}

func checkFormat(command *cli.Command, format string) error {
	if !slices.Contains([]report.Format{report.FormatText, report.FormatCSV, report.FormatJSON}, report.Format(format)) {
		return usage(command, "--format is %q: expected text, csv or json", format)
	}
	return nil
}

func summaryCommand() *cli.Command {
	var console report.ConsoleOptions
	var chosen selection
	var format, by string
	return &cli.Command{
		Name: "summary", Usage: "print the tables and the verdict of a run, or a row for each of several (also of a folder of runs)", ArgsUsage: "RUN…",
		Flags: append(chosen.flags(),
			&cli.StringFlag{Name: "by", Destination: &by, Usage: "break a run down: a row for each " + strings.Join(measure.Dimensions(), ", ")},
			formatFlag(&format, "of tables with a row for each run or group: text, csv or json"),
			&cli.BoolFlag{Name: "show-trace-timing", Destination: &console.HTTPTrace, Usage: "the table of connection times too"},
		),
		Action: func(_ context.Context, command *cli.Command) error {
			options, err := chosen.options(command)
			if err == nil {
				err = checkFormat(command, format)
			}
			if err != nil {
				return err
			}
			root, runs := command.Root(), command.Args().Slice()
			switch {
			case by != "" && !slices.Contains(measure.Dimensions(), by):
				return usage(command, "--by is %q: expected one of %s", by, strings.Join(measure.Dimensions(), ", "))
			case by != "":
				run, err := oneRun(command)
				if err != nil {
					return err
				}
				return analyze.Breakdown(root.Writer, root.ErrWriter, run, by, options, report.Format(format))
			case len(runs) > 1 || len(runs) == 1 && (command.IsSet("format") || analyze.HoldsRuns(runs[0])):
				return analyze.Compare(root.Writer, root.ErrWriter, runs, options, report.Format(format))
			}
			return eachRun(command, func(run string) error {
				return analyze.Summary(root.Writer, root.ErrWriter, run, options, console)
			})
		},
	}
}

func exportCommand() *cli.Command {
	var set report.Set
	var chosen selection
	var dir, bundle string
	return &cli.Command{
		Name: "export", Usage: "write the result files of a run again", ArgsUsage: "RUN",
		Flags: append(chosen.flags(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &dir, DefaultText: "the run folder", Usage: "folder to write to"},
			bundleFlag(&bundle),
			&cli.StringSliceFlag{Name: "only", Destination: &set.Only, Usage: "name of a file to write (default: all of the level)"},
			&cli.StringFlag{Name: "export-level", Value: "records", Destination: &set.Level, Usage: "summary, records or raw"},
			&cli.StringFlag{Name: "profile-export-prefix", Destination: &set.Prefix, Usage: "name to use instead of profile_export"},
			&cli.BoolFlag{Name: "everything", Destination: &set.Everything, Usage: "records.parquet and metrics.txt (OpenMetrics) too"},
			&cli.BoolFlag{Name: "export-http-trace", Destination: &set.HTTPTrace, Usage: "connection stamps in profile_export.jsonl"},
			&cli.BoolFlag{Name: "export-outputs-json", Destination: &set.Outputs, Usage: "outputs.json too"},
			&cli.BoolFlag{Name: "show-trace-timing", Destination: &set.ShowTrace, Usage: "the table of connection times in profile_export_console.txt"},
		),
		Action: func(_ context.Context, command *cli.Command) error {
			run, err := oneRun(command)
			if err != nil {
				return err
			}
			options, err := chosen.options(command)
			if err != nil {
				return err
			}
			if !slices.Contains([]string{"summary", "records", "raw"}, set.Level) {
				return usage(command, "--export-level is %q: expected summary, records or raw", set.Level)
			}
			if strings.ContainsAny(set.Prefix, `/\`) {
				return usage(command, "--profile-export-prefix is %q: expected a name, not a path; --output says where the files go", set.Prefix)
			}
			for _, name := range set.Only {
				if !slices.Contains(report.FileNames(), name) {
					return usage(command, "--only is %q: expected one of %s", name, strings.Join(report.FileNames(), ", "))
				}
			}
			root := command.Root()
			return analyze.Export(root.Writer, root.ErrWriter, run, dir, bundle, options, set)
		},
	}
}

func validateCommand() *cli.Command {
	var schema string
	return &cli.Command{
		Name: "validate", Usage: "check exported files, or all in a run's folder, against their schemas", ArgsUsage: "FILE…",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "schema", Destination: &schema, Usage: "print the JSON Schema of the exported file of this name, and check nothing"},
		},
		Action: func(_ context.Context, command *cli.Command) error {
			if schema != "" {
				text, known := report.Schema(schema)
				if !known {
					return usage(command, "--schema is %q: no exported file of this name has a JSON Schema", schema)
				}
				_, err := command.Root().Writer.Write(text)
				return err
			}
			return each(command, command.Args().Slice(), "an exported file, or a run folder", func(path string) error {
				return analyze.Validate(command.Root().Writer, path)
			})
		},
	}
}
