package samplegen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/corpus/weka"
	"agentx/internal/samplegen"
)

const folder = "../../testdata/corpus"

// The files in testdata are those that the generator makes (go generate ./internal/samplegen).
func TestCorpusIsGenerated(t *testing.T) {
	files, err := samplegen.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		names[file.Name] = true
		got, err := os.ReadFile(filepath.Join(folder, file.Name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, file.Content) {
			t.Errorf("%s is not what the generator makes", file.Name)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !names[entry.Name()] {
			t.Errorf("%s is not made by the generator", entry.Name())
		}
	}
}

// plans builds the corpus as agentx-prep does.
func plans(t *testing.T) (map[corpus.TraceID]*corpus.Plan, corpus.Facts) {
	t.Helper()
	settings := weka.Settings{Options: corpus.DefaultOptions(), Strict: true}
	sources, err := weka.List([]string{folder})
	if err != nil {
		t.Fatal(err)
	}
	built, total := map[corpus.TraceID]*corpus.Plan{}, corpus.Facts{}
	for _, source := range sources {
		survey, err := source.Survey(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range survey.Units {
			trace, err := unit.Read()
			if err != nil {
				t.Fatal(err)
			}
			plan, _, facts, err := corpus.Build(trace, settings.Options)
			if err != nil {
				t.Fatal(err)
			}
			built[plan.Trace] = plan
			total.Add(facts)
		}
	}
	return built, total
}

// The corpus shows everything it is there to show.
func TestCorpusShowsEverything(t *testing.T) {
	built, facts := plans(t)
	for _, kind := range []corpus.ConversationKind{corpus.KindRoot, corpus.KindSubagent, corpus.KindFlat, corpus.KindAux, corpus.KindGroup} {
		if facts.Conversations[kind] == 0 {
			t.Errorf("no conversation of kind %s", kind)
		}
	}
	for name, count := range map[string]int{
		"seams": facts.Split.Seams, "preambles": facts.Split.Preambles, "tails": int(facts.Tails), "resets": facts.Resets,
		"background branches": facts.BranchesBackground, "joined branches": facts.Branches - facts.BranchesBackground,
		"zero outputs": facts.ZeroOut, "predecessors": facts.PredecessorEdges,
	} {
		if count == 0 {
			t.Errorf("no %s", name)
		}
	}
	if len(built["parallel"].Root().Branches[0].Children) != 2 {
		t.Error("no two subagents at once in parallel")
	}
	if branches := built["sequence"].Root().Branches; len(branches) != 3 || branches[0].JoinTurn != branches[1].SpawnTurn-1 {
		t.Errorf("subagents in sequence are %+v", branches)
	}
	if branch := built["background"].Root().Branches[0]; branch.JoinTurn >= 0 || !branch.SpawnAtIssue {
		t.Errorf("the background subagent is %+v", branch)
	}
	if facts.NestedRelative == 0 || len(facts.NestedGuessed) > 0 {
		t.Errorf("nested times: %d relative, %d guessed", facts.NestedRelative, len(facts.NestedGuessed))
	}
}

// It is fit for a demo of a minute: short prompts, pauses of some seconds, spans of half a minute to two.
func TestCorpusIsSmall(t *testing.T) {
	built, _ := plans(t)
	if len(built) != 8 {
		t.Errorf("%d traces, want 8", len(built))
	}
	for name, plan := range built {
		span := 0.0
		for c := range plan.Conversations {
			for _, turn := range plan.Conversations[c].Turns {
				span = max(span, float64(turn.TMs)+turn.APIMs.Or(0))
				if turn.In < 200 || turn.In > 6000 || turn.Out > 200 {
					t.Errorf("%s: a request of %d tokens in and %d out", name, turn.In, turn.Out)
				}
				if turn.GapMs.Or(0) > 30_000 {
					t.Errorf("%s: a pause of %v ms", name, turn.GapMs)
				}
			}
		}
		if span < 25_000 || span > 120_000 {
			t.Errorf("%s takes %.1f s", name, span/1000)
		}
		if strings.Contains(string(name), "::") {
			t.Errorf("the name %s looks like a child's", name)
		}
	}
}
