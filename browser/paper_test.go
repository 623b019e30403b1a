package browser

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentx/internal/compare"
	"agentx/internal/compare/runtest"
	"agentx/internal/measure"
	"agentx/internal/view/diffview"
	"agentx/internal/view/reportpage"

	"github.com/chromedp/cdproto/emulation"
	printer "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// analysed is a simulated run of half a minute whose traces and errors have hostile names.
func analysed(t *testing.T, seed uint64, prefillPerSecond float64) *measure.Analysis {
	t.Helper()
	config := runtest.Usual(seed)
	config.Seconds, config.Server.PrefillTokensPerSecond, config.Server.ErrorRate = 30, prefillPerSecond, 0.05
	config.Rename = func(trace string) string { return trace + hostile }
	config.Settings = map[string]any{"goodput": "time_to_first_token:300"}
	run, err := runtest.Analyse(config)
	if err != nil {
		t.Fatal(err)
	}
	run.Config.Models = []string{hostile}
	for i := range run.Errors {
		run.Errors[i].Error.Message = hostile
	}
	return run
}

// still writes a page without scripts and opens it.
func still(t *testing.T, name string, write func(io.Writer) error) *session {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := write(file); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	s.open(path, "")
	return s
}

// wantText checks that the whole page shows a text.
func (s *session) wantText(text string) {
	s.t.Helper()
	s.wantPart(`document.body.textContent`, text)
}

// wantHarmless checks that nothing of the hostile names became markup, and that nothing is wider than the page.
func (s *session) wantHarmless() {
	s.t.Helper()
	s.want(`document.title === "owned"`, "false")
	s.want(`document.images.length + document.scripts.length + document.querySelectorAll("svg svg, [onload], [onerror], a").length`, "0")
	s.wantText("<img src=x onerror=\"document.title='owned'\">")
	s.wantText("&lt;")
	s.want(`document.documentElement.scrollWidth <= innerWidth`, "true")
}

// whole leaves a picture of the page from top to bottom.
func (s *session) whole(name string) {
	s.t.Helper()
	height := evaluate[float64](s, `document.documentElement.scrollHeight`)
	s.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1600, Height: int64(height), DeviceScaleFactor: 1})
		return err
	})
	s.settle()
	s.shot(name)
}

func TestReportOpensOfflineAndHostileNamesStayText(t *testing.T) {
	t.Parallel()
	run := reportpage.Run{Label: "first </title><b>", Path: hostile, Analysis: analysed(t, 1, 4000)}
	s := still(t, "report.html", func(w io.Writer) error { return reportpage.HTML(w, []reportpage.Run{run}) })
	s.wantPart(`document.title`, "agentx report: first </title><b>")
	s.wantPart(`document.title`, "concurrency 8")
	s.wantHarmless()
	s.want(`document.querySelector("h2").textContent`, "Checklist")
	s.want(`document.querySelectorAll("table")[0].querySelectorAll("tbody tr").length >= 6`, "true")
	s.want(`[...document.querySelectorAll("table")[0].querySelectorAll("tbody tr")].every((row) => row.cells[2].textContent !== "")`, "true")
	s.want(`document.querySelectorAll("figure svg").length >= 6`, "true")
	s.whole("report")
	s.quiet()
}

// A page prints: on paper nothing is cut off at the right, and there are several sheets.
func TestReportPrints(t *testing.T) {
	t.Parallel()
	run := reportpage.Run{Label: "printed", Path: "run.db", Analysis: analysed(t, 1, 4000)}
	s := still(t, "report.html", func(w io.Writer) error { return reportpage.HTML(w, []reportpage.Run{run}) })
	var pdf []byte
	s.call(func(ctx context.Context) error {
		printed, err := chromedp.Call(ctx, printer.PrintToPDF, printer.PrintToPDFParams{PrintBackground: new(true)})
		if err == nil {
			pdf = printed.Data
		}
		return err
	})
	if sheets := strings.Count(string(pdf), "/Type /Page\n"); sheets < 2 {
		t.Errorf("the report prints on %d sheets (%d bytes)", sheets, len(pdf))
	}
	if err := os.WriteFile(filepath.Join(screenshots, "report.pdf"), pdf, 0o644); err != nil {
		t.Fatal(err)
	}
	s.quiet()
}

func TestReportOfSeveralRunsOpens(t *testing.T) {
	t.Parallel()
	runs := []reportpage.Run{
		{Label: "a", Analysis: analysed(t, 1, 4000)}, {Label: "b </svg>", Analysis: analysed(t, 1, 2000)}, {Label: "c", Analysis: analysed(t, 1, 8000)},
	}
	s := still(t, "report.html", func(w io.Writer) error { return reportpage.HTML(w, runs) })
	s.want(`document.title`, "agentx report: 3 runs")
	s.wantHarmless()
	s.wantText("Throughput against interactivity")
	s.want(`[...document.querySelectorAll("svg text")].some((text) => text.textContent === "b </svg>")`, "true")
	s.whole("report-several")
	s.quiet()
}

func TestDiffOpensOfflineAndHostileNamesStayText(t *testing.T) {
	t.Parallel()
	side := func(label string, prefillPerSecond float64) compare.Side {
		return compare.Side{Label: label, Runs: []*measure.Analysis{analysed(t, 1, prefillPerSecond)}, Paths: []string{hostile}}
	}
	comparison, err := compare.Runs(side("before", 4000), side("after </h1>", 2000), compare.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	s := still(t, "diff.html", func(w io.Writer) error { return diffview.HTML(w, &diffview.Input{Comparison: comparison}) })
	s.wantPart(`document.title`, "B after </h1>")
	s.wantHarmless()
	s.wantText("Both sides on one axis")
	s.want(`document.querySelectorAll("figure svg").length >= 4`, "true")
	s.wantText("time_to_first_token over the same turns")
	folded := evaluate[int](s, `document.querySelectorAll("details").length`)
	if folded > 0 {
		s.do(chromedp.Click(chromedp.CSS("details summary")))
		s.want(`document.querySelector("details").open`, "true")
	}
	s.whole("diff")
	s.quiet()
}
