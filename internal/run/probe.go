package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"

	"agentx/internal/exit"
	"agentx/internal/probe"
)

// ProbeOptions are what agentx-run probe is asked for.
type ProbeOptions struct {
	Server       ServerOptions
	Quick        string
	PromptTokens int
	OutputTokens int64
	Timeout      float64 // seconds
	JSON         bool
}

// Probe asks the servers as a run would, and writes what it found. Exit codes: Done; Invalid where
// something that a replay rests on is missing; Failure where a request was not answered; Interrupted.
func Probe(ctx context.Context, o *ProbeOptions, out io.Writer) error {
	all := &Options{Server: o.Server}
	all.Server.forOne(o.Timeout)
	if err := o.check(all); err != nil {
		return exit.With(exit.Usage, err)
	}
	options, err := wireOptions(all, newClock(), 1)
	if err != nil {
		return exit.With(exit.Usage, errors.New(all.masked(err)))
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := probe.Run(ctx, probe.Options{
		Wire: options, Model: o.Server.Models[0], Quick: o.Quick, PromptTokens: o.PromptTokens, OutputTokens: o.OutputTokens,
		Timeout: seconds(o.Timeout), Seed: rand.Uint64(),
	})
	if ctx.Err() != nil {
		return exit.With(exit.Interrupted, errors.New("interrupted"))
	}
	if err != nil {
		return exit.With(exit.Usage, errors.New(all.masked(err)))
	}
	if err := o.write(report, out); err != nil {
		return err
	}
	switch {
	case !report.OK():
		return exit.With(exit.Failure, errors.New("a request was not answered"))
	case !report.Fit():
		return exit.With(exit.Invalid, errors.New("something that a replay rests on is missing: see the lines with no"))
	}
	return nil
}

// forOne fills in what only a load has a choice about.
func (o *ServerOptions) forOne(timeout float64) {
	o.Reuse, o.URLScope, o.WaitMode, o.RequestTimeout, o.NetworkLatencyMean = "never", "session", "inference", timeout, -1
}

func (o *ProbeOptions) check(all *Options) error {
	var p problems
	all.checkServer(&p)
	p.when(len(o.Server.Models) > 1, "--model names %d models: a probe asks one", len(o.Server.Models))
	p.when(o.PromptTokens < 1 || o.PromptTokens > 1_000_000, "--prompt-tokens is %d: expected 1 to 1000000", o.PromptTokens)
	p.when(o.OutputTokens < 2 || o.OutputTokens > 10_000, "--output-tokens is %d: expected 2 to 10000", o.OutputTokens)
	p.when(o.Timeout > maxSeconds, "--request-timeout-seconds is %g: expected at most %d seconds (30 days)", o.Timeout, maxSeconds)
	return errors.Join(p.list...)
}

func (o *ProbeOptions) write(report *probe.Report, out io.Writer) error {
	if !o.JSON {
		return report.WriteText(out)
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(out, "%s\n", text)
	}
	return err
}
