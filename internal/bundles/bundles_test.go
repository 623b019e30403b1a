package bundles

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentx/corpus/bundle"
	"agentx/internal/prep"
	"agentx/internal/progress"
)

const traces = "../../testdata/corpus"

// built makes a bundle of the sample corpus in a cache folder.
func built(t *testing.T, folder string, set func(*prep.Options)) *bundle.Bundle {
	t.Helper()
	options := prep.DefaultOptions()
	options.Inputs, options.CacheDir = []string{traces}, folder
	set(&options)
	result, err := prep.Build(context.Background(), options, progress.Plain(io.Discard, time.Now))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := bundle.Open(result.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

func compare(t *testing.T, b *bundle.Bundle, w Wish) []Mismatch {
	t.Helper()
	candidate, err := Of(b)
	if err != nil {
		t.Fatal(err)
	}
	list, err := candidate.Compare(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBundleIsComparedByEffect(t *testing.T) {
	folder := t.TempDir()
	plain := built(t, folder, func(*prep.Options) {})
	total := plain.Manifest().Totals
	delay := 1.0
	prepared := built(t, folder, func(o *prep.Options) {
		o.Corpus.NumDatasetEntries, o.Corpus.MaxContextLength = 3, total.PeakContext-1
		o.Corpus.MaxOSL, o.Corpus.InterTurnDelayCapSeconds, o.Corpus.ToolShaped = 5, &delay, true
	})
	few := prepared.Manifest().Totals
	cases := []struct {
		name   string
		bundle *bundle.Bundle
		flag   string
		value  any
		agrees bool
	}{
		{"all of the traces is no cap", plain, "num-dataset-entries", total.Traces, true},
		{"more than there are is no cap", plain, "num-dataset-entries", total.Traces + 100, true},
		{"fewer than there are", plain, "num-dataset-entries", total.Traces - 1, false},
		{"the same cap", prepared, "num-dataset-entries", 3, true},
		{"more than a cap has left", prepared, "num-dataset-entries", 4, false},
		{"a filter that leaves out nothing", plain, "max-context-length", total.PeakContext, true},
		{"a filter that would leave out one", plain, "max-context-length", total.PeakContext - 1, false},
		{"the same filter", prepared, "max-context-length", total.PeakContext - 1, true},
		{"a lower one that leaves out nothing more", prepared, "max-context-length", few.PeakContext, true},
		{"a lower one that would", prepared, "max-context-length", few.PeakContext - 1, false},
		{"inputs above the limit", plain, "synthesis-max-isl", int64(100), false},
		{"no input above the limit", plain, "synthesis-max-isl", total.PeakContext, true},
		{"the same output cap", prepared, "synthesis-max-osl", int64(5), true},
		{"a higher output cap than the bundle's", prepared, "synthesis-max-osl", int64(1000000), false},
		{"an output cap that cuts nothing", plain, "synthesis-max-osl", total.PeakContext, true},
		{"a delay cap that cuts", plain, "inter-turn-delay-cap-seconds", 0.5, false},
		{"a delay cap that cuts nothing", plain, "inter-turn-delay-cap-seconds", 1e6, true},
		{"the same delay cap", prepared, "inter-turn-delay-cap-seconds", 1.0, true},
		{"another delay cap", prepared, "inter-turn-delay-cap-seconds", 2.0, false},
		{"a switch that is off", plain, "tool-shaped-messages", true, false},
		{"a switch that is on", prepared, "tool-shaped-messages", true, true},
		{"an option at its default", plain, "weka-aux-isl-floor", int64(16384), true},
		{"an option with another value", plain, "weka-seam-max-gap-seconds", 1.0, false},
		{"the traces' block size", plain, "isl-block-size", 64, true},
		{"another block size", plain, "isl-block-size", 16, false},
		{"the filler", plain, "prompt-corpus", "coding", true},
		{"another filler", plain, "prompt-corpus", "sonnet", false},
		{"the tokenizer's name", plain, "tokenizer", "o200k_base", true},
		{"another tokenizer", plain, "tokenizer", "Qwen/Qwen2.5-7B", false},
		{"the files", plain, "input-file", []string{traces}, true},
		{"fewer files", plain, "input-file", []string{traces + "/growth.json"}, false},
		{"local files as such", plain, "custom-dataset-type", "weka-trace", true},
		{"an alias for local files", plain, "public-dataset", "semianalysis_cc_traces_weka_062126", false},
		{"a repository for local files", plain, "hf-weka-dataset", "semianalysisai/cc-traces-weka-062126", false},
	}
	for _, c := range cases {
		if list := compare(t, c.bundle, Wish{c.flag: c.value}); (len(list) == 0) != c.agrees {
			t.Errorf("%s (--%s %v): mismatches %v", c.name, c.flag, c.value, list)
		}
	}
}

func TestMismatchPrintsThePrepCommandThatKeepsTheRest(t *testing.T) {
	b := built(t, t.TempDir(), func(o *prep.Options) { o.Corpus.ToolShaped = true })
	err := Against(context.Background(), Wish{"num-dataset-entries": 2, "tokenizer": "it's mine"}, b)
	want := "agentx-prep build --input-file TRACES --tokenizer 'it'\\''s mine' --num-dataset-entries 2 --tool-shaped-messages -o NAME.bundle"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--num-dataset-entries 2: the bundle has 8 traces") {
		t.Errorf("error %v\nlacks %s", err, want)
	}
	if err := Against(context.Background(), Wish{"num-dataset-entries": 100}, b); err != nil {
		t.Errorf("a cap without effect: %v", err)
	}
}

func TestFindTakesTheBundleThatWasPreparedAsAsked(t *testing.T) {
	folder := t.TempDir()
	plain := built(t, folder, func(*prep.Options) {})
	two := built(t, folder, func(o *prep.Options) { o.Corpus.NumDatasetEntries = 2 })
	if err := os.WriteFile(filepath.Join(folder, "broken"+bundle.Suffix), []byte("no bundle"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wish Wish
		want *bundle.Bundle
	}{
		{Wish{"input-file": []string{traces}}, plain},
		{Wish{"input-file": []string{traces}, "num-dataset-entries": 2}, two},
		{Wish{"input-file": []string{traces}, "num-dataset-entries": 100}, plain},
	} {
		path, err := Find(context.Background(), c.wish, folder)
		if err != nil || path != c.want.Path() {
			t.Errorf("%v: %s, %v; want %s", c.wish, path, err, c.want.Path())
		}
	}
	_, err := Find(context.Background(), Wish{"input-file": []string{traces}, "ignore-trace-delays": true}, folder)
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "agentx-prep build --input-file "+traces+" --ignore-trace-delays -o NAME.bundle") {
		t.Errorf("error %v", err)
	}
	if _, err := Find(context.Background(), Wish{"num-dataset-entries": 2}, folder); !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "--bundle") {
		t.Errorf("without a recording: %v", err)
	}
}

func TestWishesThatContradictThemselvesAreRefused(t *testing.T) {
	for text, wish := range map[string]Wish{
		"--public-dataset and --hf-weka-dataset":                         {"public-dataset": "a", "hf-weka-dataset": "b"},
		"--ignore-trace-delays leaves --use-think-time-only without":     {"ignore-trace-delays": true, "use-think-time-only": true},
		"--custom-dataset-type mooncake_trace: agentx reads weka_trace ": {"custom-dataset-type": "mooncake_trace"},
	} {
		if err := wish.Check(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: error %v", wish, err)
		}
	}
	for _, wish := range []Wish{
		{"custom-dataset-type": "weka-trace", "input-file": []string{"x"}},
		{"public-dataset": "weka-hf", "hf-weka-dataset": "org/name"},
		{"public-dataset": "semianalysis-cc-traces-weka-062126@main"},
	} {
		if err := wish.Check(); err != nil {
			t.Errorf("%v: error %v", wish, err)
		}
	}
	for text, wish := range map[string]Wish{
		"there is no public data set \"bogus\"": {"public-dataset": "bogus"},
		"is not the name of a repository":       {"hf-weka-dataset": "a/b/c"},
		"is not a revision":                     {"public-dataset": "semianalysis_cc_traces_weka_062126@"},
	} {
		if err := wish.Check(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: error %v, want %q", wish, err, text)
		}
	}
}

func TestContentOfAWish(t *testing.T) {
	if c := (Wish{"public-dataset": "semianalysis-cc-traces-weka-062126"}).Content(); c.Loader != "semianalysis_cc_traces_weka_062126" || c.Repository != "semianalysisai/cc-traces-weka-062126" {
		t.Errorf("an alias with dashes gives %+v", c)
	}
	if c := (Wish{}).Content(); c.Loader != "" {
		t.Errorf("nothing gives %+v", c)
	}
}
