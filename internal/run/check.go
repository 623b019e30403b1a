package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"agentx/internal/measure"
	"agentx/internal/scenario"
	"agentx/wire"
)

// problems collects what is wrong with options, so that the user hears of all of it at once.
type problems struct{ list []error }

func (p *problems) when(bad bool, format string, arguments ...any) {
	if bad {
		p.list = append(p.list, fmt.Errorf(format, arguments...))
	}
}

func (p *problems) oneOf(flag, value string, allowed ...string) {
	p.when(!slices.Contains(allowed, value), "--%s is %q: expected one of %s", flag, value, strings.Join(allowed, ", "))
}

// Check refuses options that cannot work, all of them at once. What a scenario fills in is checked when
// it is known.
func (o *Options) Check() error {
	var p problems
	o.checkRun(&p)
	o.checkServer(&p)
	o.checkLoad(&p)
	o.checkSeries(&p)
	o.checkSeconds(&p)
	return errors.Join(p.list...)
}

// complaints is everything that is wrong with a command line, nil where nothing is: who has to change it wants to change
// it once, so where something is wrong the bundle and the scenario are asked too.
func (o *Options) complaints(ctx context.Context) error {
	found := append(slices.Clone(o.Refused), o.Check())
	if errors.Join(found...) == nil {
		return nil
	}
	if o.Wish.Check() == nil && (o.Scenario == "" || scenario.Known(o.Scenario)) {
		recording, err := o.open(ctx)
		if recording != nil {
			recording.close()
		}
		found = append(found, err)
	}
	if o.Instead != "" {
		found = append(found, fmt.Errorf("without what is not of agentx-run the line is\n  %s", o.Instead))
	}
	return errors.Join(found...)
}

