package bundles

import (
	"context"
	"fmt"

	"agentx/corpus"
	"agentx/internal/synth/o200k"
)

const (
	defaultStyle     = "coding"
	defaultTokenizer = o200k.Name
)

// rule holds a bundle against one flag. agrees gives what the bundle has, for the user, and whether that
// comes to the same as the wanted value.
type rule struct {
	flag   string
	option string // name in the recipe's options
	agrees func(ctx context.Context, c *Candidate, wanted any) (found string, agrees bool, err error)
}

// rules are in the order in which flags are printed.
func rules() []rule {
	same := func(flag, option string) rule {
		return rule{flag, option, func(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
			return show(c.options[option]), decoded(wanted) == c.options[option], nil
		}}
	}
	return []rule{
		{"public-dataset", "", publicDataset},
		{"hf-weka-dataset", "", hubDataset},
		{"hf-subset", "", subset},
		{"custom-dataset-type", "", datasetType},
		{"input-file", "", inputFiles},
		{"tokenizer", "", tokenizer},
		{"tokenizer-revision", "", tokenizerRevision},
		{"prompt-corpus", "", promptCorpus},
		{"max-context-length", "max_context_length", contextLength},
		{"num-dataset-entries", "num_dataset_entries", entries},
		{"synthesis-max-isl", "max_isl", longestInput},
		{"synthesis-max-osl", "max_osl", longestOutput},
		{"inter-turn-delay-cap-seconds", "inter_turn_delay_cap_seconds", delayCap},
		{"isl-block-size", "block_size", blockSize},
		same("ignore-trace-delays", "ignore_trace_delays"),
		same("use-think-time-only", "think_time_only"),
		same("tool-shaped-messages", "tool_shaped_messages"),
		same("adjacent-roles", "adjacent_roles"),
		same("nested-timestamps", "nested_timestamps"),
		same("no-preamble", "no_preamble"),
		same("weka-split-flattened-agents", "split_flattened_agents"),
		same("weka-seam-max-gap-seconds", "seam_max_gap_seconds"),
		same("weka-seam-min-overlap-ratio", "seam_min_overlap_ratio"),
		same("weka-aux-max-requests", "aux_max_requests"),
		same("weka-aux-isl-ratio", "aux_isl_ratio"),
		same("weka-aux-isl-floor", "aux_isl_floor"),
		same("weka-aux-cross-model", "aux_cross_model"),
		same("weka-aux-reduction-osl-max", "aux_reduction_osl_max"),
		same("weka-aux-reduction-ratio", "aux_reduction_ratio"),
		same("weka-worker-group-min", "worker_group_min"),
	}
}

// decoded is a value as JSON would read it back.
func decoded(value any) any {
	if number, ok := numeric(value); ok {
		return number
	}
	return value
}

func numeric(value any) (float64, bool) {
	switch value := value.(type) {
	case float64:
		return value, true
	case int:
		return float64(value), true
	case int64:
		return float64(value), true
	}
	return 0, false
}

// limit is one in the recipe; false where there is none.
func (c *Candidate) limit(option string) (float64, bool) {
	value, ok := c.options[option].(float64)
	return value, ok && value > 0
}

func show(value any) string {
	switch value := value.(type) {
	case nil:
		return "none"
	case string:
		if value == "" {
			return "none"
		}
	case float64:
		if value == 0 {
			return "none"
		}
	}
	return fmt.Sprint(value)
}

// contextLength: a filter that leaves out nothing is no filter, and neither is one below it that would
// leave out nothing more.
func contextLength(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	limit, _ := numeric(wanted)
	had, filtered := c.limit("max_context_length")
	peak := float64(c.bundle.Manifest().Totals.PeakContext)
	switch {
	case filtered && had == limit:
		return "", true, nil
	case filtered && limit > had && len(c.bundle.Manifest().Selected.TooLong) > 0:
		return fmt.Sprintf("%.0f, which left out %d traces", had, len(c.bundle.Manifest().Selected.TooLong)), false, nil
	}
	return fmt.Sprintf("%s, and a trace of %.0f tokens", show(c.options["max_context_length"]), peak), peak <= limit, nil
}

// entries: 393 of 393 traces is no cap.
func entries(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	limit, _ := numeric(wanted)
	traces := float64(c.bundle.Manifest().Totals.Traces)
	had, capped := c.limit("num_dataset_entries")
	found := fmt.Sprintf("%.0f traces", traces)
	if capped && had == traces { // it may have cut some off
		return found + " by --num-dataset-entries", limit == had, nil
	}
	return found, limit >= traces, nil
}

func longestInput(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	limit, _ := numeric(wanted)
	had, filtered := c.limit("max_isl")
	if filtered && had == limit {
		return "", true, nil
	}
	if filtered && limit > had && len(c.bundle.Manifest().Selected.OverISL) > 0 {
		return fmt.Sprintf("%.0f, which left out %d traces", had, len(c.bundle.Manifest().Selected.OverISL)), false, nil
	}
	longest := int64(0)
	err := c.turns(func(turn *corpus.Turn) bool { longest = max(longest, turn.In); return true })
	return fmt.Sprintf("%s, and an input of %d tokens", show(c.options["max_isl"]), longest), float64(longest) <= limit, err
}

func longestOutput(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	limit, _ := numeric(wanted)
	had, capped := c.limit("max_osl")
	if capped && had == limit {
		return "", true, nil
	}
	longest := int64(0)
	err := c.turns(func(turn *corpus.Turn) bool { longest = max(longest, turn.MaxOut); return true })
	found := fmt.Sprintf("%s, and an output limit of %d tokens", show(c.options["max_osl"]), longest)
	// Below its own cap a bundle tells what a lower one would cut, not what its own has cut.
	return found, float64(longest) <= limit && !(capped && float64(longest) >= had), err
}

func delayCap(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	limit, _ := numeric(wanted)
	if had, capped := c.options["inter_turn_delay_cap_seconds"].(float64); capped {
		return fmt.Sprintf("%g", had), had == limit, nil
	}
	longest := 0.0
	err := c.turns(func(turn *corpus.Turn) bool {
		if turn.GapMs.Present() {
			longest = max(longest, float64(turn.GapMs)/1000)
		}
		return true
	})
	return fmt.Sprintf("none, and a pause of %g s", longest), longest <= limit, err
}

func blockSize(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	size, _ := numeric(wanted)
	for _, trace := range c.bundle.Manifest().Traces {
		if float64(trace.BlockSize) != size {
			return fmt.Sprintf("a trace of blocks of %d tokens", trace.BlockSize), false, nil
		}
	}
	return "", true, nil
}

func promptCorpus(_ context.Context, c *Candidate, wanted any) (string, bool, error) {
	style := c.bundle.Recipe().PromptCorpus
	return style, spelled(fmt.Sprint(wanted)) == style, nil
}
