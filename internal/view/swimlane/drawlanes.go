package swimlane

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"agentx/internal/view/page"
)

// tipLimit is the number of requests up to which each bar of an SVG carries its facts as a tip.
const tipLimit = 4000

// drawGround paints what lies behind the lanes: phases, lane stripes and grid lines.
func (p *picture) drawGround(c canvas) {
	for _, shade := range p.layout.Shades {
		tone := shadeColour(shade.Name)
		x0, x1 := p.x(shade.From), p.x(shade.To)
		c.fill(x0, p.lanesTop, x1-x0, p.lanesBottom-p.lanesTop, tone, "")
		for _, panel := range p.panels {
			c.fill(x0, panel.top, x1-x0, p.px(panelHeight), tone, "")
		}
	}
	for _, tick := range p.ticks() {
		c.vline(p.x(tick.at), p.lanesTop, p.lanesBottom, 1, rule(), false)
		c.text(p.x(tick.at), p.lanesTop-p.px(6), p.size(11), faint(), atMiddle, false, tick.label)
		for _, panel := range p.panels {
			c.vline(p.x(tick.at), panel.top, panel.top+p.px(panelHeight), 1, rule(), false)
		}
		if len(p.panels) > 0 {
			bottom := p.panels[len(p.panels)-1].top + p.px(panelHeight)
			c.text(p.x(tick.at), bottom+p.px(15), p.size(11), faint(), atMiddle, false, tick.label)
		}
	}
	for i := range p.options.LaneCount {
		c.hline(p.left, p.right, p.laneTop[i]-p.px(3), 1, rule(), false)
	}
}

// drawPlays paints each play's area and its label strip.
func (p *picture) drawPlays(c canvas) {
	for _, box := range p.layout.Plays {
		top, bottom, shown := p.laneY(box.Lane)
		if !shown || p.before(box.To) {
			continue
		}
		base := traceColour(box.Trace)
		x0, x1 := p.x(box.From), max(p.x(box.To), p.x(box.From)+1)
		ground, y, height := mix(base, white(), 0.9), top+p.labelHeight, bottom-top-p.labelHeight
		c.fill(x0, y, x1-x0, height, ground, "")
		for _, shade := range p.layout.Shades {
			if from, to := max(x0, p.x(shade.From)), min(x1, p.x(shade.To)); from < to {
				c.fill(from, y, to-from, height, mix(ground, shadeColour(shade.Name), 0.7), "")
			}
		}
		strip := mix(base, white(), 0.55) // paler than any request: the bars are what one looks for
		c.fill(x0, top, x1-x0, p.labelHeight-1, strip, "")
		c.fill(x0, top, x1-x0, p.px(1.4), base, "")
		label := page.Visible(p.run.Plays[box.Play].Trace)
		size := min(p.size(10), float64(p.labelHeight)*0.85)
		c.text(x0+p.px(4), top+p.labelHeight-p.px(2.6), size, readableOn(strip), atStart, true, p.fonts.fit(size, true, label, x1-x0-p.px(8)))
		if box.Recycled {
			c.vline(x0, top-p.px(2), bottom, p.px(2), ink(), false)
		}
	}
}

func (p *picture) drawWaits(c canvas) {
	for _, wait := range p.layout.Waits {
		y, shown := p.rowTop(wait.Row)
		if !shown || p.before(wait.To) {
			continue
		}
		x0, x1 := p.x(wait.From), p.x(wait.To)
		if wait.Kind != Pause {
			x1 = max(x1, x0+1) // what the recording did not plan is never too short to see
		}
		height := max(p.rowHeight*2/5, 1)
		c.fill(x0, y+(p.rowHeight-height)/2, x1-x0, height, waitColour(wait.Kind, traceColour(p.traceOf(wait.Play))), "")
	}
}

// barPixels is the place of a bar; one that must stand out has a least width of 3.
func (p *picture) barPixels(bar Bar) (x0, first, x1 int) {
	x0 = p.x(bar.From)
	x1 = max(p.x(bar.To), x0+1)
	if bar.Status.Pressed() {
		x1 = max(x1, x0+p.px(3))
	}
	first = x1
	if bar.First != None {
		first = min(p.x(bar.First), x1-1)
	}
	return x0, first, x1
}