func (o *Options) checkRun(p *problems) {
	p.when(len(o.BenchmarkID) != 0 && len(o.BenchmarkID) != 32, "--benchmark-id is %q: expected 32 hex digits", o.BenchmarkID)
	p.when(o.Scenario != "" && !scenario.Known(o.Scenario), "unknown scenario %q: expected one of %s", o.Scenario, strings.Join(scenario.Names(), ", "))
	p.oneOf("export-level", o.ExportLevel, "summary", "records", "raw")
	p.when(strings.ContainsAny(o.ExportPrefix, `/\`), "--profile-export-prefix is %q: expected a name, not a path; --artifact-dir says where the files go", o.ExportPrefix)
	objectives, err := measure.ParseObjectives(strings.Join(o.Results.Goodput, " "))
	p.when(err != nil, "--goodput: %w", err)
	for _, objective := range objectives {
		p.when(!o.Server.Streaming && o.Scenario == "" && objective.Streamed(), "--goodput %s: only streamed answers have it; leave --no-streaming out, or take request_latency", objective.Tag)
	}
	p.when(o.Results.SliceDuration == 0, "--slice-duration is 0: expected more than 0 seconds")
	for _, label := range o.Labels {
		name, _, found := strings.Cut(label, "=")
		p.when(!found || name == "", "--label %q: expected key=value", label)
	}
	err = o.Simulate.check(o.Explicit)
	p.when(err != nil, "%w", err)
	err = o.Wish.Check()
	p.when(err != nil, "%w", err)
}

func (o *Options) checkServer(p *problems) {
	server := &o.Server
	p.when(len(server.Models) == 0, "no model: give --model NAME as the server knows it")
	p.when(len(server.URLs) == 0, "no server: give --url URL")
	for _, url := range server.URLs {
		_, err := wire.ParseEndpoint(url, nil)
		p.when(err != nil, "--url: %w", err)
	}
	p.when(server.RequestTimeout <= 0, "--request-timeout-seconds is %g: expected more than 0", server.RequestTimeout)
	p.when(server.Endpoint != "" && !strings.HasPrefix(server.Endpoint, "/"), "--endpoint is %q: expected a path that starts with /", server.Endpoint)
	p.when(server.CancellationRate > 100, "--request-cancellation-rate is %g: expected 0 to 100 percent", server.CancellationRate)
	p.when(server.NoMetrics && len(server.MetricsURLs) > 0, "--no-server-metrics and --server-metrics exclude each other: give one")
	p.when(server.NetworkLatencyAuto && server.NetworkLatencyMean >= 0, "--network-latency-automatic and --network-latency-mean exclude each other: give one")
	o.checkExtraInputs(p)
	p.oneOf("connection-reuse-strategy", server.Reuse, "pooled", "never", "sticky-user-sessions")
	p.oneOf("http-version", server.HTTPVersion, "1.1", "2")
	p.oneOf("url-scope", server.URLScope, "session", "tree")
	p.oneOf("ip-version", server.IPVersion, "auto", "4", "6")
	p.oneOf("wait-for-model-mode", server.WaitMode, "inference", "models", "both")
}

// checkExtraInputs refuses body fields that would make the run another than the one that is measured.
func (o *Options) checkExtraInputs(p *problems) {
	fields, err := wire.ParseFields(o.Server.ExtraInputs)
	p.when(err != nil, "--extra-inputs: %w", err)
	for _, field := range fields {
		p.when(field.Key == "messages", "--extra-inputs messages: it would take the place of every conversation, and nothing would be replayed: leave it out")
		p.when(field.Key == "stream", "--extra-inputs stream: leave it out; --no-streaming asks for answers in one piece")
	}
}

func (o *Options) checkLoad(p *problems) {
	load := &o.Load
	for _, concurrency := range o.points() {
		p.when(concurrency < 1, "--concurrency is %d: expected 1 or more", concurrency)
		p.when(load.Prefill > concurrency, "--prefill-concurrency is %d: expected at most --concurrency, which is %d", load.Prefill, concurrency)
	}
	p.when(load.StartMinRatio > 1 || load.StartMaxRatio > 1 || load.StartMinRatio > load.StartMaxRatio,
		"--trajectory-start-min-ratio is %g and -max-ratio %g: expected 0 to 1, the least first", load.StartMinRatio, load.StartMaxRatio)
	p.when(load.Duration == 0, "--benchmark-duration is 0: expected more than 0 seconds")
	p.when(load.RequestCount == 0, "--request-count is 0: expected 1 or more")
	p.when(load.NumSessions == 0, "--num-sessions is 0: expected 1 or more")
	p.when(load.CacheWarmup == 0, "--agentic-cache-warmup-duration is 0: expected more than 0 seconds")
	p.when(load.CacheWarmup >= 0 && load.WarmupPerLane > 0, "--agentic-cache-warmup-duration and --warmup-requests-per-lane exclude each other: give one")
	p.when(load.FailedThreshold > 1, "--failed-request-threshold is %g: expected 0 to 1", load.FailedThreshold)
	p.oneOf("cache-bust", load.CacheBust, "none", "first_turn_prefix", "first_turn_suffix", "system_prefix", "system_suffix")
	p.oneOf("dataset-sampling-strategy", load.Sampler, "sequential", "shuffle", "random")
	p.oneOf("join-policy", load.JoinPolicy, "max", "immediate")
	p.oneOf("spawn-policy", load.SpawnPolicy, "recorded", "immediate")
	p.oneOf("handoff-clock", load.HandoffClock, "auto", "dataset", "delay")
	p.oneOf("dag-fail-fast", load.FailFast, "off", "tree", "run")
}

// maxSeconds is the longest time that a flag may name: 30 days. More would not end in anybody's lifetime of
// a benchmark, and the far end of the range does not fit nanoseconds.
const maxSeconds = 30 * 86400

// checkSeconds bounds the times. Where unset stands for a negative number, the parser has refused others.
func (o *Options) checkSeconds(p *problems) {
	server, load := &o.Server, &o.Load
	grace := load.Grace
	if math.IsInf(grace, 1) {
		grace = 0 // wait for ever, in words
	}
	for _, flag := range []struct {
		name    string
		seconds float64
	}{
		{"benchmark-duration", load.Duration}, {"benchmark-grace-period", grace}, {"concurrency-ramp-duration", load.Ramp},
		{"system-idle-gap-cap-seconds", load.SystemIdleCap}, {"trace-idle-gap-cap-seconds", load.TraceIdleCap},
		{"agentic-cache-warmup-duration", load.CacheWarmup}, {"agentic-warmup-grace-period", load.WarmupGrace},
		{"overflow-backoff", load.OverflowBackoff}, {"slice-duration", o.Results.SliceDuration}, {"stats-interval", o.StatsInterval},
		{"request-timeout-seconds", server.RequestTimeout}, {"connect-timeout-seconds", server.ConnectTimeout},
		{"first-byte-timeout-seconds", server.FirstByteTimeout}, {"idle-timeout-seconds", server.IdleTimeout},
		{"finish-grace-seconds", server.FinishGrace}, {"wait-for-model-timeout", server.WaitTimeout},
		{"wait-for-model-interval", server.WaitInterval}, {"request-cancellation-delay", server.CancellationDelay},
	} {
		p.when(!(flag.seconds <= maxSeconds), "--%s is %g: expected at most %d seconds (30 days)", flag.name, flag.seconds, maxSeconds)
	}
	p.when(o.Results.SliceDuration > 0 && o.Results.SliceDuration < minSlice, "--slice-duration is %g: expected %g seconds or more", o.Results.SliceDuration, minSlice)
	p.when(load.StartAtMs < 0, "--trajectory-start-at is %g: expected 0 or more milliseconds", load.StartAtMs)
	p.when(load.Prefill == 0, "--prefill-concurrency is 0: expected 1 or more")
}

// minSlice keeps the number of time slices within what a reader can use.
const minSlice = 0.01

// maxRuns and maxCooldown are the peer's limits (spec scheduling 10).
const (
	maxRuns     = 10
	maxCooldown = 86400
)

func (o *Options) checkSeries(p *problems) {
	series := &o.Series
	p.when(series.Runs < 1 || series.Runs > maxRuns, "--num-profile-runs is %d: expected 1 to %d", series.Runs, maxRuns)
	p.when(series.Cooldown > maxCooldown, "--profile-run-cooldown-seconds is %g: expected 0 to %d", series.Cooldown, maxCooldown)
	p.when(series.PointCooldown > maxCooldown, "--parameter-sweep-cooldown-seconds is %g: expected 0 to %d", series.PointCooldown, maxCooldown)
	p.when(series.Confidence <= 0 || series.Confidence >= 1, "--confidence-level is %g: expected between 0 and 1", series.Confidence)
	if rule := series.rule(); rule != nil {
		p.oneOf("convergence-mode", series.ConvergenceMode, modes()...)
		err := rule.Check()
		p.when(err != nil, "--convergence-metric: %w", err)
		p.when(rule.Threshold <= 0 || rule.Threshold > 1, "--convergence-threshold is %g: expected more than 0, at most 1", rule.Threshold)
		p.when(series.Runs < measure.ConvergenceMinimum, "--convergence-metric needs --num-profile-runs of %d or more: it is the most that are made, and fewer say nothing", measure.ConvergenceMinimum)
	}
	points := o.points()
	for i, concurrency := range points {
		p.when(slices.Contains(points[:i], concurrency), "--concurrency has %d twice", concurrency)
	}
}

// rule says when repetitions agree; nil where all of them are made.
func (s *SeriesOptions) rule() *measure.ConvergenceRule {
	if s.ConvergenceMetric == "" {
		return nil
	}
	rule := &measure.ConvergenceRule{
		Tag: s.ConvergenceMetric, Statistic: s.ConvergenceStat, Mode: measure.ConvergenceMode(s.ConvergenceMode), Threshold: s.ConvergenceThreshold,
	}
	if rule.Threshold == unset {
		rule.Threshold = rule.Mode.DefaultThreshold()
	}
	return rule
}

func modes() []string {
	var words []string
	for _, mode := range measure.ConvergenceModes() {
		words = append(words, string(mode))
	}
	return words
}

// points are the concurrencies of the series, one where there is no list.
func (o *Options) points() []int {
	if len(o.Series.Concurrencies) > 0 {
		return o.Series.Concurrencies
	}
	return []int{o.Load.Concurrency}
}
