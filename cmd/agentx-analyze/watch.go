package main

import (
	"context"
	"time"

	"agentx/internal/analyze"
	"agentx/internal/watch"

	"github.com/urfave/cli/v3"
)

func watchCommand() *cli.Command {
	var options watch.Options
	interval := watch.DefaultInterval.Seconds()
	return &cli.Command{
		Name: "watch", Usage: "look at a run from its log while it goes on, or afterwards; closing the view ends nothing", ArgsUsage: "RUN",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "once", Destination: &options.Once, Usage: "print the view once"},
			&cli.FloatFlag{Name: "interval", Value: interval, Destination: &interval, Usage: "seconds between lines where standard output is no terminal"},
			&cli.IntFlag{Name: "width", Destination: &options.Width, DefaultText: "160", Usage: "columns of a view that is printed once"},
		},
		Action: func(ctx context.Context, command *cli.Command) error {
			run, err := oneRun(command)
			if err != nil {
				return err
			}
			if interval <= 0 {
				return usage(command, "--interval is %g: expected more than 0 seconds", interval)
			}
			options.Interval = time.Duration(interval * float64(time.Second))
			root := command.Root()
			return analyze.Watch(ctx, root.Reader, root.Writer, root.ErrWriter, run, options)
		},
	}
}
