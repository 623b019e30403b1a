package prep

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestQuantilesAreOfNearestRank(t *testing.T) {
	values := make([]float64, 0, 100)
	for i := 100; i >= 1; i-- {
		values = append(values, float64(i))
	}
	q := quantiles(values)
	if q.Count != 100 || q.Mean != 50.5 || q.Min != 1 || q.P25 != 25 || q.P50 != 50 || q.P75 != 75 || q.P90 != 90 || q.P99 != 99 || q.Max != 100 {
		t.Errorf("%+v", q)
	}
	if q := quantiles([]float64{7}); q.P25 != 7 || q.P99 != 7 {
		t.Errorf("of one value: %+v", q)
	}
	if q := quantiles(nil); q != (Quantiles{}) {
		t.Errorf("of none: %+v", q)
	}
}

func TestTurnGroups(t *testing.T) {
	for number, want := range map[int]string{0: "0", 1: "1", 2: "2–3", 3: "2–3", 4: "4–7", 63: "32–63", 64: "64–127"} {
		if got := turnGroupName(turnGroup(number)); got != want {
			t.Errorf("turn %d is in %s, want %s", number, got, want)
		}
	}
}

func TestStatsOfTheSample(t *testing.T) {
	traces := sampleTraces()
	traces["cut_again"] = strings.Replace(traces["cut"], `"id":"cut"`, `"id":"cut_again"`, 1)
	path := mustBuild(t, sampleOptions(t, writeTraces(t, traces))).Path
	var out strings.Builder
	if err := Stats(&out, path, StatsOptions{JSON: true, Limits: []int64{1000, 100000}}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Corpus Statistics
		Traces []namedStatistics
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	c := got.Corpus
	if c.Traces != 8 || c.Copies != 1 || len(got.Traces) != 8 || c.Branches != 1 || c.FanOut.Max != 2 || c.Depth != 1 {
		t.Errorf("corpus %+v", c)
	}
	// Only the hash-less trace of 20,000 tokens is over the first limit.
	if l := c.Limits[0]; l.RequestsOver != 1 || l.TracesKept != 7 || l.TurnsKept != c.Turns-1 || l.InKept != int64(c.In.Sum)-20000 {
		t.Errorf("limit %+v of %d turns, %v tokens", l, c.Turns, c.In.Sum)
	}
	if l := c.Limits[1]; l.RequestsOver != 0 || l.TracesKept != 8 {
		t.Errorf("limit %+v", l)
	}
	turns := 0
	for _, g := range c.ByTurn {
		turns += g.Turns
	}
	if turns != c.Turns || c.ByTurn[0].Turns != 10 || c.ByDepth[1].Turns != 3 {
		t.Errorf("by turn %+v, by depth %+v", c.ByTurn, c.ByDepth)
	}
	out.Reset()
	if err := Stats(&out, path, StatsOptions{Trace: "cut"}); err != nil || !strings.Contains(out.String(), "gap, s") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := Stats(&out, path, StatsOptions{Limits: []int64{0}}); ClassOf(err) != Usage {
		t.Errorf("error %v", err)
	}
}

func TestDiffNamesSettingsTracesAndTurns(t *testing.T) {
	folder := writeTraces(t, sampleTraces())
	options := sampleOptions(t, folder)
	first := mustBuild(t, options).Path
	options.Corpus.MaxOSL = 10
	options.Corpus.NumDatasetEntries = 3
	second := mustBuild(t, options).Path
	var out strings.Builder
	if err := DiffBundles(&out, first, second, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"options.max_osl: 0, 10", "options.num_dataset_entries: 0, 3", "cut turn 0: max 100, 10", "only in first  4 (one_token, partial, same_id, tails)", "2 of 3 common traces have another plan", "0 have other windows"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := DiffBundles(&out, first, second, true); ClassOf(err) != Different {
		t.Errorf("error %v", err)
	}
	out.Reset()
	if err := DiffBundles(&out, first, first, true); err != nil || !strings.HasPrefix(out.String(), "same content") {
		t.Errorf("%v: %s", err, out.String())
	}
}
