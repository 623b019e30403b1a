package sched

import (
	"errors"
	"fmt"
)

// ErrNoTraces is wrapped by the errors of New that say that no trace could be used.
var ErrNoTraces = errors.New("empty trace pool")

// checkConfig refuses settings that cannot work (2.3, 2.4).
func (m *Machine) checkConfig(distinct int) error {
	c := &m.config
	switch {
	case c.Concurrency < 1:
		return fmt.Errorf("concurrency is %d: agentic replay needs --concurrency of at least 1", c.Concurrency)
	case !(c.StartMinRatio <= c.StartMaxRatio):
		return fmt.Errorf("start_min_ratio (%v) must be <= start_max_ratio (%v): correct --trajectory-start-min-ratio or --trajectory-start-max-ratio", c.StartMinRatio, c.StartMaxRatio)
	case distinct == 0:
		return fmt.Errorf("%w: loader produced 0 traces; trajectories cannot be built", ErrNoTraces)
	case c.CacheWarmupNs != nil && c.WarmupRequestsPerLane > 0:
		return errors.New("a cache warmup is bounded by a duration or by requests per lane, not by both: leave out --agentic-cache-warmup-duration or --warmup-requests-per-lane")
	case c.WarmupRequestsPerLane < 0:
		return fmt.Errorf("--warmup-requests-per-lane %d: must be at least 1", c.WarmupRequestsPerLane)
	case len(c.StartAtMs) > 1 && len(c.StartAtMs) != c.Concurrency:
		return fmt.Errorf("%d forced starts for %d lanes: give one, or one per lane", len(c.StartAtMs), c.Concurrency)
	case c.PrefillLimit < 0 || c.RequestCount < 0 || c.NumSessions < 0 || c.RampNs < 0 || c.OverflowBackoffNs < 0:
		return errors.New("limits and durations must not be negative")
	}
	if c.TraceIdleCapNs != nil && *c.TraceIdleCapNs < 0 {
		c.TraceIdleCapNs = nil
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	if c.RequestCount == 0 && c.NumSessions == 0 && c.DurationNs == nil {
		c.NumSessions = int64(distinct) // no stop at all: every root once
		return nil
	}
	return m.checkWrap(distinct)
}

func (c *Config) checkNames() error {
	switch {
	case c.JoinPolicy != JoinMax && c.JoinPolicy != JoinImmediate:
		return fmt.Errorf("unknown join policy %q: use max or immediate", c.JoinPolicy)
	case c.SpawnPolicy != SpawnRecorded && c.SpawnPolicy != SpawnImmediate:
		return fmt.Errorf("unknown spawn policy %q: use recorded or immediate", c.SpawnPolicy)
	case c.FailFast != FailFastOff && c.FailFast != FailFastTree && c.FailFast != FailFastRun:
		return fmt.Errorf("unknown fail-fast mode %q: use off, tree or run", c.FailFast)
	case c.HandoffClock != "" && c.HandoffClock != HandoffDataset && c.HandoffClock != HandoffDelay:
		return fmt.Errorf("unknown handoff clock %q: use dataset or delay", c.HandoffClock)
	case c.URLScope != URLPerStream && c.URLScope != URLPerTree:
		return fmt.Errorf("unknown URL scope %q: use stream or tree", c.URLScope)
	case c.URLCount < 1:
		return fmt.Errorf("%d server URLs: at least one is needed", c.URLCount)
	}
	return c.CacheBust.check()
}

func (b CacheBust) check() error {
	switch b {
	case CacheBustNone, CacheBustFirstTurnPrefix, CacheBustFirstTurnSuffix, CacheBustSystemPrefix,
		CacheBustSystemSuffix, CacheBustWarmupIsolationPrefix, CacheBustWarmupIsolationSuffix:
		return nil
	}
	return fmt.Errorf("unknown cache-bust target %q", b)
}

// mints reports whether every tree gets a marker of its own.
func (b CacheBust) mints() bool {
	switch b {
	case CacheBustFirstTurnPrefix, CacheBustFirstTurnSuffix, CacheBustSystemPrefix, CacheBustSystemSuffix:
		return true
	}
	return false
}

// checkWrap refuses more lanes than traces where that would send the same bytes twice (2.3).
func (m *Machine) checkWrap(distinct int) error {
	c := &m.config
	if c.Concurrency <= distinct || c.AllowWrap || c.CacheBust != CacheBustNone ||
		c.NumSessions > 0 && c.NumSessions <= int64(distinct) {
		return nil
	}
	return fmt.Errorf("concurrency %d exceeds the %d distinct loaded traces while dataset wrapping is disabled: "+
		"lower --concurrency to at most %d, bound the sessions with --num-sessions (at most %d), "+
		"set --cache-bust so that repeated traces differ, or allow it with --allow-dataset-wrap",
		c.Concurrency, distinct, distinct, distinct)
}
