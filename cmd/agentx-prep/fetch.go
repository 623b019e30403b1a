package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"agentx/internal/buildinfo"
	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/prep"
)

// userAgent is how this program names itself to a hub.
func userAgent() string { return "agentx/" + buildinfo.Version() }

const fetchDescription = "Brings a recording, a tokenizer or both from a HuggingFace-compatible hub into a folder (a mirror), with a record of the\n" +
	"commit and of every file's digest as the hub states it. Carry the folder to a host without network and build there with\n" +
	"--mirror DIR. What is there already, or in the HuggingFace cache, is not downloaded again; an interrupted download goes on\n" +
	"where it stopped. HF_ENDPOINT, HF_TOKEN, HF_TOKEN_PATH, HF_HUB_OFFLINE, HF_HOME and HF_HUB_CACHE are honoured."

func fetchCommand() *cli.Command {
	options := prep.FetchOptions{Agent: userAgent()}
	var quiet bool
	return &cli.Command{
		Name: "fetch", Usage: "bring a recording or a tokenizer from a hub, for builds on hosts without network", OnUsageError: usageError,
		ArgsUsage: "ALIAS|OWNER/NAME[@REVISION]", Description: fetchDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "mirror folder", DefaultText: "hub in the cache, where builds look by themselves", Destination: &options.Output},
			&cli.StringFlag{Name: "tokenizer", Usage: "also, or only, the tokenizer of this model: OWNER/NAME[@REVISION]", Destination: &options.Tokenizer},
			&cli.StringFlag{Name: "tokenizer-revision", Usage: "its branch, tag or commit", DefaultText: "main", Destination: &options.TokenizerRevision},
			&cli.StringFlag{Name: "hf-subset", Usage: "subset (configuration) of the data set", DefaultText: "its default one", Destination: &options.Subset},
			&cli.StringFlag{Name: "cache-dir", Usage: "folder of the cache", DefaultText: "agentx in the user's cache folder", Sources: env("CACHE_DIR"), Destination: &options.CacheDir},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing but errors", Destination: &quiet},
		},
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Args().Len() > 1 {
				return exit.With(exit.Usage, fmt.Errorf("expected one data set, found %d arguments; flags go before it", command.Args().Len()))
			}
			if err := flags.RefuseEmpty(command); err != nil {
				return exit.With(exit.Usage, err)
			}
			if options.DataSet = command.Args().First(); options.DataSet == "" && options.Tokenizer == "" {
				return exit.With(exit.Usage, errors.New("fetch what? give ALIAS or OWNER/NAME of a data set, or --tokenizer OWNER/NAME"))
			}
			show := printerOf(command, quiet)
			out := command.Root().Writer
			if quiet {
				out = io.Discard
			}
			err := prep.Fetch(ctx, out, options, show)
			show.Close()
			return err
		},
	}
}

// hubFlags are those of a build that reads a recording or a tokenizer from a hub.
func hubFlags(g *given) []cli.Flag {
	o := &g.options
	return []cli.Flag{
		&cli.StringFlag{Category: categoryInput, Name: "public-dataset", Usage: "a public recording by its alias (ALIAS or ALIAS@REVISION), fetched unless --mirror or a cache has it", Destination: &g.public},
		&cli.StringFlag{Category: categoryInput, Name: "hf-weka-dataset", Usage: "a recording in a hub repository: OWNER/NAME[@REVISION]", Destination: &g.repository},
		&cli.StringFlag{Category: categoryInput, Name: "hf-subset", Usage: "subset (configuration) of it", DefaultText: "its default one", Destination: &g.subset},
		&cli.StringFlag{Category: categoryInput, Name: "mirror", Usage: "folder that agentx-prep fetch has filled, for hosts without network", Destination: &o.Mirror},
		&cli.StringFlag{Category: categoryInput, Name: "tokenizer-revision", Usage: "branch, tag or commit of the --tokenizer repository", DefaultText: "main", Destination: &o.TokenizerRevision},
	}
}

// settleHub says what the flags of a hub mean for a build.
func (g *given) settleHub() error {
	set, err := prep.ChooseDataSet(g.public, g.repository, g.subset)
	if err != nil {
		return err
	}
	g.options.DataSet, g.options.Agent = set, userAgent()
	if g.options.Mirror != "" && set == nil && g.options.Tokenizer == "" {
		return errors.New("--mirror needs what to take from it: --public-dataset, --hf-weka-dataset or --tokenizer OWNER/NAME")
	}
	return nil
}
