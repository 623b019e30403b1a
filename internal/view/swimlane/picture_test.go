package swimlane

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"
)

const hostile = "t</script><b>x <!-- \x1b[31m \u202e\u2028 &lt; ]]> </title><script>alert(1)</script>"

func renamed(run *Run, trace string) *Run {
	run.Title, run.Source = trace, trace
	for i := range run.Plays {
		run.Plays[i].Trace = trace
		for s := range run.Plays[i].Streams {
			run.Plays[i].Streams[s].Conversation = trace
		}
	}
	return run
}

// Names come from traces: whatever they are, an SVG stays well-formed and holds nothing but drawing.
func TestHostileNamesStayTextInSVG(t *testing.T) {
	run := renamed(handmade(), hostile)
	var out bytes.Buffer
	if err := SVG(&out, run, Lay(run), Options{}); err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"svg": true, "title": true, "rect": true, "path": true, "text": true, "defs": true, "pattern": true}
	decoder := xml.NewDecoder(&out)
	texts := ""
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !allowed[token.Name.Local] {
				t.Errorf("element <%s> in a drawing", token.Name.Local)
			}
		case xml.CharData:
			texts += string(token)
		}
	}
	if !strings.Contains(texts, "t</script><b>x <!-- ‹U+001B›[31m ‹U+202E›‹U+2028› &lt; ]]>") {
		t.Error("the trace's name is not shown letter by letter")
	}
}

