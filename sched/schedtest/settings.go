package schedtest

import (
	"fmt"
	"math"
	"strconv"

	"agentx/sched"
)

// defaults are the settings of a script that says nothing: one lane, t* = 0, no caps, a long run.
func defaults() sched.Config {
	c := sched.DefaultConfig()
	c.BenchmarkID = "bench1"
	c.CacheBust = sched.CacheBustFirstTurnPrefix
	c.StartAtMs = []float64{0}
	c.StartMinRatio, c.StartMaxRatio = 0, 1
	c.DurationNs, c.GraceNs = ptr(1000_000_000_000), ptr(30_000_000_000)
	return c
}

func ptr(ns int64) *int64 { return &ns }

// nanos reads seconds.
func nanos(text string) (int64, error) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return int64(math.Round(seconds * 1e9)), nil
}

// set reads a setting: names of durations, counts and words are below.
func (s *Script) set(name string, values []string) error {
	c := &s.Config
	value := values[0]
	durations := map[string]**int64{
		"duration": &c.DurationNs, "grace": &c.GraceNs, "cap": &c.SystemIdleCapNs, "S": &c.TraceIdleCapNs,
		"warmup-grace": &c.WarmupGraceNs, "cache-warmup": &c.CacheWarmupNs,
	}
	if target, known := durations[name]; known {
		if value == "none" {
			*target = nil
			return nil
		}
		ns, err := nanos(value)
		*target = &ns
		return err
	}
	switch name {
	case "t*":
		return s.setStarts(values)
	case "backoff", "ramp":
		ns, err := nanos(value)
		if name == "ramp" {
			c.RampNs = ns
		} else {
			c.OverflowBackoffNs = ns
		}
		return err
	case "min-ratio", "max-ratio", "threshold":
		return s.setRatio(name, value)
	case "sampler":
		c.Sampler = sched.Sampler(value)
	case "cache-bust":
		c.CacheBust = sched.CacheBust(value)
	case "clock":
		c.HandoffClock = sched.HandoffClock(value)
	case "join":
		c.JoinPolicy = sched.JoinPolicy(value)
	case "spawn":
		c.SpawnPolicy = sched.SpawnPolicy(value)
	case "fail-fast":
		c.FailFast = sched.FailFast(value)
	case "url-scope":
		c.URLScope = sched.URLScope(value)
	case "burst", "wrap":
		if name == "burst" {
			c.BurstPhaseStarts = value == "on"
		} else {
			c.AllowWrap = value == "on"
		}
	default:
		return s.setCount(name, value)
	}
	return nil
}

func (s *Script) setStarts(values []string) error {
	s.Config.StartAtMs = nil
	if values[0] == "drawn" {
		return nil
	}
	for _, value := range values {
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return err
		}
		s.Config.StartAtMs = append(s.Config.StartAtMs, seconds*1000)
	}
	return nil
}

func (s *Script) setRatio(name, value string) error {
	ratio, err := strconv.ParseFloat(value, 64)
	switch name {
	case "min-ratio":
		s.Config.StartMinRatio = ratio
	case "max-ratio":
		s.Config.StartMaxRatio = ratio
	default:
		s.Config.FailedRequestThreshold = &ratio
	}
	return err
}

func (s *Script) setCount(name, value string) error {
	count, err := strconv.Atoi(value)
	c := &s.Config
	switch name {
	case "lanes":
		c.Concurrency = count
	case "seed":
		c.Seed = uint64(count)
	case "requests":
		c.RequestCount = int64(count)
	case "sessions":
		c.NumSessions = int64(count)
	case "prefill":
		c.PrefillLimit = count
	case "R":
		c.WarmupRequestsPerLane = count
	case "urls":
		c.URLCount = count
	default:
		return fmt.Errorf("no setting %q", name)
	}
	return err
}
