package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"agentx/internal/view/assets"
	"agentx/internal/view/swimlane"
	"agentx/internal/view/swimlane/synthetic"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// lanePage writes the page of made-up runs and returns its path.
func lanePage(t *testing.T, runs ...*swimlane.Run) string {
	t.Helper()
	script, embedded := assets.ECharts()
	if !embedded {
		t.Skip("echarts.min.js is not there: run `make assets`")
	}
	path := filepath.Join(t.TempDir(), "swim_lane.html")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := swimlane.HTML(file, runs, swimlane.HTMLOptions{ECharts: script}); err != nil {
		t.Fatal(err)
	}
	return path
}

func small() *swimlane.Run {
	return synthetic.Run(synthetic.Shape{Lanes: 6, DurationSeconds: 90, Traces: 12, Seed: 1, Hostile: true})
}

// window is the text of the window statistics in the footer.
const window = `document.querySelector("#stats b").textContent`

func TestSwimLaneOpensOfflineAndHostileNamesStayText(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(lanePage(t, small()), "")
	s.want(`document.title`, "synthetic run of 6 lanes")
	s.want(`document.images.length`, "0")
	s.want(`document.querySelectorAll("#f-trace option").length > 3`, "true")
	s.wantPart(`document.querySelector("#f-trace").textContent`, "t</script><b>x")
	s.wantPart(`document.querySelector("#f-trace").textContent`, "‹U+2028›‹U+202E›&lt;")
	s.wantPart(window, "-6.00 s to 102.00 s")
	s.wantPart(`document.getElementById("legend").textContent`, "before first tokenanswering (colour: trace)recorded pausejoin wait")
	s.wantPart(`document.getElementById("legend").textContent`, "error")
	// the picture is there: the canvas is not one colour
	s.want(`(() => { const c = document.querySelector("#chart canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i+1] << 8 | d[i+2]); return seen.size > 50; })()`, "true")
	s.shot("small")
	s.quiet()
}

// A run that was stopped before its first request is still a page.
func TestSwimLaneOfAnEmptyRunOpens(t *testing.T) {
	t.Parallel()
	none := swimlane.None
	empty := &swimlane.Run{Title: "nothing happened", Lanes: 2, Marks: swimlane.Marks{ProfilingStart: none, RampEnd: none, DurationEnd: none, GraceEnd: none, End: 5e9, Interrupted: true}}
	opened := *empty
	opened.Plays = []swimlane.Play{{Trace: "alpha", Opened: 1e9, Drained: none}}
	opened.Curves = swimlane.Fold(&opened)
	for _, run := range []*swimlane.Run{empty, &opened} {
		s := start(t)
		s.open(lanePage(t, run), "")
		s.want(`document.title`, "nothing happened")
		s.wantPart(`document.getElementById("stats").textContent`, "requests touching 0")
		s.quiet()
	}
}

func TestSwimLaneZoomPanAndAddressBar(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(lanePage(t, small()), "#t=10.0000,30.0000")
	s.wantPart(window, "10.000 s to 30.000 s (20.000 s)")
	s.run(`document.getElementById("stage").dispatchEvent(new WheelEvent("wheel", {deltaY: -120, clientX: 700, clientY: 300, bubbles: true, cancelable: true}))`)
	s.settle()
	zoomed := s.text(window)
	s.do(chromedp.KeyEvent(kb.ArrowRight))
	s.settle()
	if moved := s.text(window); moved == zoomed {
		t.Errorf("the arrow key did not move the window from %q", zoomed)
	}
	s.wantPart(`location.hash`, "#t=")
	hash := s.text(`location.hash`)
	moved := s.text(window)
	s.do(chromedp.KeyEvent("0"))
	s.settle()
	s.wantPart(window, "-6.00 s")
	s.want(`location.hash`, "")
	s.run(`location.hash = "` + hash + `"`)
	s.settle()
	s.want(window, moved)
	s.quiet()
}

