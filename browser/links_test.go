package browser

import (
	"os"
	"path/filepath"
	"testing"

	"agentx/internal/measure"
	"agentx/internal/measure/logtest"
	"agentx/internal/view/assets"
	"agentx/internal/view/fromrun"
	"agentx/internal/view/messages"
	"agentx/internal/view/swimlane"

	"github.com/chromedp/chromedp"
)

// bothPages writes the swim-lane and the messages page of one log into a folder, as the commands do, and
// returns the path of the first.
func bothPages(t *testing.T) string {
	t.Helper()
	script, embedded := assets.ECharts()
	if !embedded {
		t.Skip("echarts.min.js is not there: run `make assets`")
	}
	folder, log := t.TempDir(), logtest.Mixed()
	analysis, err := measure.Analyze(log, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := fromrun.SwimLane(analysis.Run, log, fromrun.About{Title: "mixed", Source: "run.db"})
	if err != nil {
		t.Fatal(err)
	}
	input, err := fromrun.Messages(analysis.Run, log, "mixed", "run.db")
	if err != nil {
		t.Fatal(err)
	}
	picture.Texts = "turn_messages.html"
	create := func(name string) *os.File {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	lanes, texts := create("swim_lane.html"), create("turn_messages.html")
	defer lanes.Close()
	defer texts.Close()
	if err := swimlane.HTML(lanes, []*swimlane.Run{picture}, swimlane.HTMLOptions{ECharts: script}); err != nil {
		t.Fatal(err)
	}
	if err := messages.HTML(texts, input, messages.DefaultLimits()); err != nil {
		t.Fatal(err)
	}
	return lanes.Name()
}

// A turn of the swim-lane shows its messages beside it, and its link opens the page of texts, from a file,
// at that turn.
func TestTurnOfTheSwimLaneLeadsToItsMessages(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(bothPages(t), "#turn=0.2.3.1") // run 0, play 2, stream 3, turn 1
	s.wantPart(`document.querySelector("#side h2").textContent`, "beta · turn 1")
	s.wantPart(`document.querySelector("#side .messages").textContent`, "tokensnew")
	s.do(chromedp.Click(chromedp.CSS("#side a")))
	s.settle()
	s.settle()
	s.wantPart(`location.pathname`, "/turn_messages.html")
	s.wantPart(page+`.querySelector("h2").textContent`, "beta")
	s.wantPart(page+`.querySelector(".here .line").textContent`, "1")
	s.want(`new URLSearchParams(location.hash.slice(1)).get("play")`, "2")
	s.shot("messages-from-lane")
	s.quiet()
}

// The figures of a window count only what lies inside it: a request that lasts from before the window to
// after it gives the part of its answer that falls into it, and neither a start nor an end.
func TestWindowCountsOnlyWhatLiesInside(t *testing.T) {
	t.Parallel()
	second := int64(1e9)
	none := swimlane.None
	request := func(turn int, start, first, end, output int64) swimlane.Request {
		return swimlane.Request{Turn: turn, Exchange: int64(turn), Phase: swimlane.Profiling, Outcome: "ok", Due: start, Start: start, FirstToken: first, End: end,
			Input: 1000, Output: output, Reasoning: none, Cached: 500, TheoryHit: none, Reach: none, MaxTokens: none, RecordedIn: none, RecordedOut: none, RecordedAPI: none, Gap: none}
	}
	run := &swimlane.Run{Title: "two requests", Source: "made up", Lanes: 1, Target: 1,
		Marks: swimlane.Marks{ProfilingStart: 0, RampEnd: none, DurationEnd: 100 * second, GraceEnd: none, End: 100 * second},
		Plays: []swimlane.Play{{Trace: "alpha", Opened: 0, Drained: none, Streams: []swimlane.Stream{{Conversation: "alpha", Kind: "root", Parent: -1, SpawnTurn: -1, JoinTurn: -1, Opened: 0, Closed: none,
			Requests: []swimlane.Request{request(0, 0, 10*second, 60*second, 501), request(1, 62*second, 64*second, 66*second, 101)}}}}},
	}
	run.Curves = swimlane.Fold(run)
	figure := func(label string) string {
		return `[...document.querySelectorAll("#stats span")].find((item) => item.textContent.startsWith("` + label + ` ")).textContent`
	}
	s := start(t)
	s.open(lanePage(t, run), "#window=20.0000,40.0000") // 200 of the 500 tokens after the first
	s.want(figure("output"), "output 10 tokens/s")
	s.want(figure("input"), "input 0 tokens/s")
	s.want(figure("started"), "started 0")
	s.wantPart(figure("ended"), "ended 0 ")
	s.want(figure("in flight, mean"), "in flight, mean 1")
	s.want(figure("cache hit"), "cache hit –")
	s.open(lanePage(t, run), "#window=61.0000,65.0000") // half of the second answer: its first token, and 50 of 100
	s.want(figure("output"), "output 12.8 tokens/s")
	s.want(figure("input"), "input 250 tokens/s")
	s.want(figure("started"), "started 1")
	s.wantPart(figure("first token p50 / p99"), "2.000 s")
	s.want(figure("cache hit"), "cache hit 50.0 %")
	s.quiet()
}
