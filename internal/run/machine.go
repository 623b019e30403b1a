package run

import (
	"math"

	"agentx/sched"
)

// machineConfig turns the user's options into the replay machine's. Without any stop it
// plays every trace once (spec decision 17).
func machineConfig(o *Options, seed uint64, benchmarkID string) sched.Config {
	load := &o.Load
	config := sched.Config{
		Concurrency:            load.Concurrency,
		Seed:                   seed,
		BenchmarkID:            benchmarkID,
		StartMinRatio:          load.StartMinRatio,
		StartMaxRatio:          load.StartMaxRatio,
		Sampler:                sched.Sampler(load.Sampler),
		AllowWrap:              load.AllowWrap,
		CacheBust:              sched.CacheBust(load.CacheBust),
		SystemIdleCapNs:        optionalNs(load.SystemIdleCap),
		TraceIdleCapNs:         optionalNs(load.TraceIdleCap),
		BurstPhaseStarts:       load.Burst,
		RampNs:                 nanoseconds(max(load.Ramp, 0)),
		PrefillLimit:           max(load.Prefill, 0),
		DurationNs:             optionalNs(load.Duration),
		RequestCount:           max(load.RequestCount, 0),
		NumSessions:            max(load.NumSessions, 0),
		WarmupGraceNs:          optionalNs(load.WarmupGrace),
		CacheWarmupNs:          optionalNs(load.CacheWarmup),
		WarmupRequestsPerLane:  max(load.WarmupPerLane, 0),
		JoinPolicy:             sched.JoinPolicy(load.JoinPolicy),
		SpawnPolicy:            sched.SpawnPolicy(load.SpawnPolicy),
		FailFast:               sched.FailFast(load.FailFast),
		OverflowBackoffNs:      nanoseconds(load.OverflowBackoff),
		FailedRequestThreshold: optional(load.FailedThreshold),
		URLCount:               len(o.Server.URLs),
		URLScope:               sched.URLPerStream,
	}
	if load.HandoffClock != "auto" {
		config.HandoffClock = sched.HandoffClock(load.HandoffClock)
	}
	if o.Server.URLScope == "tree" {
		config.URLScope = sched.URLPerTree
	}
	if !math.IsNaN(load.StartAtMs) {
		config.StartAtMs = []float64{load.StartAtMs}
	}
	if !math.IsInf(load.Grace, 1) {
		config.GraceNs = optionalNs(load.Grace)
	}
	return config
}

// everyRootOnce says that no stop was given.
func everyRootOnce(load *LoadOptions) bool {
	return load.Duration < 0 && load.RequestCount < 0 && load.NumSessions < 0
}

func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// optionalNs is nil for a negative number of seconds, which means unset.
func optionalNs(seconds float64) *int64 {
	if seconds < 0 {
		return nil
	}
	ns := nanoseconds(seconds)
	return &ns
}

func optional(value float64) *float64 {
	if value < 0 {
		return nil
	}
	return &value
}
