package compare

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentx/internal/compare/runtest"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
)

func analysed(t *testing.T, c runtest.Config) *measure.Analysis {
	t.Helper()
	a, err := runtest.Analyse(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func side(label string, runs ...*measure.Analysis) Side { return Side{Label: label, Runs: runs} }

func compared(t *testing.T, a, b Side) *Comparison {
	t.Helper()
	c, err := Runs(a, b, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two runs of one seed against one server are the same, in every row.
func TestSameSeedShowsNoDifference(t *testing.T) {
	a, b := analysed(t, runtest.Usual(1)), analysed(t, runtest.Usual(1))
	b.Clock.WallNs++ // made another time
	c := compared(t, side("a", a), side("b", b))
	if len(c.Differing) != 0 || len(c.Findings()) != 0 || c.TreesBoth != c.TreesA || c.TreesA < 30 {
		t.Errorf("differing %v, findings %v, trees %d, %d", c.Differing, c.Findings(), c.TreesA, c.TreesBoth)
	}
	if m := c.Matching; len(m.Pairs) != a.Own.Totals.Valid || m.OnlyA != 0 || m.OnlyB != 0 {
		t.Errorf("%d pairs of %d turns, %d and %d left", len(m.Pairs), a.Own.Totals.Valid, m.OnlyA, m.OnlyB)
	}
	rows := slices.Clone(c.Requests)
	for i := range c.Turns {
		rows = append(rows, c.Turns[i].Row)
	}
	for _, row := range rows {
		if row.A != row.B || row.P != 1 || row.Word() != "~" {
			t.Errorf("%s %s: %g, %g, p %g, %s", row.Tag, row.Statistic, row.A, row.B, row.P, row.Word())
		}
	}
	for _, change := range c.Changes {
		if len(change.Greater)+len(change.Smaller) > 0 {
			t.Errorf("%s changed", change.Tag)
		}
	}
}

// A server that prefills 5 % more slowly is found, and the intervals hold 5 %: exactly where nothing but
// prefill makes the time to first token, whether or not the runs share their seed.
func TestSlowerPrefillIsFound(t *testing.T) {
	for _, seeds := range [][2]uint64{{1, 1}, {1, 2}} {
		before, after := runtest.Usual(seeds[0]), runtest.Usual(seeds[1])
		before.Server.PrefillLimit, before.Server.OverheadNs, before.Server.DecodeSlowdown = 0, 0, 0
		after.Server = before.Server
		after.Server.PrefillTokensPerSecond /= 1.05
		c := compared(t, side("before", analysed(t, before)), side("after", analysed(t, after)))
		found := slices.IndexFunc(c.Findings(), func(h Headline) bool { return h.SameTurns && h.Tag == "time_to_first_token" })
		if found < 0 {
			t.Fatalf("seeds %v: not found among %d", seeds, len(c.Findings()))
		}
		h := c.Findings()[found]
		if h.Word() != "worse" || !(h.Low <= 1.05 && 1.05 <= h.High) || h.High-h.Low > 0.01 || !(h.Adjusted < 0.05) {
			t.Errorf("seeds %v: %s, %g … %g, p %g", seeds, h.Word(), h.Low, h.High, h.Adjusted)
		}
		for i := range c.Requests {
			if row := &c.Requests[i]; row.Tag == "time_to_first_token" && row.Statistic == "avg" && !(row.Low <= 1.05 && 1.05 <= row.High && row.Estimate.Difference) {
				t.Errorf("seeds %v, all requests: %g … %g, %s", seeds, row.Low, row.High, row.Word())
			}
		}
		if c.Changes[0].Tag != "time_to_first_token" || len(c.Changes[0].Greater) != 10 || !(c.Changes[0].Greater[0].B > c.Changes[0].Greater[9].B) {
			t.Errorf("changes %+v", c.Changes[0])
		}
	}
}

// Runs that differ only in their seed show differences about as often as the level says: over a few pairs
// in all rows together, and over many (AGENTX_SEED_PAIRS=200, some ten minutes) in at most a tenth of the
// pairs for each row, and in 6 % on average.
func TestSeedsAloneSeldomShowADifference(t *testing.T) {
	pairs := 5
	if text := os.Getenv("AGENTX_SEED_PAIRS"); text != "" {
		var err error
		if pairs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	claims, rows, wrong := map[string]int{}, map[string]int{}, 0
	for i := range uint64(pairs) {
		config := runtest.Usual(1000 + 2*i)
		other := config
		other.Seed++
		c := compared(t, side("a", analysed(t, config)), side("b", analysed(t, other)))
		if len(c.Findings()) > 0 {
			wrong++
		}
		for i := range c.Turns {
			count(claims, rows, "same turns: ", c.Turns[i].Row)
		}
		for _, row := range c.Requests {
			count(claims, rows, "", row)
		}
	}
	total, claimed := 0, 0
	for name, n := range rows {
		total, claimed = total+n, claimed+claims[name]
		if pairs >= 50 && claims[name] > n/10 {
			t.Errorf("%s: %d of %d pairs show a difference", name, claims[name], n)
		}
	}
	if len(rows) < 70 || float64(claimed) > 0.06*float64(total) || float64(wrong) > 1+0.06*float64(pairs) {
		t.Errorf("%d of %d rows claim a difference, %d of %d pairs a headline finding", claimed, total, wrong, pairs)
	}
	t.Logf("%d pairs: %d rows, of which %.2f %% claim a difference; %d pairs with a headline finding", pairs, len(rows), 100*float64(claimed)/float64(total), wrong)
}

// count counts a row; its own verdict is without Holm's correction.
func count(claims, rows map[string]int, population string, row Row) {
	name := population + row.Tag + " " + row.Statistic
	rows[name]++
	if row.Estimate.Difference {
		claims[name]++
	}
}

// Every number that is compared is measure's number.
func TestComparedNumbersAreMeasures(t *testing.T) {
	config := runtest.Usual(3)
	config.Server.ErrorRate, config.Settings = 0.05, map[string]any{"goodput": "time_to_first_token:400"}
	a := analysed(t, config)
	config.Seed = 4
	b := analysed(t, config)
	c := compared(t, side("a", a), side("b", b))
	seen := map[string]bool{}
	for _, row := range c.Requests {
		seen[row.Tag] = true
		for i, pair := range []struct {
			run *measure.Analysis
			got float64
		}{{a, row.A}, {b, row.B}} {
			want, ok := figure(pair.run.Own, row.Tag, row.Statistic)
			if !ok || !near(pair.got, want) {
				t.Errorf("%s %s of side %d is %g, measure says %g", row.Tag, row.Statistic, i, pair.got, want)
			}
		}
	}
	for _, s := range shares() {
		if !seen[s.tag] {
			t.Errorf("%s is not compared", s.tag)
		}
	}
	for _, row := range c.Others {
		if _, ok := figure(a.Own, row.Tag, row.Statistic); !ok || row.Method != MethodNone || row.Word() != "~" {
			t.Errorf("%s %s: %+v", row.Tag, row.Statistic, row.Estimate)
		}
	}
	for _, interval := range RunIntervals(a) {
		if want, _ := figure(a.Own, interval.Tag, "avg"); !near(interval.Value, want) || !(interval.Low <= want && want <= interval.High) {
			t.Errorf("%+v, measure says %g", interval, want)
		}
	}
}

// Lane time adds up to lanes × window, by tree and by stretch of time.
func TestLaneTimeAddsUp(t *testing.T) {
	a := analysed(t, runtest.Usual(5))
	u := gather([2]Side{side("a", a), side("a", a)})
	window := WindowSeconds(a)
	total, times := 0.0, map[int]float64{}
	for _, held := range u.held[sideA] {
		total += held.under
		times[held.time] += held.under
	}
	if !near(total, 8*window) || len(times) != u.stretches {
		t.Errorf("lanes were held %g s of %g, in %d of %d stretches", total, 8*window, len(times), u.stretches)
	}
	for time, seconds := range times {
		if math.Abs(seconds-8*window/float64(u.stretches)) > 1e-6 {
			t.Errorf("stretch %d has %g s", time, seconds)
		}
	}
}

// Runs of different corpora are refused, with the reason and what to do; --force compares them.
func TestOtherCorpusIsRefused(t *testing.T) {
	other := runtest.Usual(1)
	other.Corpus = 9
	a, b := side("a", analysed(t, runtest.Usual(1))), side("b", analysed(t, other))
	_, err := Runs(a, b, DefaultOptions())
	var refused *NotComparable
	if !errors.As(err, &refused) || len(refused.Differences) != 1 || refused.Differences[0].Topic != "corpus" || !strings.Contains(err.Error(), "--force") {
		t.Fatalf("refused with %v", err)
	}
	options := DefaultOptions()
	options.Force = true
	c, err := Runs(a, b, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Requests) == 0 || c.Differing[0].Weight != Refuse {
		t.Errorf("forced: %d rows, %+v", len(c.Requests), c.Differing)
	}
	for _, pair := range c.Matching.Pairs {
		if pair.A.Plan.In != pair.B.Plan.In {
			t.Errorf("turns of %d and %d tokens are a pair", pair.A.Plan.In, pair.B.Plan.In)
		}
	}
	if c.Matching.OtherPrompt == 0 {
		t.Error("no turn was left out for its other prompt")
	}
}

// Everything that differs and can matter is listed with its weight; what only names things is not.
func TestCircumstances(t *testing.T) {
	config := runtest.Usual(1)
	config.Seconds = 100
	a := analysed(t, config)
	config.Seed, config.Seconds, config.Lanes = 2, 150, 4
	config.Settings = map[string]any{"artifact-dir": "elsewhere", "quiet": true, "model": []any{"other"}, "goodput": "time_to_first_token:5"}
	b := analysed(t, config)
	b.Config.Version, b.Config.Host.Name = "0.2.0", "other-host"
	var got []string
	for _, d := range Differing(side("a", a), side("b", b)) {
		got = append(got, fmt.Sprintf("%s %s %s: %s, %s", d.Weight, d.Topic, d.Name, d.A, d.B))
	}
	want := []string{
		"explains load benchmark-duration: 100, 150",
		"explains load concurrency: 8, 4",
		"explains measuring goodput: none, time_to_first_token:5",
		"explains server model: served, other",
		"explains window window: 100.0 s, 150.0 s",
		"note seed random-seed: 1, 2",
		"note client client version: agentx-run 0.1.0, agentx-run 0.2.0",
		"note client client host: host linux/amd64, 2 CPUs, go1.26, other-host linux/amd64, 2 CPUs, go1.26",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A run that a side counts twice is no repetition: it would make chance look smaller than it is.
func TestARunGivenTwiceIsRefused(t *testing.T) {
	config := runtest.Usual(1)
	config.Seconds = 100
	a, other := analysed(t, config), analysed(t, runtest.Usual(2))
	if _, err := Runs(side("a", a, a), side("b", other), DefaultOptions()); err == nil || !strings.Contains(err.Error(), "counting of runs differs (run run-1 2 times, each once)") {
		t.Errorf("the error is %v", err)
	}
}

// A run against itself is compared, and said to be one: that nothing differs is no finding.
func TestARunOnBothSidesIsTold(t *testing.T) {
	config := runtest.Usual(1)
	config.Seconds = 100
	a, other := analysed(t, config), analysed(t, runtest.Usual(2))
	of := func(sides ...Side) []Difference {
		c := compared(t, sides[0], sides[1])
		return slices.DeleteFunc(c.Differing, func(d Difference) bool { return d.Name != "same run" })
	}
	told := of(side("a", a), side("a again", a))
	if len(told) != 1 || told[0].A != "run run-1" || told[0].B != "run run-1" || told[0].Weight != Explains || !strings.Contains(told[0].Effect, "compared with itself") {
		t.Errorf("told %v", told)
	}
	if told := of(side("a", a, other), side("b", other)); len(told) != 1 || told[0].A != "run run-2" {
		t.Errorf("of groups that share run-2: %v", told)
	}
	if told := of(side("a", a), side("b", other)); len(told) != 0 {
		t.Errorf("of different runs: %v", told)
	}
}

// Repeated runs are compared run by run.
func TestRepeatedRunsAreComparedByWelch(t *testing.T) {
	var groups [2][]*measure.Analysis
	for i := range groups {
		for k := range uint64(3) {
			config := runtest.Usual(10*uint64(i) + k)
			config.Seconds = 120
			if i == 1 {
				config.Server.TokenNs = 12e6
			}
			groups[i] = append(groups[i], analysed(t, config))
		}
	}
	c := compared(t, side("a", groups[0]...), side("b", groups[1]...))
	if !c.Repeated || len(c.Others) != 0 {
		t.Fatalf("repeated %v, %d others", c.Repeated, len(c.Others))
	}
	for _, row := range c.Requests {
		if row.Method != MethodRuns && row.Reason == "" {
			t.Errorf("%s %s was judged by %s", row.Tag, row.Statistic, row.Method)
		}
		if row.Tag == "inter_token_latency" && row.Statistic == "p50" {
			values := [2][]float64{}
			for i := range groups {
				for _, run := range groups[i] {
					value, _ := figure(run.Own, row.Tag, row.Statistic)
					values[i] = append(values[i], value)
				}
			}
			if want := welch(values[0], values[1]); row.Low != want.Low || row.P != want.P || row.Word() != "worse" || !(row.Low > 1.3 && row.High < 1.7) {
				t.Errorf("%+v, expected %+v", row.Estimate, want)
			}
		}
	}
}

// A reached threshold says whether the whole interval reaches it; what cannot be told is reached.
func TestChecks(t *testing.T) {
	before, after := runtest.Usual(1), runtest.Usual(1)
	before.Server.PrefillLimit, before.Server.OverheadNs = 0, 0
	after.Server = before.Server
	after.Server.PrefillTokensPerSecond /= 1.2
	c := compared(t, side("a", analysed(t, before)), side("b", analysed(t, after)))
	for text, want := range map[string]struct{ reached, sure bool }{
		"time_to_first_token>+10%":     {true, true},
		"time_to_first_token>+30%":     {false, false},
		"time_to_first_token.p50>+19%": {true, false}, // 20 % found, with an interval below 19 %
		"request_throughput<-5%":       {false, false},
		"request_throughput>-50%":      {true, true},
		"time_to_first_token>1":        {true, true},
		"time_to_first_token>100000":   {false, false},
		"goodput<-1%":                  {true, false}, // nobody asked for goodput
	} {
		threshold, err := ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		if check := c.Check(threshold); check.Reached != want.reached || check.Sure != want.sure {
			t.Errorf("%s: %+v, expected %+v", text, check, want)
		}
	}
}

// Buckets are those of summary --by.
func TestBucketsAreThoseOfBreakdowns(t *testing.T) {
	a := analysed(t, runtest.Usual(6))
	c := compared(t, side("a", a), side("b", a))
	for _, by := range []string{"depth", "isl-bucket"} {
		groups, err := a.Breakdown(by)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, group := range groups {
			if mean, ok := group.Set.Average("time_to_first_token"); ok {
				want = append(want, fmt.Sprintf("%s %.9g", group.Label, mean))
			}
		}
		for _, b := range c.Buckets {
			if b.By == by {
				got = append(got, fmt.Sprintf("%s %.9g", b.Label, b.Rows[0].A))
			}
		}
		if !slices.Equal(got, want) || len(got) < 2 {
			t.Errorf("%s: %v, expected %v", by, got, want)
		}
	}
}

// A timeline holds exactly the output that measure counts in the window, and the time in flight inside it.
func TestTimelineAddsUp(t *testing.T) {
	mixed, err := measure.Analyze(logtest.Mixed(), measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*measure.Analysis{"simulated": analysed(t, runtest.Usual(7)), "hand-made": mixed} {
		times := Timeline(a)
		output, flying, want := 0.0, 0.0, 0.0
		for i := range times.OutputTokens {
			output += times.OutputTokens[i] * times.StepSeconds
			flying += times.InFlight[i] * times.StepSeconds
		}
		for _, r := range a.Records {
			if r.Times.Start.Known() {
				want += max(float64(min(r.AxisEnd(), a.Own.Window.To)-max(r.Times.Start, a.Own.Window.From)), 0) / 1e9
			}
		}
		if math.Abs(output/a.Output.OutputTokens-1) > 1e-9 || math.Abs(flying/want-1) > 1e-6 {
			t.Errorf("%s: output %g of %g, in flight %g of %g", name, output, a.Output.OutputTokens, flying, want)
		}
	}
}

// Without chunks output lies evenly between first and last token.
func TestTimelineWithoutChunks(t *testing.T) {
	a, err := measure.Analyze(logtest.Mixed(), measure.Options{NoChunks: true})
	if err != nil {
		t.Fatal(err)
	}
	times, output := Timeline(a), 0.0
	for i := range times.OutputTokens {
		output += times.OutputTokens[i] * times.StepSeconds
	}
	if math.Abs(output/a.Output.OutputTokens-1) > 0.05 || output == 0 {
		t.Errorf("output %g of %g", output, a.Output.OutputTokens)
	}
}

// A log that ends anywhere is compared without a word of its own: every number is known or said not to be.
func TestCutLogsAreCompared(t *testing.T) {
	log := logtest.Mixed()
	whole, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for rows := 1; rows < log.Len(); rows += 3 {
		cut, err := measure.Analyze(log.Cut(rows), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := compared(t, side("cut", cut), side("whole", whole))
		if !slices.ContainsFunc(c.Differing, func(d Difference) bool { return d.Name == "complete" }) {
			t.Errorf("%d rows: nothing says that A was cut short", rows)
		}
		Timeline(cut)
		RunIntervals(cut)
		for _, h := range c.Headline() {
			if h.Word() != "~" {
				t.Errorf("%d rows: %s is %s", rows, h.Tag, h.Word())
			}
		}
	}
}
