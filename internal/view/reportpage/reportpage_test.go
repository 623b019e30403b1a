package reportpage

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/internal/compare/runtest"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/servermodel"
	"agentx/internal/view/figure"
	"agentx/internal/view/paper"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files anew")

func analysed(t *testing.T, source measure.Source, options measure.Options) *measure.Analysis {
	t.Helper()
	a, err := measure.Analyze(source, options)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The page of the hand-made log, as text.
func TestGoldenReport(t *testing.T) {
	run := Run{Label: "mixed", Path: "mixed/run.db", Analysis: analysed(t, logtest.Mixed(), measure.Options{Goodput: "time_to_first_token:250"})}
	var out bytes.Buffer
	if err := document([]Run{run}).Text(&out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "mixed.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("%s differs; got\n%s", path, out.String())
	}
}

// answers are the checklist's answers of a run, by question.
func answers(a *measure.Analysis) map[string]answer {
	got := map[string]answer{}
	for _, c := range checks(&Run{Analysis: a}) {
		got[c.question] = c.answer
	}
	return got
}

// Each row of the checklist changes its answer when what it asks for is missing.
func TestChecklistAnswers(t *testing.T) {
	run := func(change func(*runtest.Config)) *measure.Analysis {
		config := runtest.Usual(1)
		config.Seconds = 60
		change(&config)
		a, err := runtest.Analyse(config)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	good := run(func(*runtest.Config) {})
	good.Servers = []eventlog.ServerInfo{{URL: "http://x", Version: "1.2"}}
	for question, want := range map[string]answer{
		"All requests ran": yes, "The workload is the intended one": yes, "The state of the cache is known": yes, "Reasoning is told from text": none,
		"The run can be repeated": yes, "SLOs are judged by share and percentile": none, "The client kept the schedule": yes,
	} {
		if got := answers(good)[question]; got != want {
			t.Errorf("%s: %q, expected %q", question, got, want)
		}
	}
	changed := *good
	changed.Run = new(measure.Run)
	*changed.Run = *good.Run
	changed.Config.Version = "v1.2.3+dirty"
	if got := answers(&changed)["The run can be repeated"]; got != look {
		t.Errorf("a client built from a changed checkout: %q", got)
	}
	few := run(func(c *runtest.Config) { c.Server.ErrorRate = 0.2 })
	if got := answers(few); got["All requests ran"] != no || got["The run can be repeated"] != look {
		t.Errorf("failures, and a server without a version: %v", got)
	}
	unmarked := run(func(c *runtest.Config) { c.Settings = map[string]any{"cache-bust": "none"} })
	if got := answers(unmarked)["The state of the cache is known"]; got != look {
		t.Errorf("without a marker: %q", got)
	}
	short := run(func(c *runtest.Config) { c.Server.MeanOutputTokens = 20 })
	if got := answers(short)["The workload is the intended one"]; got != look {
		t.Errorf("answers that stop early: %q", got)
	}
	objective := run(func(c *runtest.Config) { c.Settings = map[string]any{"goodput": "time_to_first_token:100"} })
	if got := answers(objective)["SLOs are judged by share and percentile"]; got != yes {
		t.Errorf("with an objective: %q", got)
	}
	mixed := answers(analysed(t, logtest.Mixed(), measure.Options{}))
	if mixed["Reasoning is told from text"] != yes || mixed["All requests ran"] != no {
		t.Errorf("the hand-made log: %v", mixed)
	}
}

const hostile = "t</script><b>x <!-- <img src=x onerror=\"document.title='owned'\"> \x1b[2J\u202e"

// The tokenizer is told by name and digest, from the manifest in the log.
func TestTokenizerIsNamed(t *testing.T) {
	manifest := map[string]any{"recipe": map[string]any{"tokenizer": map[string]any{"name": "o200k_base", "digest": "77500c1d2b9e0f606d2a"}}}
	if got := tokenizer(manifest); got != "o200k_base (77500c1d2b9e)" {
		t.Errorf("the tokenizer is %q", got)
	}
	if got := tokenizer(map[string]any{"recipe": "what?"}); got != "" {
		t.Errorf("a manifest without one names %q", got)
	}
}

// Case 43 of the known faults: names of any kind are text; the page has no script, no style of its own on
// elements, no link.
func TestHostileNamesStayText(t *testing.T) {
	config := runtest.Usual(1)
	config.Seconds, config.Rename = 60, func(trace string) string { return trace + hostile }
	config.Server.ErrorRate = 0.1
	config.Settings = map[string]any{"model": hostile}
	a, err := runtest.Analyse(config)
	if err != nil {
		t.Fatal(err)
	}
	a.Config.Models, a.Config.Args, a.Config.Version = []string{hostile}, []string{hostile}, hostile
	a.Servers = []eventlog.ServerInfo{{URL: hostile, Version: hostile, Models: []string{hostile}, Error: hostile}}
	for i := range a.Errors {
		a.Errors[i].Error.Message = hostile
	}
	for _, runs := range [][]Run{{{Label: hostile, Path: hostile, Analysis: a}}, {{Label: hostile, Analysis: a}, {Label: "b", Analysis: a}}} {
		var page bytes.Buffer
		if err := HTML(&page, runs); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(page.String(), "\x1b\u202e") {
			t.Error("the page holds controls")
		}
		document, err := html.Parse(&page)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for node := range document.Descendants() {
			if node.Type == html.TextNode {
				shown += strings.Count(node.Data, "t</script><b>x <!-- <img")
			}
			if node.Type != html.ElementNode {
				continue
			}
			switch node.Data {
			case "script", "img", "b", "a", "iframe":
				t.Errorf("element %s: text became markup", node.Data)
			}
			for _, attribute := range node.Attr {
				if strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" || attribute.Key == "href" {
					t.Errorf("attribute %s on %s", attribute.Key, node.Data)
				}
			}
		}
		if shown < 5 {
			t.Errorf("the name is shown %d times", shown)
		}
	}
}

// The Pareto front holds exactly the spots that no other beats in both directions.
func TestFront(t *testing.T) {
	spots := []figure.Spot{
		{Point: figure.Point{X: 1, Y: 9}}, {Point: figure.Point{X: 5, Y: 5}}, {Point: figure.Point{X: 4, Y: 4}},
		{Point: figure.Point{X: 9, Y: 1}}, {Point: figure.Point{X: 9, Y: 0.5}}, {Point: figure.Point{X: 5, Y: 5}},
	}
	markFront(spots)
	for i, want := range []bool{true, true, false, true, false, true} {
		if spots[i].Front != want {
			t.Errorf("spot %d: %v, expected %v", i, spots[i].Front, want)
		}
	}
}

// Several runs: repetitions of one configuration get intervals of the means, other runs do not.
func TestSeveralRuns(t *testing.T) {
	run := func(label string, seed uint64, server servermodel.Config) Run {
		config := runtest.Usual(seed)
		config.Seconds, config.Server = 60, server
		if server != runtest.Usual(0).Server {
			config.Settings = map[string]any{"sim-token-ms": float64(server.TokenNs) / 1e6}
		}
		a, err := runtest.Analyse(config)
		if err != nil {
			t.Fatal(err)
		}
		return Run{Label: label, Analysis: a}
	}
	slower := runtest.Usual(0).Server
	slower.TokenNs *= 2
	same := []Run{run("a", 1, runtest.Usual(0).Server), run("b", 2, runtest.Usual(0).Server), run("c", 3, runtest.Usual(0).Server)}
	text := func(runs []Run) string {
		var out bytes.Buffer
		if err := document(runs).Text(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := text(same); !strings.Contains(got, "The 3 runs repeat one configuration") || !strings.Contains(got, "Run c") {
		t.Error("repetitions get no intervals")
	}
	// Rates of several runs are of what came before the end of the duration, as in the summary of several runs.
	table := overview(same)
	for i := range same {
		o := &same[i].Output
		output, requests := paper.Number(o.OutputTokens/o.Seconds()), paper.Number(float64(o.Completed)/o.Seconds())
		if row := table.Rows[i]; row[5].Text != output || row[6].Text != requests {
			t.Errorf("%s: rates %s and %s, expected %s and %s", same[i].Label, row[5].Text, row[6].Text, output, requests)
		}
		if metric, _ := same[i].Own.Get("output_token_throughput"); paper.Number(metric.Stats.Avg) == output {
			t.Errorf("%s: the run cannot tell the two windows apart", same[i].Label)
		}
	}
	if got := text([]Run{same[0], run("slow", 1, slower)}); strings.Contains(got, "repeat one configuration") || !strings.Contains(got, "sim-token-ms") {
		t.Error("different runs are taken for repetitions, or their difference is not named")
	}
}

// A server whose version holds its name is not named twice.
func TestServerNameIsSaidOnce(t *testing.T) {
	for _, c := range [][3]string{{"agentx-mock", "agentx-mock", "agentx-mock"}, {"vllm", "0.9.1", "vllm 0.9.1"}, {"", "0.9.1", "0.9.1"}, {"sglang", "", "sglang"}, {"vllm", "vllm 0.9", "vllm 0.9"}} {
		if got := serverName(c[0], c[1]); got != c[2] {
			t.Errorf("%q of %q and %q", got, c[0], c[1])
		}
	}
}

// A log that ends anywhere gives a page.
func TestCutLogsGiveAPage(t *testing.T) {
	log := logtest.Mixed()
	for rows := 1; rows < log.Len(); rows += 3 {
		run := Run{Label: "cut", Analysis: analysed(t, log.Cut(rows), measure.Options{})}
		var page bytes.Buffer
		if err := HTML(&page, []Run{run}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.String(), "interrupted") {
			t.Errorf("%d rows: the page does not say that the run was interrupted", rows)
		}
		if strings.Contains(page.String(), "NaN") {
			t.Errorf("%d rows: the page holds NaN", rows)
		}
	}
}
