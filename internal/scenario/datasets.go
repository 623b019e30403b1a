package scenario

import (
	"slices"
	"strings"
)

// withoutSubagents is the repository of the two aliases that the scenarios do not accept.
const withoutSubagents = "semianalysisai/cc-traces-weka-no-subagents-051826"

// DataSet resolves the name of a public data set, which may be spelled with dashes: its alias as the
// table has it, and its repository. The scenarios do not accept every one (see Loaders).
func DataSet(name string) (alias, repository string, known bool) {
	alias = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	repository, known = dataSets()[alias]
	return alias, repository, known
}

// DataSets lists the aliases of all public data sets, sorted.
func DataSets() []string {
	var names []string
	for alias := range dataSets() {
		names = append(names, alias)
	}
	slices.Sort(names)
	return names
}

func dataSets() map[string]string {
	all := aliases()
	all["semianalysis_cc_traces_weka"] = withoutSubagents
	all["semianalysis_cc_traces_weka_no_subagents"] = withoutSubagents
	return all
}
