package scenario

import "slices"

// Content is what a bundle's manifest says about where its sessions come from and what was done to
// them. The zero value means that no recording was given at all.
type Content struct {
	// Loader names the reader as the peer does: the alias of a public data set, weka_hf for a hub
	// repository given by name, weka_trace for local files; synthetic or empty for none.
	Loader     string
	Repository string // hub repository, where there is one
	Revision   string
	Subset     string // configuration of the repository, where one was chosen
	Entries    int64  // --num-dataset-entries, where it was given
	Pinned     bool   // the files are proved to be those of the repository (decision 8)

	IgnoreTraceDelays   bool
	MaxISL              *int64   // --synthesis-max-isl: traces with longer inputs were dropped
	InterTurnCapSeconds *float64 // --inter-turn-delay-cap-seconds
}

// The loaders that are no alias.
const (
	LoaderSynthetic = "synthetic"
	LoaderHub       = "weka_hf"
	LoaderLocal     = "weka_trace"
)

// aliases of public data sets that the scenarios accept, and their repositories (spec scenario 3).
func aliases() map[string]string {
	accepted := map[string]string{
		"semianalysis_cc_traces_weka_with_subagents":      "cc-traces-weka-062126", // rolling
		"semianalysis_cc_traces_weka_with_subagents_256k": "cc-traces-weka-062126-256k",
	}
	for _, day := range []string{"060226", "060526", "060826"} {
		accepted["semianalysis_cc_traces_weka_with_subagents_"+day] = "cc-traces-weka-with-subagents-" + day
		accepted["semianalysis_cc_traces_weka_with_subagents_"+day+"_256k"] = "cc-traces-weka-with-subagents-" + day + "-256k"
	}
	for _, day := range []string{"061326", "061526", "062126"} {
		accepted["semianalysis_cc_traces_weka_"+day] = "cc-traces-weka-" + day
		accepted["semianalysis_cc_traces_weka_"+day+"_256k"] = "cc-traces-weka-" + day + "-256k"
	}
	for alias, repository := range accepted {
		accepted[alias] = "semianalysisai/" + repository
	}
	return accepted
}

// Rolling reports whether the alias points to whatever is newest.
func Rolling(alias string) bool {
	return alias == "semianalysis_cc_traces_weka_with_subagents" || alias == "semianalysis_cc_traces_weka_with_subagents_256k"
}

// Repository is the hub repository of an accepted alias.
func Repository(alias string) (string, bool) {
	repository, ok := aliases()[alias]
	return repository, ok
}

// Loaders lists the loaders that the scenarios accept, sorted.
func Loaders() []string {
	names := []string{LoaderHub, LoaderLocal}
	for alias := range aliases() {
		names = append(names, alias)
	}
	slices.Sort(names)
	return names
}