// A warmup that is much longer than what was measured is on the axis, and the page opens after most of it.
func TestSwimLaneOpensAtWhatWasMeasured(t *testing.T) {
	t.Parallel()
	run := small()
	for i := range run.Plays {
		run.Plays[i].Opened -= 300e9
	}
	s := start(t)
	s.open(lanePage(t, run), "")
	s.wantPart(window, "-22.00 s to 102.00 s")
	s.want(`location.hash`, "")
	s.wantPart(`document.getElementById("stats").textContent`, "fit all shows the whole warmup")
	s.do(chromedp.KeyEvent("0"))
	s.settle()
	s.wantPart(window, "-310.00 s to 102.00 s")
	s.wantPart(`location.hash`, "t=-310")
	s.do(chromedp.KeyEvent(kb.Home))
	s.settle()
	s.wantPart(window, "-22.00 s to 102.00 s")
	s.quiet()
}

func TestSwimLaneFiltersSearchAndStatistics(t *testing.T) {
	t.Parallel()
	run := small()
	total, failed, children := 0, 0, 0
	for _, play := range run.Plays {
		for _, stream := range play.Streams {
			for _, request := range stream.Requests {
				total++
				if request.Status == swimlane.Failed {
					failed++
				}
				if stream.Depth == 1 {
					children++
				}
			}
		}
	}
	s := start(t)
	s.open(lanePage(t, run), "")
	s.choose("f-depth", "1")
	s.want(`document.getElementById("matches").textContent`, fmt.Sprintf("%d of %d match", children, total))
	s.wantPart(`location.hash`, "depth=1")
	s.choose("f-depth", "")
	s.choose("f-status", "2")
	s.want(`document.getElementById("matches").textContent`, fmt.Sprintf("%d of %d match", failed, total))
	s.wantPart(`document.getElementById("stats").textContent`, fmt.Sprintf("(0 ok, %d error, 0 overflow, 0 cut off)", failed))
	s.choose("f-status", "")
	s.choose("search", "worker</b> died")
	s.want(`document.getElementById("matches").textContent`, fmt.Sprintf("%d of %d match", failed, total))
	s.do(chromedp.Click(chromedp.CSS("#b-failed")))
	s.settle()
	s.wantPart(`document.getElementById("side").textContent`, "internal server error: <b>worker</b> died")
	s.want(`document.querySelectorAll("#side b").length`, "0")
	s.wantPart(`document.querySelector("#side a").getAttribute("href")`, "turn_messages.html#play=")
	s.wantPart(`document.querySelector("#side .messages").textContent`, "tokensnew")
	s.shot("small-failure")
	s.do(chromedp.KeyEvent(kb.Escape))
	s.settle()
	s.want(`document.getElementById("side").hidden`, "true")
	s.want(`document.getElementById("matches").textContent`, "")
	s.quiet()
}

func TestSwimLaneHoverAndClickTellTheRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(lanePage(t, small()), "")
	box := `document.getElementById("stage").getBoundingClientRect()`
	x, y := evaluate[float64](s, box+".left")+500, evaluate[float64](s, box+".top")+40
	told := `document.getElementById("tip").textContent.includes("input / output tokens")`
	for range 60 { // down along one instant, until a request is under the pointer
		y += 5
		s.do(chromedp.MouseEvent(chromedp.MouseMoved, x, y))
		if evaluate[bool](s, told) {
			break
		}
	}
	s.want(told, "true")
	s.want(`document.getElementById("tip").hidden`, "false")
	s.do(chromedp.MouseClickXY(x, y))
	s.settle()
	s.wantPart(`document.getElementById("side").textContent`, "turns of this conversation")
	s.wantPart(`location.hash`, "turn=0.")
	s.shot("small-details")
	s.quiet()
}

