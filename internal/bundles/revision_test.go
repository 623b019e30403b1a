package bundles

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/internal/hub/hubtest"
	"agentx/internal/prep"
	"agentx/internal/synth/tokentest"
)

const (
	rolling    = "semianalysis_cc_traces_weka_with_subagents"
	dated      = "semianalysis_cc_traces_weka_062126"
	repository = "semianalysisai/cc-traces-weka-062126"
)

// An alias or a repository may be wanted at a revision: both parts are compared, each as what it is.
func TestAliasesAndRevisionsAreComparedByTheirParts(t *testing.T) {
	h := hubtest.New(t)
	files := map[string]string{}
	for _, name := range []string{"growth.json", "parallel.json"} {
		text, err := os.ReadFile(filepath.Join(traces, name))
		if err != nil {
			t.Fatal(err)
		}
		files["data/"+name] = string(text)
	}
	h.Add("datasets", repository, files, "data/growth.json")
	t.Setenv("HF_ENDPOINT", h.URL)
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_TOKEN", hubtest.Token)
	byAlias := built(t, t.TempDir(), func(o *prep.Options) {
		o.Inputs = nil
		var err error
		if o.DataSet, err = prep.ParsePublic(rolling + "@" + hubtest.Commit); err != nil {
			t.Fatal(err)
		}
	})
	other := strings.Repeat("0", 40)
	for _, c := range []struct {
		flag, value string
		agrees      bool
	}{
		{"public-dataset", rolling, true},
		{"public-dataset", "weka_hf", true},
		{"public-dataset", strings.ReplaceAll(rolling, "_", "-") + "@" + hubtest.Commit, true},
		{"public-dataset", rolling + "@" + hubtest.Commit[:12], true},
		{"public-dataset", rolling + "@" + other, false},
		{"public-dataset", rolling + "@main", true}, // only the hub knows which commit that is
		{"public-dataset", dated, true},             // the same repository by another name
		{"public-dataset", dated + "@" + hubtest.Commit, true},
		{"public-dataset", dated + "_256k", false},
		{"public-dataset", dated + "_256k@" + hubtest.Commit, false},
		{"hf-weka-dataset", repository, true},
		{"hf-weka-dataset", repository + "@" + hubtest.Commit, true},
		{"hf-weka-dataset", repository + "@" + other, false},
		{"hf-weka-dataset", repository + "-256k@" + hubtest.Commit, false},
	} {
		list := compare(t, byAlias, Wish{c.flag: c.value})
		if (len(list) == 0) != c.agrees {
			t.Errorf("--%s %s: mismatches %v", c.flag, c.value, list)
		}
		if !c.agrees && !strings.Contains(list[0].Found, hubtest.Commit) {
			t.Errorf("--%s %s: %v does not name the commit", c.flag, c.value, list[0])
		}
	}
	candidate, err := Of(byAlias)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := candidate.Compare(context.Background(), Wish{"public-dataset": "no_such_alias"}); err == nil || !strings.Contains(err.Error(), "there is no public data set") {
		t.Errorf("an alias that does not exist: error %v", err)
	}
	// The printed command makes the same recording again, at the same commit.
	command := Wish{"num-dataset-entries": 1}.PrepCommand(candidate)
	if words := strings.Fields(command); !slices.Contains(words, rolling+"@"+hubtest.Commit) {
		t.Errorf("the command is %s", command)
	}
	if c := (Wish{"public-dataset": rolling + "@" + other}).Content(); c.Loader != rolling || c.Repository != repository {
		t.Errorf("the scenarios see %+v", c)
	}
}

func TestTokenizerRevisionsAreCompared(t *testing.T) {
	h := hubtest.New(t)
	words := []string{" the", " of", "in", " a", "er", "on", "re", " s"}
	h.Add("models", "org/model", map[string]string{"tokenizer.json": string(tokentest.ByteLevel(words).JSON())})
	t.Setenv("HF_ENDPOINT", h.URL)
	t.Setenv("HF_HOME", t.TempDir())
	b := built(t, t.TempDir(), func(o *prep.Options) { o.Tokenizer, o.Corpus.NumDatasetEntries = "org/model", 1 })
	for wish, agrees := range map[string]bool{"org/model": true, "org/model@" + hubtest.Commit: true, "org/model@main": true, "org/model@" + strings.Repeat("1", 40): false, "org/other": false} {
		if list := compare(t, b, Wish{"tokenizer": wish}); (len(list) == 0) != agrees {
			t.Errorf("--tokenizer %s: mismatches %v", wish, list)
		}
	}
}
