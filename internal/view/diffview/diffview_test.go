package diffview

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/eventlog"
	"agentx/internal/compare"
	"agentx/internal/compare/runtest"
	"agentx/internal/measure"
	"agentx/internal/measure/logtest"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "write the golden files anew")

// handmade is a log of eleven lanes with one tree each, which sends two turns in a window of 10 s: the
// first token comes after 100 ms and 10 ms for each lane, times a factor in percent, and an answer of
// four tokens, one every 20 ms, follows. Each factor is a run of its own, with its own start.
func handmade(t *testing.T, percent int64, settings map[string]any) *measure.Analysis {
	t.Helper()
	log := logtest.New()
	log.Row(eventlog.KindRunConfig, 0, logtest.Nowhere(), logtest.Config("", settings))
	log.Row(eventlog.KindAnchor, 0, logtest.Nowhere(), eventlog.Anchor{WallNs: logtest.WallNs + percent*1e9, Why: "start"})
	names := []string{"ash", "birch", "cedar", "elm", "fir", "gum", "holly", "ivy", "juniper", "kauri", "larch"}
	for i, name := range names {
		plan := logtest.Beta()
		plan.Trace, plan.Conversations[0].ID = corpus.TraceID(name), corpus.ConversationID(name)
		log.Trace(0, i, plan)
	}
	log.Row(eventlog.KindPhaseStart, 0, logtest.Nowhere(), map[string]any{"phase": "profiling", "lanes": len(names), "duration_ns": int64(10e9)})
	for i, name := range names {
		at := logtest.At{Lane: int64(i), Play: int64(i), Stream: -1, Turn: -1, Exchange: -1}
		log.Row(eventlog.KindTreeOpen, 0, at, map[string]any{"phase": "profiling", "plan": i, "trace": name, "kind": "full", "pass": 0})
		at.Stream = int64(i)
		log.Row(eventlog.KindStreamOpen, 0, at, map[string]any{"c": 0, "id": name, "depth": 0, "parent": -1, "turns": 3, "next": 1, "origin": "snapshot", "branch": -1, "join": -1})
	}
	exchange := int64(0)
	for turn := range int64(2) {
		for i := range names {
			sent := 4500*turn + 400*int64(i)
			first := sent + 1 + (100+10*int64(i))*percent/100
			log.Send(logtest.Request{Phase: "profiling", Credit: int(exchange), At: logtest.At{Lane: int64(i), Play: int64(i), Stream: int64(i), Turn: turn, Exchange: exchange},
				Due: sent, Sent: sent, Chunks: []int64{first, first + 20, first + 40, first + 60}, Tail: first + 61, End: first + 62, Prompt: 128 * (turn + 1), Output: 4, Cached: 64 * turn, Reach: 64 * turn, Max: 4})
			exchange++
		}
	}
	log.Row(eventlog.KindSendingComplete, 10e9, logtest.Nowhere(), map[string]any{"phase": "profiling", "why": "duration", "sent": exchange})
	log.Row(eventlog.KindPhaseComplete, 10e9, logtest.Nowhere(), map[string]any{"phase": "profiling", "counts": map[string]any{"sent": exchange, "completed": exchange}, "timed_out": true})
	log.Row(eventlog.KindRunComplete, 10e9, logtest.Nowhere(), map[string]any{"why": "done"})
	log.Row(eventlog.KindRunEnd, 10e9, logtest.Nowhere(), eventlog.RunEnd{Reason: "done"})
	a, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func input(t *testing.T, a, b compare.Side, force bool, thresholds ...string) *Input {
	t.Helper()
	options := compare.DefaultOptions()
	options.Force, options.Changes = force, 3
	c, err := compare.Runs(a, b, options)
	if err != nil {
		t.Fatal(err)
	}
	in := &Input{Comparison: c}
	for _, text := range thresholds {
		threshold, err := compare.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		in.Checks = append(in.Checks, c.Check(threshold))
	}
	return in
}

func written(t *testing.T, write func(io.Writer, *Input) error, in *Input) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, in); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The comparison of two hand-made logs, the second with first tokens that come 10 % later, as text,
// Markdown and JSON.
func TestGoldenComparison(t *testing.T) {
	a := compare.Side{Label: "before", Paths: []string{"before/run.db"}, Runs: []*measure.Analysis{handmade(t, 100, nil)}}
	b := compare.Side{Label: "after", Paths: []string{"after/run.db"}, Runs: []*measure.Analysis{handmade(t, 110, map[string]any{"per-chunk-usage": true})}}
	in := input(t, a, b, false, "time_to_first_token.p99>+5%", "request_throughput<-1%")
	for name, write := range map[string]func(io.Writer, *Input) error{"diff.txt": Text, "diff.md": Markdown, "diff.json": JSON} {
		got := written(t, write, in)
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; got\n%s", path, got)
		}
	}
	if again := written(t, JSON, input(t, a, b, false, "time_to_first_token.p99>+5%", "request_throughput<-1%")); again != written(t, JSON, in) {
		t.Error("the same logs give another comparison")
	}
}

