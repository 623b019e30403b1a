package swimlane

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// fakeECharts stands for the chart script where only the page's structure is looked at.
var fakeECharts = []byte("var echarts = null;")

func renderPage(t *testing.T, options HTMLOptions, runs ...*Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, runs, options); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// dataOf parses the page and returns its data block, letter by letter, and how many elements of each kind there are.
func dataOf(t *testing.T, page string) (data string, elements map[string]int) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	elements = map[string]int{}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		elements[node.Data]++
		for _, a := range node.Attr {
			if a.Key == "id" && a.Val == "data" {
				data = node.FirstChild.Data
			}
		}
	}
	return data, elements
}

// Case 43 of the known faults, with the swim-lane's own names and messages.
func TestHostileNamesStayDataInHTML(t *testing.T) {
	clean, elements := dataOf(t, renderPage(t, HTMLOptions{ECharts: fakeECharts}, handmade()))
	run := renamed(handmade(), hostile)
	run.Plays[0].Streams[0].Requests[0].Error = hostile
	page := renderPage(t, HTMLOptions{ECharts: fakeECharts}, run)
	data, after := dataOf(t, page)
	for name, count := range elements {
		if after[name] != count {
			t.Errorf("%d <%s> with hostile names, %d without", after[name], name, count)
		}
	}
	if len(after) != len(elements) || clean == "" {
		t.Errorf("elements %v with hostile names, %v without", after, elements)
	}
	if regexp.MustCompile(`[<>&\x{2028}\x{2029}]`).MatchString(data) {
		t.Error("the data block holds a raw < > & U+2028 or U+2029")
	}
	var decoded payload
	if err := json.Unmarshal([]byte(data), &decoded); err != nil {
		t.Fatal(err)
	}
	if want := "t</script><b>x <!-- ‹U+001B›[31m ‹U+202E›‹U+2028› &lt; ]]>"; !strings.HasPrefix(decoded.Traces[0], want) {
		t.Errorf("the trace is shown as %q", decoded.Traces[0])
	}
}

// Nothing in a page points outside of it.
func TestPageHasNoReferenceToElsewhere(t *testing.T) {
	page := renderPage(t, HTMLOptions{ECharts: fakeECharts}, handmade())
	if found := regexp.MustCompile(`(?i)(src|href)=["']?[a-z]+:|\burl\(|@import|https?://`).FindString(page); found != "" {
		t.Errorf("the page refers to something outside: %q", found)
	}
}

// A build without the chart script still gives a page: the drawing, and one line that says why.
func TestPageWithoutChartScriptCarriesTheDrawing(t *testing.T) {
	page := renderPage(t, HTMLOptions{}, handmade())
	if !strings.Contains(page, "built without the chart script") || strings.Count(page, "<svg") != 1 {
		t.Error("expected the SVG and a line that says why")
	}
	if strings.Contains(page, "<script") {
		t.Error("a page without a chart needs no script")
	}
}

// Every request of the run is in the page's data: columns have one entry for each.
func TestPayloadHoldsEveryRequest(t *testing.T) {
	run := handmade()
	layout := Lay(run)
	p := payloadOf([]*Run{run}, []*Layout{layout}).Runs[0]
	if len(layout.Bars) != 13 || len(p.Requests.Start) != 13 || len(p.Requests.Late) != 13 || len(p.Requests.RequestID) != 13 {
		t.Fatalf("layout %d, start %d, late %d: expected the 13 requests of the run", len(layout.Bars), len(p.Requests.Start), len(p.Requests.Late))
	}
	total := 0
	for _, count := range p.Streams.Requests {
		total += count
	}
	if total != 13 || len(p.Waits.Kind) != len(layout.Waits) {
		t.Errorf("streams hold %d requests and %d waits, expected 13 and %d", total, len(p.Waits.Kind), len(layout.Waits))
	}
	// the axis' zero is the start of profiling, at 3 s of the run: A[2] was sent at 8 s
	if p.Requests.Start[2] != 5_000_000 || p.Requests.First[2] != 500_000 || p.Requests.End[2] != 2_000_000 || *p.Requests.Late[2] != 3_000_000 {
		t.Errorf("A[2] is at %d, first %d, end %d, late %d µs", p.Requests.Start[2], p.Requests.First[2], p.Requests.End[2], *p.Requests.Late[2])
	}
	if p.Marks[1].Name != "duration end" || p.Marks[1].From != 10_000_000 {
		t.Errorf("mark %+v, expected the duration's end at exactly the duration", p.Marks[1])
	}
}

// Curves that are finer than a screen are coarsened, never cut, and the page says so.
func TestLongCurvesAreCoarsenedAndSaid(t *testing.T) {
	run := handmade()
	curve := Curve{Name: "busy", Panel: PanelTokens}
	for i := range 3 * curveLimit {
		curve.Steps = append(curve.Steps, Step{int64(i) * at(15.5) / (3 * curveLimit), float64(i % 7)})
	}
	run.Curves = []Curve{curve}
	p := payloadOf([]*Run{run}, []*Layout{Lay(run)}).Runs[0]
	if n := len(p.Curves[0].Step); n > curveLimit || n < curveLimit/2 {
		t.Errorf("the page's curve has %d steps", n)
	}
	if last := p.Notes[len(p.Notes)-1]; !strings.Contains(last, "curves are in steps of 0.78 ms") {
		t.Errorf("the page says %q", last)
	}
}
