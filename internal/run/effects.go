package run

import (
	"math"
	"strings"

	"agentx/corpus/bundle"
	"agentx/wire"
)

// effect says when a flag that was given does nothing, and which setting is to blame. A flag that is
// silently without effect makes two runs equal that their user believes to be different.
type effect struct {
	flag  string
	blame string
	when  bool
}

// noteEffects tells of flags that have no effect beside the others, naming both.
func (o *Options) noteEffects(recipe *bundle.Recipe) {
	for _, effect := range o.effects(recipe) {
		if effect.when && o.given(effect.flag) {
			o.note("warning", "flag_without_effect", "--"+effect.flag+" has no effect with "+effect.blame)
		}
	}
	o.noteExtraInputs()
	if o.Scenario != "" {
		for _, flag := range []string{"request-count", "num-sessions"} {
			if o.given(flag) {
				o.note("warning", "early_stop", "--"+flag+" may end the run before 95 % of its duration; scenario "+o.Scenario+" then counts it as invalid (insufficient_profile_metric_coverage)")
			}
		}
	}
	if several := o.Series.Runs > 1 || len(o.points()) > 1; several && o.Load.CacheBust == "none" && !o.Server.ResetKVCache && !o.Simulate.On {
		o.note("warning", "warm_cache", "the runs after the first find their prompts in the server's cache: --cache-bust none and no --reset-kv-cache; what they measure is a warm cache")
	}
}

// noteExtraInputs warns of body fields that overwrite what the recording and the flags say.
func (o *Options) noteExtraInputs() {
	fields, err := wire.ParseFields(o.Server.ExtraInputs)
	if err != nil {
		return // refused before
	}
	for _, field := range fields {
		switch field.Key {
		case "model", "max_tokens", "max_completion_tokens", "stream_options":
			o.note("warning", "extra_inputs", "--extra-inputs "+field.Key+" overwrites that field of every request")
		}
	}
}

func (o *Options) effects(recipe *bundle.Recipe) []effect {
	list := o.loadEffects(recipe)
	list = append(list, o.serverEffects()...)
	list = append(list, o.simulatedEffects()...)
	return append(list, o.seriesEffects()...)
}

func (o *Options) loadEffects(recipe *bundle.Recipe) []effect {
	load := &o.Load
	noPressure := load.CacheWarmup < 0 && load.WarmupPerLane < 0
	return []effect{
		{"trace-idle-gap-cap-seconds", "a bundle that was built with --ignore-trace-delays: it has no pauses", recipe.Options.IgnoreTraceDelays},
		{"system-idle-gap-cap-seconds", "a bundle that was built with --ignore-trace-delays: it has no pauses", recipe.Options.IgnoreTraceDelays},
		{"use-think-time-only", "a bundle that was built with --ignore-trace-delays", recipe.Options.IgnoreTraceDelays},
		{"allow-dataset-wrap", "--cache-bust " + load.CacheBust + ", which allows it anyway", load.CacheBust != "none"},
		{"handoff-clock", "neither --agentic-cache-warmup-duration nor --warmup-requests-per-lane", noPressure},
		{"trajectory-start-min-ratio", "--trajectory-start-at, for the first tree of each lane", !math.IsNaN(load.StartAtMs)},
		{"trajectory-start-max-ratio", "--trajectory-start-at, for the first tree of each lane", !math.IsNaN(load.StartAtMs)},
	}
}

func (o *Options) serverEffects() []effect {
	server := &o.Server
	plain := true
	for _, url := range server.URLs {
		plain = plain && !strings.HasPrefix(strings.ToLower(url), "https://")
	}
	return []effect{
		{"url-scope", "one --url", len(server.URLs) == 1},
		{"tls-skip-verify", "URLs that are not https", plain},
		{"ca-file", "URLs that are not https", plain},
		{"request-cancellation-delay", "no --request-cancellation-rate", server.CancellationRate <= 0},
		{"wait-for-model-interval", "no --wait-for-model-timeout", server.WaitTimeout <= 0},
		{"wait-for-model-mode", "no --wait-for-model-timeout", server.WaitTimeout <= 0},
		{"network-latency-ping-interval", "no --network-latency-automatic", !server.NetworkLatencyAuto},
		{"server-metrics-interval", "--no-server-metrics", server.NoMetrics},
		{"finish-grace-seconds", "--no-streaming", !server.Streaming},
		{"export-http-trace", "--export-level summary", o.ExportLevel == "summary"},
		{"log-dir", "--dry-run", o.DryRun},
		{"apply-chat-template", "--use-server-token-count", o.Results.UseServerTokens},
	}
}

func (o *Options) seriesEffects() []effect {
	series := &o.Series
	single, onePoint := series.Runs == 1, len(o.points()) == 1
	noPressure := o.Load.CacheWarmup < 0 && o.Load.WarmupPerLane < 0
	return []effect{
		{"profile-run-cooldown-seconds", "--num-profile-runs 1", single},
		{"vary-seed-per-trial", "--num-profile-runs 1 and no seed", single && o.Seed < 0},
		{"confidence-level", "--num-profile-runs 1", single},
		{"convergence-stat", "no --convergence-metric", series.ConvergenceMetric == ""},
		{"convergence-mode", "no --convergence-metric", series.ConvergenceMetric == ""},
		{"convergence-threshold", "no --convergence-metric", series.ConvergenceMetric == ""},
		{"profile-run-disable-warmup-after-first", "--num-profile-runs 1", single},
		{"profile-run-disable-warmup-after-first", "no --agentic-cache-warmup-duration or --warmup-requests-per-lane: the primers are always sent", !single && noPressure},
		{"parameter-sweep-cooldown-seconds", "one --concurrency", onePoint},
		{"parameter-sweep-same-seed", "one --concurrency", onePoint},
		{"parameter-sweep-mode", "one --concurrency or --num-profile-runs 1", onePoint || single},
		{"set-consistent-seed", "--random-seed", o.given("random-seed")},
	}
}

// simulatedEffects: a simulated run opens no connection.
func (o *Options) simulatedEffects() []effect {
	var list []effect
	for _, flag := range []string{
		"api-key", "api-key-file", "header", "endpoint", "request-timeout-seconds", "connect-timeout-seconds", "first-byte-timeout-seconds",
		"idle-timeout-seconds", "finish-grace-seconds", "request-cancellation-rate", "wait-for-model-timeout", "reset-kv-cache", "server-profiler",
		"server-metrics", "connection-reuse-strategy", "http-version", "proxy", "ip-version", "network-latency-automatic", "tree-affinity-header", "session-header", "apply-chat-template",
	} {
		list = append(list, effect{flag, "--simulate: nothing is sent", o.Simulate.On})
	}
	return list
}
