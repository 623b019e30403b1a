package corpus_test

import (
	"slices"
	"strings"
	"testing"

	"agentx/corpus"
)

func survey(t *testing.T, script string, options corpus.Options) corpus.Summary {
	t.Helper()
	summary, err := corpus.Survey(parseTrace(t, script), options)
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// X1 and the worked example of reconstruction 2.3.
func TestPeakOfATrace(t *testing.T) {
	options := corpus.DefaultOptions()
	options.MaxOSL = 50
	for script, want := range map[string]int64{
		"0 100/10 [1]\nsub a 1 dur=1000\n  1 200/500 [2-4]": 700, // a subagent's output is not capped
		"0 300/0 [1-4]":   301,
		"0 300/500 [1-4]": 350,
		"0 640/64 [1-10]": 690,
	} {
		if got := survey(t, script, options).PeakContext; got != want {
			t.Errorf("peak of %q is %d, want %d", script, got, want)
		}
	}
}

func summaries(peaks ...int64) []corpus.Summary {
	list := make([]corpus.Summary, len(peaks))
	for i, peak := range peaks {
		list[i] = corpus.Summary{Trace: corpus.TraceID('a' + rune(i)), RootTurns: 1, PeakContext: peak, PeakIn: peak - 64}
	}
	return list
}

func TestSelectFiltersThenCaps(t *testing.T) {
	list := summaries(704, 256, 320, 1344, 192)
	options := corpus.DefaultOptions()
	options.MaxContextLength, options.NumDatasetEntries = 320, 2
	got, err := corpus.Select(list, options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Kept, []int{1, 2}) || !slices.Equal(got.TooLong, []int{0}) || got.Scanned != 3 {
		t.Errorf("kept %v, too long %v, scanned %d; want 1 and 2, 0, 3", got.Kept, got.TooLong, got.Scanned)
	}
	options.MaxContextLength = 319
	if got, err = corpus.Select(list, options); err != nil || !slices.Equal(got.Kept, []int{1, 4}) {
		t.Errorf("one token less: kept %v, %v; want 1 and 4", got.Kept, err)
	}
}

// A trace without a request of its own is skipped and does not count (decision 7, Q-12).
func TestSelectSkipsWhatHasNothingToSend(t *testing.T) {
	list := summaries(100, 200, 300)
	list[0].RootTurns = 0
	options := corpus.DefaultOptions()
	options.NumDatasetEntries = 1
	got, err := corpus.Select(list, options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Kept, []int{1}) || !slices.Equal(got.NothingToSend, []int{0}) {
		t.Errorf("kept %v, nothing to send %v; want 1 and 0", got.Kept, got.NothingToSend)
	}
	for i := range list {
		list[i].RootTurns = 0
	}
	if _, err = corpus.Select(list, options); err == nil || !strings.Contains(err.Error(), "0 requests to send") {
		t.Errorf("nothing at all to send: %v", err)
	}
}

func TestSelectNamesTheSmallestPeak(t *testing.T) {
	options := corpus.DefaultOptions()
	options.MaxContextLength = 1000
	_, err := corpus.Select(summaries(4050, 1205), options)
	if err == nil {
		t.Fatal("two traces over the limit were kept")
	}
	for _, part := range []string{"2 scanned", "kept 0", "limit 1000", "smallest peak 1205", "trace b"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// V24 by decision 7, Q-18: max-isl drops whole traces, nested requests count, before the cap.
func TestMaxISLDropsTraces(t *testing.T) {
	options := corpus.DefaultOptions()
	options.MaxISL, options.NumDatasetEntries = 200, 1
	list := []corpus.Summary{
		survey(t, "0 128/1 [1,2]\n1 512/1 [1-8]\n2 192/1 [1-3]", options),
		survey(t, "0 128/1 [1,2]\nsub a 1 dur=1000\n  1 576/1 [11-19]\n9 192/1 [1-3]", options),
		survey(t, "0 128/1 [1,2]\n9 200/1 [1-3]", options),
	}
	got, err := corpus.Select(list, options)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Kept, []int{2}) || !slices.Equal(got.OverISL, []int{0, 1}) {
		t.Errorf("kept %v, over %v; want 2; 0 and 1", got.Kept, got.OverISL)
	}
}

// The counts that size the filler text bound what Build lays out.
func TestSurveyBoundsTheWindows(t *testing.T) {
	for _, v := range slices.Concat(messageVectors, detectVectors, treeVectors) {
		options := corpus.DefaultOptions()
		if v.options != nil {
			v.options(&options)
		}
		trace := parseTrace(t, shorthand.Replace(v.trace))
		summary, err := corpus.Survey(trace, options)
		if err != nil {
			t.Fatal(err)
		}
		plan, layout, _, err := corpus.Build(trace, options)
		if err != nil {
			t.Fatal(err)
		}
		if layout.Ranks() > summary.Windows {
			t.Errorf("%s: %d windows, surveyed were %d", v.name, layout.Ranks(), summary.Windows)
		}
		if plan.PeakContext != summary.PeakContext || len(plan.Root().Turns) != summary.RootTurns {
			t.Errorf("%s: the survey says peak %d and %d turns, the plan %d and %d", v.name,
				summary.PeakContext, summary.RootTurns, plan.PeakContext, len(plan.Root().Turns))
		}
	}
}