// Two runs stand on one axis, the same turns paired: a request knows its counterpart, and colours show
// which turns changed.
func TestSwimLaneOfTwoRunsPairsTheirTurns(t *testing.T) {
	t.Parallel()
	slower := synthetic.Run(synthetic.Shape{Lanes: 6, DurationSeconds: 90, Traces: 12, Seed: 1, Hostile: true, PrefillPerSecond: 3000})
	slower.Title = "slower prefill"
	s := start(t)
	s.open(lanePage(t, small(), slower), "#colour=dFirst")
	s.want(`document.title`, "synthetic run of 6 lanes / slower prefill")
	s.want(`document.getElementById("colour").value`, "dFirst")
	s.want(`document.querySelectorAll("#scale i").length`, "9")
	s.shot("together-change")
	s.choose("colour", "trace")
	s.want(`document.querySelectorAll("#scale i").length`, "0")
	first := slower.Plays[0]
	s.open(lanePage(t, small(), slower), fmt.Sprintf("#turn=1.%d.%d.1", first.ID, first.Streams[0].ID))
	s.wantPart(`document.getElementById("side").textContent`, "in the other run")
	s.shot("together")
	s.quiet()
}

// The curves can give their room to the lanes, all of them or all but one; the address bar keeps it. Of two
// runs each has figures of its own.
func TestSwimLaneCurvesGiveWayToLanes(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(lanePage(t, small()), "#curves=none")
	s.want(`document.getElementById("curves").value`, "none")
	s.shot("small-lanes-only")
	s.choose("curves", "decode")
	s.wantPart(`location.hash`, "curves=decode")
	s.shot("small-decode")
	s.do(chromedp.KeyEvent("c"))
	s.settle()
	s.want(`document.getElementById("curves").value`, "all")
	s.want(`location.hash`, "")
	s.open(lanePage(t, small(), small()), "")
	s.want(`document.querySelectorAll("#stats .run").length`, "2")
	s.want(`[...document.querySelectorAll("#stats span")].filter((item) => item.textContent.startsWith("started 93")).length`, "2")
	s.quiet()
}

func TestSwimLaneColoursByFigures(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.open(lanePage(t, small()), "")
	for _, name := range []string{"first", "took", "input", "fresh", "output", "share", "late"} {
		s.choose("colour", name)
		s.want(`document.querySelectorAll("#scale i").length`, "9")
		s.wantPart(`location.hash`, "colour="+name)
	}
	s.shot("small-lateness")
	s.quiet()
}

// Large runs open and stay whole: every request is in the page, whatever fits on the screen.
func TestSwimLaneOfLargeRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		shape synthetic.Shape
	}{
		{"64-lanes", synthetic.Shape{Lanes: 64, DurationSeconds: 300, Traces: 40, Seed: 2}},
		{"256-lanes", synthetic.Shape{Lanes: 256, DurationSeconds: 1800, Traces: 60, Seed: 3, PauseSeconds: 2.2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := synthetic.Run(c.shape)
			path := lanePage(t, run)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() > 30<<20 {
				t.Errorf("the page has %d bytes, at most 30 MiB are wanted", info.Size())
			}
			s := start(t)
			began := time.Now()
			s.open(path, "")
			opened := time.Since(began)
			requests := run.Facts[0].Value
			counted := evaluate[int](s, `JSON.parse(document.getElementById("data").textContent).runs[0].requests.start.length`)
			if fmt.Sprint(counted) != requests {
				t.Errorf("the page holds %d requests, the run made %s", counted, requests)
			}
			s.shot(c.name)
			frame := evaluate[float64](s, `(async () => { const t = performance.now(); document.getElementById("stage").dispatchEvent(new WheelEvent("wheel", {deltaY: -60, clientX: 700, clientY: 300, bubbles: true})); await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); return performance.now() - t; })()`, chromedp.EvalAwaitPromise)
			t.Logf("%s requests, %.1f MB, opened in %v (0.3 s of it a pause), a zoom step takes %.0f ms", requests, float64(info.Size())/1e6, opened, frame)
			s.quiet()
		})
	}
}
