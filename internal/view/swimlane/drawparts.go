package swimlane

import (
	"fmt"
	"image/color"
	"math"

	"agentx/internal/view/page"
)

type tick struct {
	at    int64
	label string
}

// ticks are round instants on the axis, counted from its zero.
func (p *picture) ticks() []tick {
	l := p.layout
	step := tickStep(float64(l.To-l.Focus)/1e9, float64(p.right-p.left)/float64(p.px(90)))
	var ticks []tick
	first := math.Ceil(float64(l.Focus-l.Origin) / 1e9 / step)
	for i := first; ; i++ {
		value := float64(i * step)
		at := l.Origin + int64(math.Round(value*1e9))
		if at > l.To {
			return ticks
		}
		ticks = append(ticks, tick{at, fmt.Sprintf("%g s", roundTo(value, step))})
	}
}

// tickStep is the smallest of 1, 2, 5 times a power of ten that gives at most count ticks.
func tickStep(length, count float64) float64 {
	least := length / max(count, 1)
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least {
			return factor * power
		}
	}
	return 10 * power
}

// roundTo takes the noise of the multiplication off a multiple of step.
func roundTo(value, step float64) float64 {
	digits := max(0, -math.Floor(math.Log10(step)))
	scale := math.Pow(10, digits)
	return math.Round(value*scale)/scale + 0 // + 0 makes −0 a 0
}

func (p *picture) drawHead(c canvas) {
	c.text(p.left, p.px(26), p.size(18), ink(), atStart, true, p.fonts.fit(p.size(18), true, page.Visible(p.run.Title), p.right-p.left))
	line := ""
	for i, fact := range p.run.Facts {
		if i > 0 {
			line += "   ·   "
		}
		line += fact.Label + " " + fact.Value
	}
	c.text(p.left, p.px(46), p.size(12), faint(), atStart, false, p.fonts.fit(p.size(12), false, page.Visible(line), p.right-p.left))
	p.drawLegend(c, p.px(60))
}

// drawLegend explains colours and signs in one line.
func (p *picture) drawLegend(c canvas, y int) {
	x, size, box := p.left, p.size(11), p.px(10)
	entry := func(label string, sample func(x, y int)) {
		sample(x, y)
		c.text(x+p.px(18), y+p.px(9), size, ink(), atStart, false, label)
		x += p.px(30) + p.fonts.width(size, false, label)
	}
	colourBox := func(tone color.NRGBA, height int) func(x, y int) {
		return func(x, y int) { c.fill(x, y+(box-height)/2, p.px(14), height, tone, "") }
	}
	base := traceColour(0)
	entry("before first token", colourBox(prefillColour(base), box))
	entry("answering (colour: trace)", colourBox(base, box))
	for kind := range waitCount {
		entry(kind.String(), colourBox(waitColour(kind, base), box*2/5))
	}
	sign := func(shape markShape, tone color.NRGBA) func(x, y int) {
		return func(x, y int) { c.mark(shape, x+p.px(7), y+box/2, p.px(9), tone) }
	}
	for _, status := range []Status{Silent, Failed, Overflow, Cancelled, Unfinished, NeverSent} {
		shape, tone := statusSign(status)
		entry(status.String(), sign(shape, tone))
	}
	entry("in flight at duration end", sign(square, ink()))
	entry("idle guard", sign(fastForward, rgb(0x0072B2)))
}

// statusSign is the sign of a status that must stand out.
func statusSign(status Status) (markShape, color.NRGBA) {
	switch status {
	case Failed:
		return downTriangle, rgb(0xD7191C)
	case Overflow:
		return diamond, rgb(0xF18F01)
	case Unfinished:
		return chevron, ink()
	case NeverSent:
		return ring, ink()
	case Silent:
		return dot, ink()
	default:
		return cross, ink()
	}
}

