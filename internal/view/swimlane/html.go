package swimlane

import (
	"bytes"
	_ "embed" // the page's markup, style and script
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentx/internal/view/page"
)

// HTMLOptions say what a page is made with.
type HTMLOptions struct {
	ECharts []byte // the chart script; without it the page carries the SVG and says so
}

//go:embed web/style.css
var pageStyle string

//go:embed web/body.html
var pageBody string

// HTML writes one page: one run, or several on one time axis, the first on top.
func HTML(w io.Writer, runs []*Run, options HTMLOptions) error {
	if len(runs) == 0 {
		return fmt.Errorf("swim-lane page: no run given")
	}
	layouts := make([]*Layout, 0, len(runs))
	for _, run := range runs {
		layouts = append(layouts, Lay(run))
	}
	if options.ECharts == nil {
		return drawingPage(w, runs, layouts)
	}
	frame := page.Page{
		Title:   titleOf(runs),
		Styles:  []string{pageStyle},
		Body:    pageBody,
		Data:    []page.Data{{ID: "data", Value: payloadOf(runs, layouts)}},
		Scripts: [][]byte{options.ECharts, pageScript()},
	}
	return frame.Write(w)
}

// titleOf names the page by its runs.
func titleOf(runs []*Run) string {
	names := make([]string, 0, len(runs))
	for _, run := range runs {
		names = append(names, run.Title)
	}
	return "swim-lane: " + strings.Join(names, " / ")
}

// drawingPage is the page of a build without the chart script.
func drawingPage(w io.Writer, runs []*Run, layouts []*Layout) error {
	var body bytes.Buffer
	body.WriteString("<p class=\"plain\">This program was built without the chart script (see `make assets`), so this page carries the drawing that --svg writes: no zoom, filters or search.</p>\n")
	for i, run := range runs {
		for _, part := range Pages(layouts[i], Options{}) {
			if err := SVG(&body, run, layouts[i], part); err != nil {
				return err
			}
		}
	}
	frame := page.Page{Title: titleOf(runs), Styles: []string{pageStyle}, Body: body.String()}
	return frame.Write(w)
}

func payloadOf(runs []*Run, layouts []*Layout) payload {
	out := payload{Traces: []string{}}
	for _, layout := range layouts {
		out.Traces = append(out.Traces, layout.Traces...)
	}
	slices.Sort(out.Traces)
	out.Traces = slices.Compact(out.Traces)
	out.Look = lookOf(len(out.Traces))
	texts := newInterner()
	for i, run := range runs {
		out.Runs = append(out.Runs, encode(run, layouts[i], out.Traces, texts))
	}
	out.Strings = texts.list
	out.Option = chartOption(panelsOf(runs))
	for i, trace := range out.Traces {
		out.Traces[i] = page.Visible(trace)
	}
	return out
}

// panelsOf lists the curve panels of all runs in order of first appearance.
func panelsOf(runs []*Run) []string {
	var panels []string
	for _, run := range runs {
		for _, curve := range run.Curves {
			if !slices.Contains(panels, curve.Panel) {
				panels = append(panels, curve.Panel)
			}
		}
	}
	return panels
}

func lookOf(traces int) look {
	l := look{Traces: []string{}, Prefill: []string{}, Marks: map[string]string{}, Shades: map[string]string{}}
	for i := range traces {
		l.Traces = append(l.Traces, hexOf(traceColour(i)))
		l.Prefill = append(l.Prefill, hexOf(prefillColour(traceColour(i))))
	}
	for status := range statusCount {
		l.Statuses = append(l.Statuses, status.String())
		colour := ""
		if fill := statusColour(status, white()); fill != white() {
			colour = hexOf(fill)
		}
		l.Status = append(l.Status, colour)
	}
	for kind := range waitCount {
		l.Waits = append(l.Waits, kind.String())
		colour := hexOf(waitColour(kind, white()))
		if kind == Pause {
			colour = ""
		}
		l.Wait = append(l.Wait, colour)
	}
	for i := range 5 {
		l.Curves = append(l.Curves, hexOf(curveColour(i)))
	}
	for _, name := range []string{"profiling start", "ramp done", "duration end", "grace end", "log ends"} {
		l.Marks[name] = hexOf(markColour(name))
	}
	for _, name := range []string{"warmup", "grace"} {
		l.Shades[name] = hexOf(shadeColour(name))
	}
	return l
}

// roundFigures rounds value to the given number of significant figures.
func roundFigures(value float64, figures int) float64 {
	if value == 0 || math.IsInf(value, 0) || math.IsNaN(value) {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(value, 'g', figures, 64), 64)
	if err != nil {
		return value
	}
	return short
}
