package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

const groupResults = "4 Results"

func resultFlags(o *run.ResultOptions) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "use-server-token-count", Destination: &o.UseServerTokens, Category: groupResults,
			Usage: "take token counts from the server's usage"},
		&cli.FloatFlag{Name: "slice-duration", Value: unset, DefaultText: "none", Destination: &o.SliceDuration, Category: groupResults,
			Usage: "seconds of a time slice; writes the time-slice files"},
		&cli.StringSliceFlag{Name: "goodput", Destination: &o.Goodput, Category: groupResults,
			Usage: "tag:value in display units; requests that meet all of them count as good"},
	}
}