// The two renderers draw on the same positions: the PNG's pixels are where the picture's arithmetic says.
func TestBoundariesAndBarsAreAtTheirPixels(t *testing.T) {
	run := handmade()
	layout := Lay(run)
	p, err := newPicture(run, layout, Options{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	img := rendered(t, run, layout, Options{Scale: 1})
	for _, mark := range layout.Marks {
		if found := img.At(p.x(mark.At), p.lanesBottom-2); !isColour(found, markColour(mark.Name)) && mark.Name == "profiling start" {
			t.Errorf("%s: pixel %d is %v", mark.Name, p.x(mark.At), found)
		}
	}
	for _, c := range []struct {
		what string
		at   float64
		row  int
		want color.NRGBA
	}{
		{"before the first token of A[2]", 8.2, 0, prefillColour(traceColour(0))},
		{"answer of A[2]", 9.5, 0, traceColour(0)},
		{"answer of a subagent", 5.5, 1, mix(traceColour(0), white(), 0.25)},
		{"join wait of A[2]", 6.5, 0, waitColour(Join, traceColour(0))},
		{"barrier", 6.5, 4, waitColour(Barrier, traceColour(1))},
		{"slot wait", 11.5, 4, waitColour(Slot, traceColour(1))},
	} {
		y, _ := p.rowTop(c.row)
		if found := img.At(p.x(at(c.at)), y+p.rowHeight/2); !isColour(found, c.want) {
			t.Errorf("%s: pixel is %v, expected %v", c.what, found, c.want)
		}
	}
}

// A request of a millisecond in a run of minutes is a fraction of a pixel: if it failed it is seen.
func TestShortFailuresAreNeverTooSmallToSee(t *testing.T) {
	run := handmade()
	run.Marks.End = at(180)
	layout := Lay(run)
	p, err := newPicture(run, layout, Options{Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, bar := range layout.Bars {
		x0, first, x1 := p.barPixels(bar)
		if x1-x0 < 1 || first < x0 || first > x1 {
			t.Errorf("bar %+v has pixels %d|%d|%d", bar, x0, first, x1)
		}
		if bar.Status.Pressed() && x1-x0 < 3 {
			t.Errorf("bar %+v must stand out and is %d pixels wide", bar, x1-x0)
		}
	}
	img := rendered(t, run, layout, Options{Scale: 1})
	failed := 0
	for y := p.lanesTop; y < p.lanesBottom; y++ {
		for x := p.left; x < p.right; x++ {
			if isColour(img.At(x, y), statusColour(Failed, white())) {
				failed++
			}
		}
	}
	if failed < 20 {
		t.Errorf("the failed request has %d red pixels, expected a sign of at least 20", failed)
	}
}

// What shares pixels with its neighbour is counted in the picture's own words.
func TestSharedPixelsAreCounted(t *testing.T) {
	run := handmade()
	crowd := &run.Plays[0].Streams[0]
	for i := range 500 {
		crowd.Requests = append(crowd.Requests, done(3+i, Profiling, 9, 9+float64(i)*1e-6, 9, 9+float64(i)*1e-6))
	}
	p, err := newPicture(run, Lay(run), Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(p.notes, "\n")
	if p.shared < 490 || !strings.Contains(said, fmt.Sprintf("%d of %d requests", p.shared, len(p.layout.Bars))) {
		t.Errorf("%d requests share pixels; the picture says %q", p.shared, said)
	}
}

// More than 64 lanes make several pictures which together show every lane once.
func TestPagesCoverAllLanes(t *testing.T) {
	run := &Run{Lanes: 130, Marks: Marks{ProfilingStart: 0, RampEnd: None, DurationEnd: None, GraceEnd: None, End: at(10)}}
	layout := Lay(run)
	next := 0
	for _, page := range Pages(layout, Options{}) {
		if page.FirstLane != next || page.LaneCount < 1 || page.LaneCount > PageLanes {
			t.Errorf("page %+v does not follow lane %d", page, next)
		}
		next += page.LaneCount
		if err := PNG(io.Discard, run, layout, page); err != nil {
			t.Error(err)
		}
	}
	if next != 130 {
		t.Errorf("the pages end at lane %d of 130", next)
	}
	if err := PNG(io.Discard, run, layout, Options{FirstLane: 129, LaneCount: 2}); err == nil {
		t.Error("lanes that the run does not have were drawn")
	}
}

func rendered(t *testing.T, run *Run, layout *Layout, options Options) image.Image {
	t.Helper()
	var out bytes.Buffer
	if err := PNG(&out, run, layout, options); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func isColour(found color.Color, want color.NRGBA) bool {
	r, g, b, _ := found.RGBA()
	return uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B
}

// A warmup that is much longer than what was measured does not push it to the edge: the picture begins
// after most of it and counts what lies before; the page opens there and has everything.
func TestLongWarmupLeavesRoomForTheMeasuredPart(t *testing.T) {
	run := handmade()
	later := at(1000)
	for i := range run.Plays {
		play := &run.Plays[i]
		if play.Drained != None {
			play.Drained += later
		}
		for s := range play.Streams {
			stream := &play.Streams[s]
			if stream.Closed != None {
				stream.Closed += later
			}
			for r := range stream.Requests {
				request := &stream.Requests[r]
				if request.Phase == Warmup {
					continue
				}
				for _, moment := range []*int64{&request.Due, &request.Start, &request.FirstToken, &request.End} {
					if *moment != None {
						*moment += later
					}
				}
			}
		}
	}
	for _, mark := range []*int64{&run.Marks.ProfilingStart, &run.Marks.DurationEnd, &run.Marks.GraceEnd, &run.Marks.End} {
		*mark += later
	}
	layout := Lay(run)
	if layout.Begin != 0 || layout.From > 0 || layout.Focus != at(1000.4) || layout.To != at(1015.6) {
		t.Errorf("axis %d..%d, the picture from %d: expected all of it on the axis, and the picture from 1000.4 s to 1015.6 s", layout.From, layout.To, layout.Focus)
	}
	var svg bytes.Buffer
	if err := SVG(&svg, run, layout, Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(svg.String(), "the warmup began 1003 s before profiling: 2 of its requests lie left of this picture") {
		t.Error("the picture does not say what lies left of it")
	}
	p, err := newPicture(run, layout, Options{})
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	p.visibleBars(func(_ Bar, _, x0, _, _ int) {
		if drawn++; x0 < p.left {
			t.Errorf("a request is drawn at %d, left of the lanes", x0)
		}
	})
	if drawn < 10 || drawn > 11 {
		t.Errorf("%d requests are drawn, expected the 11 that were not over before", drawn)
	}
}

// A guard that jumps before most turns does not cover the lanes with its signs; those left out are counted.
func TestCrowdedSignsOfIdleGuardsAreCounted(t *testing.T) {
	run := handmade()
	run.Shifts = nil
	for i := range 1000 {
		run.Shifts = append(run.Shifts, Shift{At: at(3) + int64(i)*at(10)/1000, Skipped: at(1), Lane: 0})
	}
	p, err := newPicture(run, Lay(run), Options{})
	if err != nil {
		t.Fatal(err)
	}
	drawn, before := 0, -1000
	crowded := p.visibleShifts(func(shift ShiftMark, _ int) {
		if x := p.x(shift.At); x < before+48 {
			t.Errorf("a sign at %d, the one before at %d", x, before)
		} else {
			before = x
		}
		drawn++
	})
	if drawn < 15 || drawn+crowded != 1000 {
		t.Errorf("%d signs drawn and %d left out of 1000", drawn, crowded)
	}
}
