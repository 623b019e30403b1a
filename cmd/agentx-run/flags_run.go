package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// The groups of the help text, in its order.
const (
	groupRun        = "1 Run"
	groupServer     = "2 Server and requests"
	groupConnection = "3 Connections and routing"
	groupLoad       = "4 Load and schedule"
	groupSeries     = "5 Several runs"
	groupResults    = "6 Results"
	groupContent    = "7 Recording: names the bundle, or is compared with it"
	groupSimulate   = "8 Simulation"
)

const unset = -1 // of a number of seconds, requests, sessions

// env are the variables of a setting: ours, and the peer's for settings that it has too.
func env(name string) cli.ValueSourceChain {
	return cli.EnvVars("AGENTX_"+name, "AIPERF_"+name)
}

func runFlags(o *run.Options) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "bundle", Destination: &o.Bundle, Category: groupRun, Sources: cli.EnvVars("AGENTX_BUNDLE"), DefaultText: "the one in the cache that the recording's flags mean",
			Usage: "bundle made by agentx-prep build"},
		&cli.StringFlag{Name: "scenario", Destination: &o.Scenario, Category: groupRun,
			Usage: "benchmark whose rules lock the settings: inferencex-agentx-mvp or agentx"},
		&cli.BoolFlag{Name: "unsafe-override", Destination: &o.UnsafeOverride, Category: groupRun,
			Usage: "run although the scenario's rules are broken; the result is marked invalid"},
		&cli.StringFlag{Name: "config", Aliases: []string{"f", "config-file"}, Category: groupRun, Sources: cli.EnvVars("AGENTX_CONFIG"),
			Usage: "YAML file with the names of these flags; the command line and the environment win over it"},
		&cli.BoolFlag{Name: "dry-run", Destination: &o.DryRun, Category: groupRun,
			Usage: "print the resolved settings and the runs that would be made as JSON, and send nothing"},
		&cli.Int64Flag{Name: "random-seed", Value: unset, DefaultText: "fresh, logged; 42 for several runs", Destination: &o.Seed, Category: groupRun,
			Usage: "seed of the schedule: where each session starts, which trace comes next"},
		&cli.StringFlag{Name: "artifact-dir", Aliases: []string{"output-artifact-dir"}, Destination: &o.ArtifactDir, Category: groupRun, DefaultText: "artifacts/<model>-openai-chat-concurrency<N>",
			Usage: "folder for run.db and the results"},
		&cli.BoolFlag{Name: "overwrite", Destination: &o.Overwrite, Category: groupRun, Usage: "reuse an --artifact-dir that holds a run"},
		&cli.StringFlag{Name: "log-dir", Destination: &o.LogDir, Category: groupRun, DefaultText: "beside the results, where that is a local file system",
			Usage: "folder for run.db while the run goes on; it is copied at the end"},
		&cli.StringFlag{Name: "cache-dir", Destination: &o.CacheDir, Category: groupRun, Sources: env("CACHE_DIR"), DefaultText: "agentx in the user's cache folder",
			Usage: "where agentx-prep keeps bundles"},
		&cli.StringFlag{Name: "run-id", Destination: &o.RunID, Category: groupRun, DefaultText: "random", Usage: "fixes the session and request ids, for tests"},
		&cli.StringFlag{Name: "benchmark-id", Destination: &o.BenchmarkID, Category: groupRun, DefaultText: "random", Usage: "32 hex digits; fixes the cache-bust markers, for tests"},
		&cli.StringSliceFlag{Name: "label", Destination: &o.Labels, Category: groupRun, Usage: "key=value, kept with the run"},
		&cli.FloatFlag{Name: "stats-interval", Value: 30, Destination: &o.StatsInterval, Category: groupRun,
			Usage: "seconds between progress lines where there is no terminal, and in logs/agentx.log; 0: none"},
		&cli.StringFlag{Name: "ui", Aliases: []string{"ui-type"}, Value: "dashboard", Category: groupRun,
			Usage: "progress on a terminal: dashboard (the view of agentx-analyze watch; q leaves it), simple (one line, drawn anew) or none (plain lines)"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.Quiet, Category: groupRun, Usage: "no progress, only errors"},
		&cli.BoolFlag{Name: "version", Category: groupRun, Usage: "print the version"},
	}
}
