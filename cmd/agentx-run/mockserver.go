package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"agentx/internal/exit"
	"agentx/internal/flags"
	"agentx/internal/mockserver"
	"agentx/internal/run"

	"github.com/urfave/cli/v3"
)

// mockOptions are the flags that need more than a field of mockserver.Options.
type mockOptions struct {
	server      mockserver.Options
	models      []string
	bundle      string
	addressFile string
	tokenMs     float64
	overheadMs  float64
	quiet       bool
}

func mockServerCommand() *cli.Command {
	o := &mockOptions{}
	return &cli.Command{
		Name:                      "mock-server",
		Usage:                     "serve an OpenAI-compatible chat model that takes time but no accelerator",
		Flags:                     mockFlags(o),
		DisableSliceFlagSeparator: true,
		Action: func(ctx context.Context, command *cli.Command) error {
			if command.Args().Present() {
				return exit.With(exit.Usage, fmt.Errorf("mock-server: unexpected argument %q: it takes flags only", command.Args().First()))
			}
			if err := errors.Join(flags.RefuseEmpty(command), flags.RefuseNegative(command)); err != nil {
				return exit.With(exit.Usage, err)
			}
			return serveMock(ctx, o)
		},
	}
}

func mockFlags(o *mockOptions) []cli.Flag {
	model := &o.server.Server
	return []cli.Flag{
		&cli.StringFlag{Name: "host", Value: "127.0.0.1", Destination: &o.server.Host, Usage: "address to listen on"},
		&cli.IntFlag{Name: "port", Value: 8000, Destination: &o.server.Port, Usage: "port to listen on; 0 takes a free one"},
		&cli.StringFlag{Name: "address-file", Destination: &o.addressFile, Usage: "file to write the server's URL to, once it listens"},
		&cli.StringSliceFlag{Name: "model", Aliases: []string{"m"}, Destination: &o.models, Usage: "served model; others get a 404 (default: every name is accepted)"},
		&cli.StringFlag{Name: "bundle", Destination: &o.bundle, Usage: "bundle whose tokenizer counts the prompts; without it 4 bytes count as a token"},
		&cli.FloatFlag{Name: "prefill-tokens-per-second", Value: 50_000, Destination: &model.PrefillTokensPerSecond, Usage: "rate at which tokens that are not cached are computed"},
		&cli.FloatFlag{Name: "token-ms", Value: 8, Destination: &o.tokenMs, Usage: "time from one output token to the next"},
		&cli.FloatFlag{Name: "overhead-ms", Value: 3, Destination: &o.overheadMs, Usage: "time from admission to the start of prefill"},
		&cli.FloatFlag{Name: "decode-slowdown", Destination: &model.DecodeSlowdown, Usage: "share by which each further decoding request slows all down"},
		&cli.IntFlag{Name: "batch-limit", Destination: &model.BatchLimit, DefaultText: "none", Usage: "most requests that run at once"},
		&cli.Int64Flag{Name: "cache-tokens", Destination: &model.CacheTokens, DefaultText: "unlimited", Usage: "size of the KV cache"},
		&cli.BoolFlag{Name: "no-prefix-cache", Destination: &model.NoPrefixCache, Usage: "compute every prompt whole"},
		&cli.IntFlag{Name: "window-tokens", Destination: &model.WindowTokens, DefaultText: "unlimited", Usage: "context window; longer prompts get an overflow error"},
		&cli.IntFlag{Name: "tokens-per-chunk", Value: 1, Destination: &o.server.TokensPerChunk, Usage: "output tokens in one streamed chunk"},
		&cli.IntFlag{Name: "reasoning-tokens", Destination: &o.server.ReasoningTokens, Usage: "output tokens of each answer that come as reasoning"},
		&cli.FloatFlag{Name: "error-rate", Destination: &model.ErrorRate, Usage: "share of requests that are refused"},
		&cli.FloatFlag{Name: "abort-rate", Destination: &model.AbortRate, Usage: "share of requests that fail in mid-answer"},
		&cli.Uint64Flag{Name: "seed", Destination: &model.Seed, Usage: "seed of the errors"},
		&cli.StringFlag{Name: "faults", Destination: &o.server.FaultsFile, Usage: "JSON file with faults to order (docs/mock-server.md)"},
		&cli.StringFlag{Name: "record", Destination: &o.server.RecordFile, Usage: "file for what the server truly did, one JSON line a request"},
		&cli.StringFlag{Name: "api-key", Destination: &o.server.APIKey, Sources: cli.EnvVars("AGENTX_MOCK_API_KEY"), Usage: "key that requests must carry"},
		&cli.BoolFlag{Name: "tls", Destination: &o.server.TLS, Usage: "serve TLS with a certificate made for the occasion"},
		&cli.BoolFlag{Name: "http2", Destination: &o.server.HTTP2, Usage: "also accept HTTP/2"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.quiet, Usage: "do not print the address"},
	}
}

func serveMock(ctx context.Context, o *mockOptions) error {
	hide(os.Args, []string{o.server.APIKey})
	options := o.server
	options.Models = flags.CommaList(o.models)
	options.Server.TokenNs = milliseconds(o.tokenMs)
	options.Server.OverheadNs = milliseconds(o.overheadMs)
	if o.bundle != "" {
		counter, err := run.TokenCounter(o.bundle, options.Server.UnitTokens)
		if err != nil {
			return err
		}
		options.Counter = counter
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server, err := mockserver.Start(options)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	err = announce(server, o)
	if err == nil {
		<-ctx.Done()
	}
	return errors.Join(err, server.Shutdown(context.WithoutCancel(ctx)))
}

// announce tells where the server listens.
func announce(server *mockserver.Server, o *mockOptions) error {
	if o.addressFile != "" {
		if err := os.WriteFile(o.addressFile, []byte(server.URL()+"\n"), 0o644); err != nil {
			return fmt.Errorf("writing the server's address: %w", err)
		}
	}
	if !o.quiet {
		fmt.Printf("mock server on %s\n", server.URL())
	}
	return nil
}

func milliseconds(value float64) int64 { return int64(value * float64(time.Millisecond)) }
