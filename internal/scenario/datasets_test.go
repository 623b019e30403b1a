package scenario

import (
	"slices"
	"testing"
)

// The rejected aliases of spec scenario 3 can be prepared, but no scenario accepts them.
func TestDataSetsThatNoScenarioAccepts(t *testing.T) {
	for name, want := range map[string]string{
		"semianalysis-cc-traces-weka-062126-256k":  "semianalysisai/cc-traces-weka-062126-256k",
		"semianalysis_cc_traces_weka_no_subagents": "semianalysisai/cc-traces-weka-no-subagents-051826",
		"semianalysis_cc_traces_weka":              "semianalysisai/cc-traces-weka-no-subagents-051826",
	} {
		alias, repository, known := DataSet(name)
		if !known || repository != want {
			t.Errorf("%s: %s, %v; want %s", name, repository, known, want)
		}
		_, accepted := Repository(alias)
		if accepted != slices.Contains(Loaders(), alias) || accepted == (repository == withoutSubagents) {
			t.Errorf("%s: accepted %v", alias, accepted)
		}
	}
	if _, _, known := DataSet("sharegpt"); known {
		t.Error("sharegpt is no recording of agents")
	}
	if got := len(DataSets()); got != 16 {
		t.Errorf("%d aliases, the table has 16", got)
	}
}
