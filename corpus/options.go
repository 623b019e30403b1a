package corpus

import (
	"errors"
	"fmt"
	"math"
)

// TimeBasis says from where the times of a subagent's requests count.
type TimeBasis string

// The time bases. BasisAuto decides by evidence (spec decision 6).
const (
	BasisAuto     TimeBasis = "auto"
	BasisRelative TimeBasis = "relative" // from the subagent's own marker
	BasisAbsolute TimeBasis = "absolute" // from the start of the trace
)

// AdjacentRoles says what becomes of neighbouring messages with the same role (spec decision 33).
type AdjacentRoles string

// The treatments of equal neighbours.
const (
	AdjacentKeep  AdjacentRoles = "keep"
	AdjacentMerge AdjacentRoles = "merge" // one message, the texts joined by one blank
)

// Options are all settings that change which plans a corpus gives. They are part of a bundle's key:
// encoding/json writes them in the order of the fields, always all of them. Limits are unset at 0,
// pointers at nil. DefaultOptions gives the peer's values.
type Options struct {
	// Chain detection (spec reconstruction 3 and 10).
	SplitFlattenedAgents bool    `json:"split_flattened_agents"`
	NoPreamble           bool    `json:"no_preamble"`
	SeamMaxGapSeconds    float64 `json:"seam_max_gap_seconds"`
	SeamMinOverlapRatio  float64 `json:"seam_min_overlap_ratio"`
	AuxMaxRequests       int     `json:"aux_max_requests"`
	AuxISLRatio          float64 `json:"aux_isl_ratio"`
	AuxISLFloor          int64   `json:"aux_isl_floor"`
	AuxCrossModel        bool    `json:"aux_cross_model"`
	AuxReductionOSLMax   int64   `json:"aux_reduction_osl_max"`
	AuxReductionRatio    float64 `json:"aux_reduction_ratio"`
	WorkerGroupMin       int     `json:"worker_group_min"`

	// Times (spec reconstruction 4.5, decision 6).
	NestedTimestamps         TimeBasis `json:"nested_timestamps"`
	ThinkTimeOnly            bool      `json:"think_time_only"`
	IgnoreTraceDelays        bool      `json:"ignore_trace_delays"`
	InterTurnDelayCapSeconds *float64  `json:"inter_turn_delay_cap_seconds"`

	// Filters and caps (spec reconstruction 2 and 8, decision 7 Q-18).
	MaxContextLength  int64    `json:"max_context_length"`  // tokens; traces with a greater peak are dropped
	NumDatasetEntries int      `json:"num_dataset_entries"` // traces kept, after the filters
	MaxISL            int64    `json:"max_isl"`             // tokens; traces with a longer input are dropped
	MaxOSL            int64    `json:"max_osl"`             // tokens; caps the output limit of root and flat turns
	ScheduleStartMs   *float64 `json:"schedule_start_ms"`   // earlier top-level requests are left out
	ScheduleEndMs     *float64 `json:"schedule_end_ms"`     // later top-level requests are left out

	// Composition (spec reconstruction 5).
	BlockSize     int           `json:"block_size"` // tokens; overrides the traces' own
	ToolShaped    bool          `json:"tool_shaped_messages"`
	AdjacentRoles AdjacentRoles `json:"adjacent_roles"`
}

// DefaultOptions are the peer's defaults.
func DefaultOptions() Options {
	return Options{
		SplitFlattenedAgents: true,
		SeamMaxGapSeconds:    3600,
		SeamMinOverlapRatio:  0.5,
		AuxMaxRequests:       1,
		AuxISLRatio:          0.10,
		AuxISLFloor:          16384,
		AuxCrossModel:        true,
		AuxReductionOSLMax:   4000,
		AuxReductionRatio:    20,
		WorkerGroupMin:       3,
		NestedTimestamps:     BasisAuto,
		AdjacentRoles:        AdjacentKeep,
	}
}

// Validate refuses values outside their range (spec reconstruction 10) and settings that exclude each
// other. The error names the field as in JSON.
func (o *Options) Validate() error {
	for _, field := range []struct {
		name  string
		value float64
	}{
		{"seam_max_gap_seconds", o.SeamMaxGapSeconds},
		{"seam_min_overlap_ratio", o.SeamMinOverlapRatio},
		{"aux_max_requests", float64(o.AuxMaxRequests)},
		{"aux_isl_ratio", o.AuxISLRatio},
		{"aux_isl_floor", float64(o.AuxISLFloor)},
		{"aux_reduction_osl_max", float64(o.AuxReductionOSLMax)},
		{"aux_reduction_ratio", o.AuxReductionRatio},
		{"worker_group_min", float64(o.WorkerGroupMin)},
		{"inter_turn_delay_cap_seconds", orZero(o.InterTurnDelayCapSeconds)},
		{"max_context_length", float64(o.MaxContextLength)},
		{"num_dataset_entries", float64(o.NumDatasetEntries)},
		{"max_isl", float64(o.MaxISL)},
		{"max_osl", float64(o.MaxOSL)},
		{"schedule_start_ms", orZero(o.ScheduleStartMs)},
		{"schedule_end_ms", orZero(o.ScheduleEndMs)},
		{"block_size", float64(o.BlockSize)},
	} {
		if !(field.value >= 0) || math.IsInf(field.value, 0) {
			return fmt.Errorf("%s is %v, expected a finite number of at least 0", field.name, field.value)
		}
	}
	if o.SeamMinOverlapRatio > 1 {
		return fmt.Errorf("seam_min_overlap_ratio is %v, expected 0 … 1", o.SeamMinOverlapRatio)
	}
	if o.BlockSize > MaxBlockSize {
		return fmt.Errorf("block_size is %d, expected at most %d", o.BlockSize, MaxBlockSize)
	}
	if o.ThinkTimeOnly && o.IgnoreTraceDelays {
		return errors.New("think_time_only and ignore_trace_delays exclude each other: give one of them")
	}
	switch o.NestedTimestamps {
	case BasisAuto, BasisRelative, BasisAbsolute:
	default:
		return fmt.Errorf("nested_timestamps is %q, expected auto, relative or absolute", o.NestedTimestamps)
	}
	switch o.AdjacentRoles {
	case AdjacentKeep, AdjacentMerge:
	default:
		return fmt.Errorf("adjacent_roles is %q, expected keep or merge", o.AdjacentRoles)
	}
	return nil
}

func orZero(value *float64) float64 {
	if value == nil {
		return 0
	}
	return *value
}
