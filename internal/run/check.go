package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// check refuses options that cannot work, all of them at once.
func (o *Options) check() error {
	var problems []error
	report := func(bad bool, format string, arguments ...any) {
		if bad {
			problems = append(problems, fmt.Errorf(format, arguments...))
		}
	}
	oneOf := func(flag, value string, allowed ...string) {
		report(!slices.Contains(allowed, value), "--%s is %q: expected one of %s", flag, value, strings.Join(allowed, ", "))
	}
	report(o.Bundle == "", "no bundle: give --bundle FILE, made by agentx-prep build --input-file TRACES -o FILE")
	report(len(o.Server.Models) == 0, "no model: give --model NAME as the server knows it")
	report(len(o.Server.URLs) == 0, "no server: give --url URL")
	load := &o.Load
	report(load.Concurrency < 1, "--concurrency is %d: expected 1 or more", load.Concurrency)
	report(load.StartMinRatio < 0 || load.StartMaxRatio > 1, "--trajectory-start-min-ratio %g and -max-ratio %g: expected 0 to 1", load.StartMinRatio, load.StartMaxRatio)
	report(load.Duration == 0, "--benchmark-duration is 0: expected more than 0 seconds")
	report(o.Server.RequestTimeout <= 0, "--request-timeout-seconds is %g: expected more than 0", o.Server.RequestTimeout)
	report(o.Server.Endpoint != "" && !strings.HasPrefix(o.Server.Endpoint, "/"), "--endpoint is %q: expected a path that starts with /", o.Server.Endpoint)
	report(load.CacheWarmup >= 0 && load.WarmupPerLane > 0, "--agentic-cache-warmup-duration and --warmup-requests-per-lane exclude each other: give one")
	report(load.OverflowBackoff < 0, "--overflow-backoff is %g: expected 0 or more seconds", load.OverflowBackoff)
	report(load.FailedThreshold > 1, "--failed-request-threshold is %g: expected 0 to 1", load.FailedThreshold)
	report(len(o.BenchmarkID) != 0 && len(o.BenchmarkID) != 32, "--benchmark-id is %q: expected 32 hex digits", o.BenchmarkID)
	oneOf("cache-bust", load.CacheBust, "none", "first_turn_prefix", "first_turn_suffix", "system_prefix", "system_suffix")
	oneOf("dataset-sampling-strategy", load.Sampler, "sequential", "shuffle", "random")
	oneOf("join-policy", load.JoinPolicy, "max", "immediate")
	oneOf("spawn-policy", load.SpawnPolicy, "recorded", "immediate")
	oneOf("handoff-clock", load.HandoffClock, "auto", "dataset", "delay")
	oneOf("dag-fail-fast", load.FailFast, "off", "tree", "run")
	oneOf("connection-reuse-strategy", o.Server.Reuse, "pooled", "never", "sticky-user-sessions")
	oneOf("url-scope", o.Server.URLScope, "session", "tree")
	oneOf("ip-version", o.Server.IPVersion, "auto", "4", "6")
	return errors.Join(problems...)
}
