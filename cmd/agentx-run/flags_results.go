package main

import (
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

func resultFlags(all *run.Options) []cli.Flag {
	o := &all.Results
	return []cli.Flag{
		&cli.BoolFlag{Name: "use-server-token-count", Destination: &o.UseServerTokens, Category: groupResults,
			Usage: "take token counts from the server's usage"},
		&cli.BoolFlag{Name: "apply-chat-template", Destination: &o.ApplyTemplate, Category: groupResults,
			Usage: "count prompt tokens with what the chat template of the bundle's tokenizer adds; without it the messages alone are counted"},
		&cli.FloatFlag{Name: "slice-duration", Value: unset, DefaultText: "none", Destination: &o.SliceDuration, Category: groupResults,
			Usage: "seconds of a time slice; writes the time-slice files"},
		&cli.StringSliceFlag{Name: "goodput", Destination: &o.Goodput, Category: groupResults,
			Usage: "tag:value in display units; requests that meet all of them count as good"},
		&cli.IntFlag{Name: "gpus", DefaultText: "not known", Category: groupResults, Usage: "accelerators of the server, for rates per GPU"},
		&cli.StringFlag{Name: "export-level", Aliases: []string{"profile-export-level"}, Value: "records", Destination: &all.ExportLevel, Category: groupResults,
			Usage: "which files are written: summary, records, or raw (the log keeps the answers' text too)"},
		&cli.StringFlag{Name: "profile-export-prefix", Aliases: []string{"profile-export-file"}, Destination: &all.ExportPrefix, Category: groupResults, DefaultText: "profile_export",
			Usage: "name of the compatible files"},
		&cli.BoolFlag{Name: "export-http-trace", Destination: &o.HTTPTrace, Category: groupResults,
			Usage: "connection stamps in profile_export.jsonl"},
		&cli.BoolFlag{Name: "show-trace-timing", Destination: &o.ShowTrace, Category: groupResults,
			Usage: "table of connection times in the summary"},
		&cli.BoolFlag{Name: "export-outputs-json", Destination: &o.OutputsJSON, Category: groupResults,
			Usage: "outputs.json too"},
	}
}
