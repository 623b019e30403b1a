package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// The scenarios' names.
const (
	MVP    = "inferencex-agentx-mvp"
	AgentX = "agentx" // its authors' later harness: the same locks, other defaults
)

// Names lists the scenarios, sorted.
func Names() []string { return []string{AgentX, MVP} }

// Limits of the locks (spec scenario 2).
const (
	MinimumSeconds   = 900.0 // of --benchmark-duration
	SystemIdleGapCap = 10.0  // seconds, exactly
	CacheBustTarget  = "first_turn_prefix"
	RequiredCoverage = 0.95 // of the duration, by observations (spec scenario 5)
	OverflowLimit    = 0.01 // of all answered requests, more is invalid (spec scenario 4)
	PinnedRepository = "semianalysisai/cc-traces-weka-062126"
	ExampleAlias     = "semianalysis_cc_traces_weka_062126"
)

// preset is what a scenario fills in where the user says nothing.
type preset struct {
	duration           float64
	minRatio, maxRatio float64
	seed               *int64 // nil: a fresh one
	more               []Injection
}

func presetOf(name string) (preset, error) {
	switch name {
	case MVP:
		return preset{duration: 1800, minRatio: 0, maxRatio: 1}, nil
	case AgentX:
		seed := int64(42)
		return preset{duration: 3600, minRatio: 0.25, maxRatio: 0.75, seed: &seed, more: []Injection{
			{Setting: "failed-request-threshold", Value: 0.10},
			{Setting: "warmup-requests-per-lane", Value: 10, UnlessSet: "agentic-cache-warmup-duration"},
			{Setting: "agentic-warmup-grace-period", Value: 1800.0, UnlessSet: "warmup-grace-period"},
			{Setting: "trace-idle-gap-cap-seconds", Value: 300.0},
			{Setting: "use-server-token-count", Value: true},
			{Setting: "slice-duration", Value: 1.0},
			{Setting: "stats-interval", Value: 30.0},
		}}, nil
	default:
		return preset{}, fmt.Errorf("unknown scenario %q: expected one of %s", name, strings.Join(Names(), ", "))
	}
}

// Known reports whether a scenario of that name exists.
func Known(name string) bool { return slices.Contains(Names(), name) }
