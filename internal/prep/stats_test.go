package prep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agentx/corpus"
)

// statsOf are the statistics that the command prints as JSON.
func statsOf(t *testing.T, path string, limits ...int64) corpus.Statistics {
	t.Helper()
	var out strings.Builder
	if err := Stats(t.Context(), &out, path, StatsOptions{JSON: true, Limits: limits}, silent()); err != nil {
		t.Fatal(err)
	}
	var got corpus.Statistics
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestStatsOfTheSample(t *testing.T) {
	traces := sampleTraces()
	traces["cut_again"] = strings.Replace(traces["cut"], `"id":"cut"`, `"id":"cut_again"`, 1)
	folder := writeTraces(t, traces)
	path := mustBuild(t, sampleOptions(t, folder)).Path
	got := statsOf(t, path, 100000, 1000, 1000)
	c := got.Corpus
	if c.Traces != 8 || c.Copies != 1 || len(got.Traces) != 8 || c.Branches != 1 || c.FanOut.Max != 2 || c.Depth != 1 {
		t.Errorf("corpus %+v", c)
	}
	// Only the hash-less trace of 20,000 tokens is over the first limit.
	want := []corpus.LimitFits{{Limit: 1000, RequestsOver: 1, TracesOver: 1, TracesFit: 7, RequestsFit: c.Requests - 1, InTokensFit: c.InTokens - 20000}, {Limit: 100000, TracesFit: 8, RequestsFit: c.Requests, InTokensFit: c.InTokens}}
	if !reflect.DeepEqual(c.Limits, want) {
		t.Errorf("limits %+v, want %+v", c.Limits, want)
	}
	// The traces themselves say the same as the bundle of them, packed or not.
	if raw := statsOf(t, folder, 1000, 100000); !reflect.DeepEqual(raw, got) {
		t.Errorf("of the traces:\n%+v\nof the bundle:\n%+v", raw, got)
	}
	one := filepath.Join(folder, "cut.json")
	if raw := statsOf(t, one); raw.Corpus.Traces != 1 || raw.Traces[0].Trace != "cut" {
		t.Errorf("of one file: %+v", raw)
	}
	var out strings.Builder
	for _, place := range []string{path, folder} {
		out.Reset()
		if err := Stats(t.Context(), &out, place, StatsOptions{Trace: "cut"}, silent()); err != nil || !strings.Contains(out.String(), "trace          cut\n") || !strings.Contains(out.String(), "gap, s ") {
			t.Errorf("%v\n%s", err, out.String())
		}
		if err := Stats(t.Context(), &out, place, StatsOptions{Trace: "no"}, silent()); ClassOf(err) != Usage {
			t.Errorf("error %v", err)
		}
	}
}

func TestStatsRefuses(t *testing.T) {
	path := mustBuild(t, sampleOptions(t, writeTraces(t, map[string]string{"cut": sampleTraces()["cut"]}))).Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.agentx")
	if err := os.WriteFile(cut, data[:len(data)-5], 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path  string
		limit int64
		class Class
	}{"a limit of 0": {path, 0, Usage}, "a bundle that was cut": {cut, 1, Damage}, "nothing": {"/no/such", 1, Input}, "an empty folder": {t.TempDir(), 1, Input}} {
		if err := Stats(t.Context(), &strings.Builder{}, test.path, StatsOptions{Limits: []int64{test.limit}}, silent()); ClassOf(err) != test.class {
			t.Errorf("%s: class %d, %v", name, ClassOf(err), err)
		}
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
	if err := DiffBundles(&out, first, second, DiffOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"options.max_osl: 0, 10", "options.num_dataset_entries: 0, 3", "cut turn 0: max 100, 10", "only in first  4 (one_token, partial, same_id, tails)", "of 3 common traces 2 have another plan", "of these 0 have other windows of text"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if err := DiffBundles(&out, first, second, DiffOptions{Fail: true}); ClassOf(err) != Different {
		t.Errorf("error %v", err)
	}
	out.Reset()
	if err := DiffBundles(&out, first, first, DiffOptions{Fail: true}); err != nil || !strings.HasPrefix(out.String(), "same content") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestDiffAsJSONHasEverything(t *testing.T) {
	options := sampleOptions(t, writeTraces(t, sampleTraces()))
	first := mustBuild(t, options).Path
	options.Corpus.MaxOSL = 1
	options.Seed = 1 << 60
	second := mustBuild(t, options).Path
	read := func(a, b string) (d Difference) {
		t.Helper()
		var out strings.Builder
		if err := DiffBundles(&out, a, b, DiffOptions{JSON: true}); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(out.String()), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read(first, second)
	names := map[string]string{}
	for _, setting := range d.Settings {
		names[setting.Name] = string(setting.A) + " " + string(setting.B)
	}
	if want := map[string]string{"options.max_osl": "0 1", "random_seed": "0 1152921504606846976"}; !reflect.DeepEqual(names, want) {
		t.Errorf("settings %v, want %v", names, want)
	}
	if d.Same || !d.Text || d.Common != 7 || len(d.Windows) != 7 {
		t.Errorf("same %v, text %v, %d common, windows %v", d.Same, d.Text, d.Common, d.Windows)
	}
	turns := 0
	for _, plan := range d.Plans {
		for _, turn := range plan.Turns {
			turns++
			if len(turn.Fields) != 1 || turn.Fields[0].Name != "max" || string(turn.Fields[0].B) != "1" {
				t.Errorf("%s: %+v", plan.Trace, turn)
			}
		}
	}
	// Every root turn with an output over 1: same_id 2, hashless 1, partial 2, cut 2, children 2.
	if turns != 9 {
		t.Errorf("%d turns differ, want 9: %+v", turns, d.Plans)
	}
	if d := read(second, second); !d.Same || d.Common != 7 || len(d.Settings)+len(d.Plans) != 0 {
		t.Errorf("of one bundle: %+v", d)
	}
}

func TestDiffOfPlans(t *testing.T) {
	plan := func(turns ...int64) *corpus.Plan {
		p := &corpus.Plan{Trace: "t", Conversations: []corpus.Conversation{{ID: "t"}}}
		for _, in := range turns {
			p.Conversations[0].Turns = append(p.Conversations[0].Turns, corpus.Turn{In: in})
		}
		return p
	}
	other := plan(1, 3)
	other.Conversations = append(other.Conversations, corpus.Conversation{ID: "t::sa:x"})
	d, err := comparePlans(plan(1, 2, 3), other)
	if err != nil || len(d.Turns) != 2 || d.Turns[0].Turn != 1 || string(d.Turns[0].Fields[0].B) != "3" || d.Turns[1].Only != "first" || len(d.OnlyA) != 0 || !reflect.DeepEqual(d.OnlyB, []corpus.ConversationID{"t::sa:x"}) {
		t.Errorf("%+v, %v", d, err)
	}
}
