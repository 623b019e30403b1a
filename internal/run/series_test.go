package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/internal/exit"
	"agentx/internal/measure"
)

// planned lays out a series in a folder that does not exist.
func planned(t *testing.T, change func(*Options)) *series {
	t.Helper()
	o := &Options{
		ArtifactDir: "out", Seed: unset, Settings: map[string]any{"concurrency": "1"},
		Server: ServerOptions{Models: []string{"m"}}, Load: LoadOptions{Concurrency: 1, CacheWarmup: unset, WarmupPerLane: 10},
		Series: SeriesOptions{Runs: 1, NoWarmupAfterFirst: true, Confidence: 0.95},
	}
	change(o)
	t.Chdir(t.TempDir())
	s, err := planSeries(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func seedsOf(s *series) (seeds []int64) {
	for _, t := range s.trials {
		seeds = append(seeds, t.options.Seed)
	}
	return seeds
}

func TestSeedsOfASeries(t *testing.T) {
	cases := []struct {
		name   string
		change func(*Options)
		want   []int64
	}{
		{"one run without a seed draws its own", func(*Options) {}, []int64{unset}},
		{"repetitions without a seed share 42", func(o *Options) { o.Series.Runs = 3 }, []int64{42, 42, 42}},
		{"repetitions share an explicit seed", func(o *Options) { o.Series.Runs, o.Seed = 2, 7 }, []int64{7, 7}},
		{"--set-consistent-seed=false draws each", func(o *Options) { o.Series.Runs, o.Series.FreshSeeds = 2, true }, []int64{unset, unset}},
		{"--vary-seed-per-trial", func(o *Options) { o.Series.Runs, o.Series.VarySeed = 3, true }, []int64{6858774025263032934, 4337237111802998792, 5285968998097472628}},
		{"concurrency i uses seed + i", func(o *Options) { o.Series.Concurrencies = []int{4, 8} }, []int64{42, 43}},
		{"--parameter-sweep-same-seed", func(o *Options) { o.Series.Concurrencies, o.Series.SameSeed = []int{4, 8}, true }, []int64{42, 42}},
	}
	for _, c := range cases {
		if got := seedsOf(planned(t, c.change)); !slices.Equal(got, c.want) {
			t.Errorf("%s: seeds %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRepetitionsHaveTheirFoldersMarkersAndNoSecondPressure(t *testing.T) {
	s := planned(t, func(o *Options) { o.Series.Runs, o.BenchmarkID = 2, strings.Repeat("ab", 16) })
	first, second := s.trials[0], s.trials[1]
	if first.dir != filepath.Join("out", "profile_runs", "run_0001") || second.dir != filepath.Join("out", "profile_runs", "run_0002") {
		t.Errorf("folders %s, %s", first.dir, second.dir)
	}
	if first.options.BenchmarkID == second.options.BenchmarkID {
		t.Error("two runs have one benchmark id, so the same markers")
	}
	if first.options.Load.WarmupPerLane != 10 || second.options.Load.WarmupPerLane != unset || second.options.Settings["warmup-requests-per-lane"] != unset {
		t.Errorf("pressure %d, then %d", first.options.Load.WarmupPerLane, second.options.Load.WarmupPerLane)
	}
	kept := planned(t, func(o *Options) { o.Series.Runs, o.Series.NoWarmupAfterFirst = 2, false })
	if kept.trials[1].options.Load.WarmupPerLane != 10 {
		t.Error("--profile-run-disable-warmup-after-first=false drops the pressure all the same")
	}
}

func TestOrderOfRepeatedConcurrencies(t *testing.T) {
	order := func(together bool) (labels []string) {
		s := planned(t, func(o *Options) {
			o.Series.Runs, o.Series.Concurrencies, o.Series.PointsTogether = 2, []int{4, 8}, together
		})
		for _, trial := range s.trials {
			labels = append(labels, fmt.Sprint(trial.options.Settings["concurrency"], "/", trial.number))
			if trial.options.Settings["sweep"] != true {
				t.Error("a run does not know that it is one of several concurrencies")
			}
		}
		return labels
	}
	if got := order(false); !slices.Equal(got, []string{"4/0", "8/0", "4/1", "8/1"}) {
		t.Errorf("repeated: %v", got)
	}
	if got := order(true); !slices.Equal(got, []string{"4/0", "4/1", "8/0", "8/1"}) {
		t.Errorf("together: %v", got)
	}
}

// TestExitCodeOfASeries has the rows of spec scenario 7 and decision 20.
func TestExitCodeOfASeries(t *testing.T) {
	for _, c := range []struct {
		codes []int
		want  int
	}{
		{[]int{exit.Done, exit.Done}, exit.Done},
		{[]int{exit.Done, exit.Done, exit.Failure}, exit.Done},
		{[]int{exit.Done, exit.Failure}, exit.Failure},
		{[]int{exit.Done, exit.Invalid}, exit.Invalid},
		{[]int{exit.Done, exit.Interrupted}, exit.Interrupted},
		{[]int{exit.Done, exit.Done, exit.Damage}, exit.Damage},
	} {
		s := planned(t, func(o *Options) { o.Series.Runs = len(c.codes) })
		for i, code := range c.codes {
			s.done = append(s.done, made{trial: &s.trials[i], code: code, analysis: &measure.Analysis{Run: &measure.Run{}}})
		}
		if got := s.code(); got != c.want {
			t.Errorf("codes %v give %d, want %d", c.codes, got, c.want)
		}
	}
}

func TestRunThatWasCancelledMakesTheAggregateInvalid(t *testing.T) {
	s := planned(t, func(o *Options) { o.Series.Runs = 3 })
	verdict := func(cancelled bool) *measure.Analysis {
		return &measure.Analysis{Run: &measure.Run{}, Verdict: measure.Verdict{Scenario: "inferencex-agentx-mvp", Valid: !cancelled, Cancelled: cancelled}}
	}
	for i, code := range []int{exit.Done, exit.Done, exit.Failure} {
		s.done = append(s.done, made{trial: &s.trials[i], code: code, analysis: verdict(code == exit.Failure)})
	}
	if v := s.repetitions(0).Verdict(); v.Valid || !slices.Equal(v.Reasons, []string{measure.ReasonRunCancelled}) {
		t.Errorf("verdict %v, reasons %v", v.Valid, v.Reasons)
	}
	if s.code() != exit.Invalid {
		t.Errorf("exit code %d, want that of an invalid result", s.code())
	}
}