// drawSigns puts a sign of fixed size on every request that must stand out, over everything else.
func (p *picture) drawSigns(c canvas) {
	for _, bar := range p.layout.Bars {
		y, shown := p.rowTop(bar.Row)
		if shown && bar.InFlight && p.run.Marks.DurationEnd != None {
			x, size := p.x(p.run.Marks.DurationEnd), max(min(p.rowHeight, p.px(7)), p.px(5))
			c.fill(x-size/2, y+(p.rowHeight-size)/2, size, size, white(), "") // dark bars hide an outline
			c.mark(square, x, y+p.rowHeight/2, size, ink())
		}
		if !shown || p.before(bar.To) || !bar.Status.Pressed() && bar.Status != Silent {
			continue
		}
		x0, _, x1 := p.barPixels(bar)
		shape, tone := statusSign(bar.Status)
		size := max(min(p.rowHeight, p.px(9)), p.px(6))
		x := x1 // where it ended
		if bar.Status == Failed || bar.Status == Overflow || bar.Status == NeverSent {
			x = x0 + min(x1-x0, p.px(3))/2
		}
		if bar.Status == Unfinished {
			x = x1 - size/2
		}
		c.mark(shape, x, y+p.rowHeight/2, size, tone)
	}
	p.drawShifts(c)
}

// drawShifts marks the jumps of the idle guards. Signs that would lie on the one before of the same lane are
// left out and counted: a cap of a few seconds jumps before most turns.
func (p *picture) drawShifts(c canvas) {
	p.visibleShifts(func(shift ShiftMark, y int) { c.mark(fastForward, p.x(shift.At), y, p.px(8), rgb(0x0072B2)) })
}

// visibleShifts calls draw for the jumps whose signs have room, and counts the others.
func (p *picture) visibleShifts(draw func(shift ShiftMark, y int)) (crowded int) {
	free := map[int]int{} // lane → pixel from which the next sign has room
	for _, shift := range p.layout.Shifts {
		y, x := p.lanesTop+p.px(2), p.x(shift.At)
		if shift.Lane >= 0 {
			top, _, shown := p.laneY(shift.Lane)
			if !shown {
				continue
			}
			y = top + p.labelHeight
		}
		if p.before(shift.At) {
			continue
		}
		if x < free[shift.Lane] {
			crowded++
			continue
		}
		free[shift.Lane] = x + p.px(48)
		draw(shift, y)
	}
	return crowded
}

// drawBoundaries draws the marks through lanes and curves, with their names on top.
func (p *picture) drawBoundaries(c canvas) {
	for _, shift := range p.layout.Shifts {
		if shift.Lane < 0 && !p.before(shift.At) {
			c.vline(p.x(shift.At), p.lanesTop, p.lanesBottom, 1, rgb(0x0072B2), true)
		}
	}
	busy := -1 << 30
	for _, mark := range p.layout.Marks {
		x, tone := p.x(mark.At), markColour(mark.Name)
		c.vline(x, p.lanesTop-p.px(2), p.lanesBottom, p.px(1.5), tone, mark.Name != "profiling start")
		for _, panel := range p.panels {
			c.vline(x, panel.top, panel.top+p.px(panelHeight), p.px(1.5), tone, mark.Name != "profiling start")
		}
		width := p.fonts.width(p.size(11), true, mark.Name)
		at, position := x, atMiddle
		if x+width/2 > p.right {
			at, position = max(x, p.right), atEnd
		} else if x-width/2 < p.left {
			at, position = min(x, p.left), atStart
		}
		y := p.lanesTop - p.px(20)
		if x-busy < width+p.px(8) {
			y = p.lanesBottom + p.px(12)
		} else {
			busy = x
		}
		c.text(at, y, p.size(11), tone, position, true, mark.Name)
	}
}

func (p *picture) drawLabels(c canvas) {
	for i := range p.options.LaneCount {
		top, bottom, _ := p.laneY(p.options.FirstLane + i)
		c.text(p.left-p.px(8), (top+bottom)/2+p.px(4), p.size(11), ink(), atEnd, false, fmt.Sprintf("lane %d", p.options.FirstLane+i))
	}
}
