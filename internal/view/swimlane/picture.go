package swimlane

import (
	"fmt"
	"slices"
)

// Options say how large a picture is and which lanes it shows.
type Options struct {
	Scale     float64 // size of everything; 0 means 1, for a PNG 1.5
	Width     int     // pixels at scale 1; 0 means 1600
	FirstLane int
	LaneCount int // 0: all
}

// PageLanes is how many lanes one picture shows well; runs with more get several.
const PageLanes = 64

// Pages splits the lanes of a layout into pictures of at most PageLanes.
func Pages(layout *Layout, options Options) []Options {
	var pages []Options
	for first := 0; first < len(layout.Lanes); first += PageLanes {
		part := options
		part.FirstLane, part.LaneCount = first, min(PageLanes, len(layout.Lanes)-first)
		pages = append(pages, part)
	}
	return pages
}

// picture is a layout at fixed pixel positions. Parts from top to bottom: head (title, facts, legend),
// lanes under a time axis, one panel for each group of curves, the time axis again, notes.
type picture struct {
	run           *Run
	layout        *Layout
	fonts         *fonts
	options       Options
	width, height int
	left, right   int // plot area
	lanesTop      int
	lanesBottom   int
	rowHeight     int
	labelHeight   int   // strip with the trace's label over each lane's rows
	laneTop       []int // by lane from FirstLane
	panels        []panel
	panelsTop     int
	notes         []string
	shared        int // requests that lie within another one's pixels
}

// panel is a group of curves with one axis.
type panel struct {
	name   string
	curves []int
	top    int
}

const (
	panelHeight = 84 // at scale 1
	panelGap    = 20
)

func newPicture(run *Run, layout *Layout, options Options) (*picture, error) {
	fonts, err := newFonts()
	if err != nil {
		return nil, err
	}
	if options.Scale == 0 {
		options.Scale = 1
	}
	if options.Width == 0 {
		options.Width = 1600
	}
	if options.LaneCount == 0 {
		options.LaneCount = len(layout.Lanes) - options.FirstLane
	}
	if options.FirstLane < 0 || options.LaneCount < 1 || options.FirstLane+options.LaneCount > len(layout.Lanes) {
		return nil, fmt.Errorf("lanes %d to %d: the run has lanes 0 to %d",
			options.FirstLane, options.FirstLane+options.LaneCount-1, len(layout.Lanes)-1)
	}
	p := &picture{run: run, layout: layout, fonts: fonts, options: options}
	p.arrange()
	return p, nil
}

// px is a length at the picture's scale.
func (p *picture) px(units float64) int { return int(float64(units*p.options.Scale) + 0.5) }

// arrange fixes all positions.
func (p *picture) arrange() {
	p.width = p.px(float64(p.options.Width))
	p.left, p.right = p.px(96), p.width-p.px(24)
	p.lanesTop = p.px(112)
	lanes := p.layout.Lanes[p.options.FirstLane : p.options.FirstLane+p.options.LaneCount]
	rows := 0
	for _, lane := range lanes {
		rows += lane.Rows
	}
	p.rowHeight = p.px(min(max(1500/float64(rows), 5), 15))
	p.labelHeight = p.px(min(max(700/float64(len(lanes)), 10), 13))
	y := p.lanesTop
	for _, lane := range lanes {
		p.laneTop = append(p.laneTop, y)
		y += p.labelHeight + lane.Rows*p.rowHeight + p.px(5)
	}
	p.lanesBottom = y
	p.panelsTop = y + p.px(30)
	y = p.panelsTop
	for i, curve := range p.run.Curves {
		at := slices.IndexFunc(p.panels, func(panel panel) bool { return panel.name == curve.Panel })
		if at < 0 {
			at = len(p.panels)
			p.panels = append(p.panels, panel{name: curve.Panel, top: y})
			y += p.px(panelHeight + panelGap)
		}
		p.panels[at].curves = append(p.panels[at].curves, i)
	}
	p.notes = p.footnotes()
	p.height = y + p.px(24+15*float64(len(p.notes)))
}

// x is the pixel of an instant; exact to the pixel that holds it. What lies before the picture is at its edge.
func (p *picture) x(at int64) int {
	share := float64(max(at, p.layout.Focus)-p.layout.Focus) / float64(p.layout.To-p.layout.Focus)
	return p.left + int(float64(share*float64(p.right-p.left)))
}

// before tells what was over before the picture begins.
func (p *picture) before(end int64) bool { return end < p.layout.Focus }

// rowTop is the pixel of a row of the layout; false when its lane is on another page.
func (p *picture) rowTop(row int) (y int, shown bool) {
	lanes := p.layout.Lanes[p.options.FirstLane : p.options.FirstLane+p.options.LaneCount]
	at, found := slices.BinarySearchFunc(lanes, row, func(lane LaneBand, row int) int { return lane.First - row })
	if !found {
		at--
	}
	if at < 0 || row >= lanes[at].First+lanes[at].Rows {
		return 0, false
	}
	return p.laneTop[at] + p.labelHeight + (row-lanes[at].First)*p.rowHeight, true
}

// laneY is the top and bottom of a lane; false when it is on another page.
func (p *picture) laneY(lane int) (top, bottom int, shown bool) {
	at := lane - p.options.FirstLane
	if at < 0 || at >= p.options.LaneCount {
		return 0, 0, false
	}
	return p.laneTop[at], p.laneTop[at] + p.labelHeight + p.layout.Lanes[lane].Rows*p.rowHeight, true
}

// footnotes say what the picture is made of and what it does not show.
func (p *picture) footnotes() []string {
	notes := []string{"source: " + p.run.Source}
	if p.options.LaneCount < len(p.layout.Lanes) {
		notes = append(notes, fmt.Sprintf("lanes %d to %d of 0 to %d; the curves are of the whole run",
			p.options.FirstLane, p.options.FirstLane+p.options.LaneCount-1, len(p.layout.Lanes)-1))
	}
	if left := p.countBefore(); left > 0 {
		notes = append(notes, fmt.Sprintf("the warmup began %.0f s before profiling: %d of its requests lie left of this picture; the page has them", float64(p.layout.Origin-p.layout.Begin)/1e9, left))
	}
	p.shared = p.countShared()
	if p.shared > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d requests lie within the pixels of the one before them; errors, overflows and cancelled ones are always drawn", p.shared, len(p.layout.Bars)))
	}
	if crowded := p.visibleShifts(func(ShiftMark, int) {}); crowded > 0 {
		notes = append(notes, fmt.Sprintf("%d jumps of the idle guards have no sign of their own: it would lie on another", crowded))
	}
	return append(notes, p.run.Notes...)
}

func (p *picture) draw(c canvas) {
	c.fill(0, 0, p.width, p.height, white(), "")
	p.drawHead(c)
	p.drawGround(c)
	p.drawPlays(c)
	p.drawWaits(c)
	p.drawBars(c)
	p.drawLinks(c)
	p.drawPanels(c)
	p.drawBoundaries(c)
	p.drawSigns(c)
	p.drawLabels(c)
	for i, note := range p.notes {
		y := p.height - p.px(12+15*float64(len(p.notes)-1-i))
		c.text(p.left, y, p.size(11), faint(), atStart, false, p.fonts.fit(p.size(11), false, note, p.right-p.left))
	}
}

// size is a font size at the picture's scale.
func (p *picture) size(points float64) float64 { return float64(points * p.options.Scale) }