// sortedBars lists bars by row and start, those that must stand out last.
func (p *picture) sortedBars() []Bar {
	bars := slices.Clone(p.layout.Bars)
	pressed := func(bar Bar) int {
		if bar.Status.Pressed() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(bars, func(a, b Bar) int {
		return cmp.Or(cmp.Compare(pressed(a), pressed(b)), cmp.Compare(a.Row, b.Row), cmp.Compare(a.From, b.From))
	})
	return bars
}

// visibleBars calls draw for each bar that has pixels of its own and counts the others. Neighbours of
// one row that fall into the same pixels are one mark on the picture; bars that must stand out never are.
func (p *picture) visibleBars(draw func(bar Bar, y, x0, first, x1 int)) (shared int) {
	row, covered := -1, 0
	for _, bar := range p.sortedBars() {
		y, shown := p.rowTop(bar.Row)
		if !shown || p.before(bar.To) {
			continue
		}
		x0, first, x1 := p.barPixels(bar)
		if bar.Row != row {
			row, covered = bar.Row, x0
		}
		if x1 <= covered && !bar.Status.Pressed() {
			shared++
			continue
		}
		covered = max(covered, x1)
		draw(bar, y, x0, first, x1)
	}
	return shared
}

// countBefore counts the requests that were over before the picture begins.
func (p *picture) countBefore() (count int) {
	for _, bar := range p.layout.Bars {
		if p.before(bar.To) {
			count++
		}
	}
	return count
}

func (p *picture) countShared() int {
	return p.visibleBars(func(Bar, int, int, int, int) {})
}

func (p *picture) drawBars(c canvas) {
	withTips := len(p.layout.Bars) <= tipLimit
	inset := min(1, p.rowHeight/5)
	height := max(p.rowHeight-2*inset, 1)
	p.visibleBars(func(bar Bar, y, x0, first, x1 int) {
		if bar.Status == NeverSent {
			return // a sign, no bar
		}
		tip := ""
		if withTips {
			tip = p.tip(bar)
		}
		decode := statusColour(bar.Status, p.barColour(bar))
		if first > x0 {
			c.fill(x0, y+inset, first-x0, height, p.prefillPart(bar, decode), tip)
		}
		if x1 > first {
			c.fill(first, y+inset, x1-first, height, decode, tip)
		}
		if bar.Status == Cancelled || bar.Status == Abandoned || bar.Status == Unfinished {
			c.hatch(x0, y+inset, x1-x0, height, mix(decode, black(), 0.55))
		}
		if bar.Status == Overflow && x1-x0 > 2 {
			c.frame(x0, y+inset, x1-x0, height, ink())
		}
	})
}

// prefillPart is the colour before the first token. A failed request has no phases: it keeps one colour.
func (p *picture) prefillPart(bar Bar, decode color.NRGBA) color.NRGBA {
	if bar.Status == Failed || bar.Status == Overflow {
		return decode
	}
	return prefillColour(decode)
}

// barColour is the trace's colour; warmup and subagents are lighter.
func (p *picture) barColour(bar Bar) color.NRGBA {
	base := traceColour(p.traceOf(bar.Play))
	if bar.Phase == Warmup {
		base = mix(base, rgb(0x9CA3AF), 0.5)
	}
	if p.run.Plays[bar.Play].Streams[bar.Stream].Depth > 0 {
		base = mix(base, white(), 0.25)
	}
	return base
}

func (p *picture) traceOf(play int) int { return p.layout.traceIndex(p.run.Plays[play].Trace) }

// drawLinks connects subagents with their parents: a solid line where they were started, a dashed one
// where they were over for the turn that joins them.
func (p *picture) drawLinks(c canvas) {
	for _, link := range p.layout.Links {
		parent, shownA := p.rowTop(link.ParentRow)
		child, shownB := p.rowTop(link.ChildRow)
		if !shownA || !shownB || parent == child || p.before(link.At) {
			continue
		}
		tone := mix(traceColour(p.traceOf(link.Play)), black(), 0.5)
		x := p.x(link.At)
		from, to := parent+p.rowHeight, child+p.rowHeight/2
		if child < parent {
			from = parent
		}
		c.vline(x, from, to, 1, tone, link.Kind == JoinLink)
		if link.Kind == SpawnLink {
			c.hline(x, x+p.px(3), to, 1, tone, false)
		}
	}
}

// tip is the one-line story of a request.
func (p *picture) tip(bar Bar) string {
	play := &p.run.Plays[bar.Play]
	stream := &play.Streams[bar.Stream]
	request := &stream.Requests[bar.Request]
	tip := fmt.Sprintf("lane %d play %d · %s turn %d · %s · %s", play.Lane, play.ID, stream.Conversation, request.Turn, request.Phase, request.Outcome)
	if request.Start != None && request.End != None {
		tip += " · " + seconds(request.End-request.Start)
	}
	if request.Start != None && request.FirstToken != None {
		tip += " · first token " + seconds(request.FirstToken-request.Start)
	}
	if request.Input != None && request.Output != None {
		tip += fmt.Sprintf(" · %d in %d out", request.Input, request.Output)
	}
	return tip
}

func seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