const hostile = "t</script><b>x <!-- <img src=x onerror=\"document.title='owned'\"> \x1b[2J\u202e|`*_[a](javascript:x)"

// Case 43 of the known faults: names of any kind are text in every form.
func TestHostileNamesStayText(t *testing.T) {
	config := runtest.Usual(1)
	config.Seconds, config.Rename = 60, func(trace string) string { return trace + hostile }
	run := func(setting string) *measure.Analysis {
		config.Settings = map[string]any{"model": setting}
		a, err := runtest.Analyse(config)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := compare.Side{Label: "a" + hostile, Paths: []string{"a" + hostile}, Runs: []*measure.Analysis{run(hostile)}}
	config.Server.PrefillTokensPerSecond /= 2
	b := compare.Side{Label: "b", Paths: []string{"b"}, Runs: []*measure.Analysis{run("other")}}
	in := input(t, a, b, false)
	in.All = true
	page := written(t, HTML, in)
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for node := range document.Descendants() {
		if node.Type == html.TextNode {
			shown += strings.Count(node.Data, "t</script><b>x <!-- <img")
		}
		if node.Type == html.ElementNode && (node.Data == "script" || node.Data == "img" || node.Data == "b" || node.Data == "a") {
			t.Errorf("element %s: text became markup", node.Data)
		}
		for _, attribute := range node.Attr {
			if strings.HasPrefix(attribute.Key, "on") || attribute.Key == "style" || attribute.Key == "href" {
				t.Errorf("attribute %s on %s", attribute.Key, node.Data)
			}
		}
	}
	if shown < 20 {
		t.Errorf("the name is shown %d times", shown)
	}
	for name, text := range map[string]string{"text": written(t, Text, in), "markdown": written(t, Markdown, in), "page": page} {
		for _, bad := range []string{"\x1b", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
	}
	if text := written(t, Markdown, in); strings.Contains(text, "<b>") || strings.Contains(text, "[a](") {
		t.Error("Markdown holds markup")
	}
}

// The JSON of any comparison is JSON, with null where something is not known.
func TestJSONOfFewTreesHasNulls(t *testing.T) {
	mixed := func() *measure.Analysis {
		a, err := measure.Analyze(logtest.Mixed(), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	in := input(t, compare.Side{Label: "a", Runs: []*measure.Analysis{mixed()}}, compare.Side{Label: "b", Runs: []*measure.Analysis{mixed()}}, false)
	var got struct {
		Headline []struct {
			P      *float64 `json:"p"`
			Reason string   `json:"reason"`
			Word   string   `json:"word"`
		} `json:"headline"`
	}
	if err := json.Unmarshal([]byte(written(t, JSON, in)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Headline) < 8 {
		t.Errorf("%d headline rows", len(got.Headline))
	}
	for _, row := range got.Headline {
		if row.P != nil || row.Reason == "" || row.Word != "~" {
			t.Errorf("three trees tell something: %+v", row)
		}
	}
	if text := written(t, Text, in); !strings.Contains(text, "With fewer than 6 trees nothing can be told from chance") {
		t.Error("the text does not say why nothing can be said")
	}
}

// Both sides stand on one axis.
func TestPageDrawsBothSides(t *testing.T) {
	a := compare.Side{Label: "before", Runs: []*measure.Analysis{handmade(t, 100, nil)}}
	b := compare.Side{Label: "after", Runs: []*measure.Analysis{handmade(t, 110, nil)}}
	page := written(t, HTML, input(t, a, b, false))
	if n := strings.Count(page, "<svg"); n != 6 {
		t.Errorf("%d figures, expected 6", n)
	}
	for _, label := range []string{">A before</text>", ">B after</text>"} {
		if n := strings.Count(page, label); n != 5 {
			t.Errorf("%q stands %d times, expected 5", label, n)
		}
	}
	if strings.Contains(page, "<script") || !strings.Contains(page, "script-src 'none'") {
		t.Error("the page has scripts")
	}
}

// Numbers are shown with five digits, thousands apart, and never with an exponent.
func TestIntervalsAreShown(t *testing.T) {
	for _, c := range []struct {
		estimate compare.Estimate
		want     string
	}{
		{compare.Estimate{Scale: compare.ScaleRatio, Low: 0.98, High: 1.031}, "-2.00 % … +3.10 %"},
		{compare.Estimate{Scale: compare.ScaleDifference, Low: -1234.56, High: 0.00001}, "-1,234.6 … +0.00001 ms"},
	} {
		if got := interval(&c.estimate, "ms"); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
