package main

import (
	"agentx/internal/measure"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

func seriesFlags(o *run.SeriesOptions) []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "num-profile-runs", Value: 1, Destination: &o.Runs, Category: groupSeries,
			Usage: "repetitions, 1 to 10, each with its own warmup and folder, and what they say together"},
		&cli.FloatFlag{Name: "profile-run-cooldown-seconds", Destination: &o.Cooldown, Category: groupSeries,
			Usage: "pause between two repetitions"},
		&cli.BoolFlag{Name: "profile-run-disable-warmup-after-first", Value: true, Destination: &o.NoWarmupAfterFirst, Category: groupSeries,
			Usage: "cache-pressure warmup only in the first repetition"},
		&cli.BoolFlag{Name: "no-profile-run-disable-warmup-after-first", Category: groupSeries,
			Usage: "same as --profile-run-disable-warmup-after-first=false"},
		&cli.BoolFlag{Name: "set-consistent-seed", Value: true, Category: groupSeries,
			Usage: "several runs without --random-seed use 42; off: each draws its own"},
		&cli.BoolFlag{Name: "vary-seed-per-trial", Destination: &o.VarySeed, Category: groupSeries,
			Usage: "each repetition has its own seed, derived from the given one"},
		&cli.FloatFlag{Name: "confidence-level", Value: 0.95, Destination: &o.Confidence, Category: groupSeries,
			Usage: "level of the intervals over repetitions, between 0 and 1"},
		&cli.StringFlag{Name: "convergence-metric", Destination: &o.ConvergenceMetric, Category: groupSeries, DefaultText: "none: all repetitions are made",
			Usage: "metric on which repetitions have to agree; once three or more do, the rest of --num-profile-runs is not made"},
		&cli.StringFlag{Name: "convergence-stat", Value: "avg", Destination: &o.ConvergenceStat, Category: groupSeries,
			Usage: "its statistic: avg, p50, p90, p95, p99 …"},
		&cli.StringFlag{Name: "convergence-mode", Value: string(measure.ConvergedByInterval), Destination: &o.ConvergenceMode, Category: groupSeries,
			Usage: "ci_width (width of the interval) or cv (coefficient of variation), as a share of the mean"},
		&cli.FloatFlag{Name: "convergence-threshold", Value: unset, DefaultText: "0.10 of ci_width, 0.05 of cv", Destination: &o.ConvergenceThreshold, Category: groupSeries,
			Usage: "share below which they agree"},
		&cli.FloatFlag{Name: "parameter-sweep-cooldown-seconds", Destination: &o.PointCooldown, Category: groupSeries,
			Usage: "pause between two concurrencies"},
		&cli.BoolFlag{Name: "parameter-sweep-same-seed", Destination: &o.SameSeed, Category: groupSeries,
			Usage: "all concurrencies use one seed; off: seed, seed + 1, …"},
		&cli.StringFlag{Name: "parameter-sweep-mode", Value: "repeated", Category: groupSeries,
			Usage: "order of several concurrencies with repetitions: repeated (all concurrencies, then again) or independent (all repetitions of one, then the next)"},
		&cli.BoolFlag{Name: "no-sweep-table", Destination: &o.NoTable, Category: groupSeries,
			Usage: "no table of all runs at the end of several concurrencies"},
	}
}
