package swimlane

import (
	"fmt"
	"maps"
	"slices"

	"agentx/internal/view/page"
)

// encoder turns one run and its layout into columns.
type encoder struct {
	run     *Run
	layout  *Layout
	strings *interner
	traces  []string // of all runs of the page, sorted
	out     runPayload
	streams map[[2]int]int // (play, stream) → index in the stream columns
}

func encode(run *Run, layout *Layout, traces []string, texts *interner) runPayload {
	e := &encoder{run: run, layout: layout, strings: texts, traces: traces, streams: map[[2]int]int{}}
	e.out = runPayload{
		Title: page.Visible(run.Title), Source: page.Visible(run.Source), Facts: facts(run.Facts), Notes: visibleAll(run.Notes),
		Target: run.Target, From: e.at(layout.From), To: e.at(layout.To), End: e.at(layout.End), Focus: e.at(layout.Focus), Rows: layout.Rows,
		Texts: run.Texts, Hint: page.Visible(run.TextsHint),
	}
	for _, lane := range layout.Lanes {
		e.out.LaneRows = append(e.out.LaneRows, lane.Rows)
	}
	e.plays()
	e.rows()
	e.boundaries()
	for i := range run.Curves {
		e.curve(&run.Curves[i])
	}
	e.plans()
	return e.out
}

// plans writes what each turn sends, by trace and conversation: a turn is how many messages it keeps of
// the one before, then role and tokens of each that it adds.
func (e *encoder) plans() {
	e.out.Plans = map[int]map[string][][]int64{}
	for _, trace := range slices.Sorted(maps.Keys(e.run.Plans)) { // strings are numbered in this order
		conversations := e.run.Plans[trace]
		at, shown := slices.BinarySearch(e.traces, trace)
		if !shown {
			continue
		}
		e.out.Plans[at] = map[string][][]int64{}
		for _, name := range slices.Sorted(maps.Keys(conversations)) {
			turns := make([][]int64, 0, len(conversations[name]))
			for _, planned := range conversations[name] {
				turn := []int64{int64(planned.Keep)}
				for _, message := range planned.New {
					turn = append(turn, int64(e.strings.of(message.Role)), message.Tokens)
				}
				turns = append(turns, turn)
			}
			e.out.Plans[at][page.Visible(name)] = turns
		}
	}
}

func facts(list []Fact) []Fact {
	shown := make([]Fact, 0, len(list))
	for _, fact := range list {
		shown = append(shown, Fact{page.Visible(fact.Label), page.Visible(fact.Value)})
	}
	return shown
}

func visibleAll(list []string) []string {
	shown := make([]string, 0, len(list))
	for _, text := range list {
		shown = append(shown, page.Visible(text))
	}
	return shown
}

// at is an instant of the run on the page's axis.
func (e *encoder) at(ns int64) int64 { return micros(ns - e.layout.Origin) }

func (e *encoder) plays() {
	c := &e.out.Plays
	for _, box := range e.layout.Plays {
		play := &e.run.Plays[box.Play]
		trace, _ := slices.BinarySearch(e.traces, play.Trace)
		c.ID = append(c.ID, play.ID)
		c.Lane = append(c.Lane, box.Lane)
		c.Trace = append(c.Trace, trace)
		c.From = append(c.From, e.at(box.From))
		c.To = append(c.To, e.at(box.To))
		c.Rows = append(c.Rows, box.Rows)
		c.Open = append(c.Open, bit(box.Open))
		c.Recycled = append(c.Recycled, bit(box.Recycled))
		c.How = append(c.How, page.Visible(play.How))
		c.Marker = append(c.Marker, page.Visible(play.Marker))
	}
}

// rows writes streams with their requests and waits. The layout lists each play's streams together,
// and each stream's bars and waits together, in the same order.
func (e *encoder) rows() {
	playAt := make(map[int]int, len(e.layout.Plays))
	for i, box := range e.layout.Plays {
		playAt[box.Play] = i
	}
	for i, band := range e.layout.Streams {
		e.streams[[2]int{band.Play, band.Stream}] = i
	}
	bars, waits := e.layout.Bars, e.layout.Waits
	for _, band := range e.layout.Streams {
		drawn, waited := 0, 0
		for ; drawn < len(bars) && bars[drawn].Play == band.Play && bars[drawn].Stream == band.Stream; drawn++ {
			e.request(bars[drawn])
		}
		for ; waited < len(waits) && waits[waited].Play == band.Play && waits[waited].Stream == band.Stream; waited++ {
			e.wait(waits[waited])
		}
		bars, waits = bars[drawn:], waits[waited:]
		e.stream(band, playAt[band.Play], drawn, waited)
	}
	for _, link := range e.layout.Links {
		c := &e.out.Links
		c.Kind = append(c.Kind, int(link.Kind))
		c.Play = append(c.Play, playAt[link.Play])
		c.At = append(c.At, e.at(link.At))
		c.Parent = append(c.Parent, link.ParentRow)
		c.Child = append(c.Child, link.ChildRow)
	}
}

func (e *encoder) stream(band StreamBand, play, drawn, waited int) {
	stream := &e.run.Plays[band.Play].Streams[band.Stream]
	parent := -1
	if at, known := e.streams[[2]int{band.Play, stream.Parent}]; known {
		parent = at
	}
	c := &e.out.Streams
	c.Play = append(c.Play, play)
	c.ID = append(c.ID, stream.ID)
	c.Name = append(c.Name, page.Visible(stream.Conversation))
	c.Kind = append(c.Kind, page.Visible(stream.Kind))
	c.Depth = append(c.Depth, stream.Depth)
	c.Parent = append(c.Parent, parent)
	c.SpawnTurn = append(c.SpawnTurn, stream.SpawnTurn)
	c.JoinTurn = append(c.JoinTurn, stream.JoinTurn)
	c.Row = append(c.Row, band.Row)
	c.From = append(c.From, e.at(band.From))
	c.To = append(c.To, e.at(band.To))
	c.Fate = append(c.Fate, page.Visible(stream.Fate))
	c.Requests = append(c.Requests, drawn)
	c.Waits = append(c.Waits, waited)
}

func (e *encoder) request(bar Bar) {
	request := &e.run.Plays[bar.Play].Streams[bar.Stream].Requests[bar.Request]
	c := &e.out.Requests
	end := after(bar.From, bar.To)
	if bar.Open {
		end = -1
	}
	var late *int64
	if request.Due != None && request.Start != None {
		value := micros(request.Start - request.Due)
		late = &value
	}
	c.Turn = append(c.Turn, request.Turn)
	c.Exchange = append(c.Exchange, request.Exchange)
	c.Phase = append(c.Phase, int(request.Phase))
	c.Status = append(c.Status, int(request.Status))
	c.Outcome = append(c.Outcome, e.strings.of(request.Outcome))
	c.Error = append(c.Error, e.strings.of(request.Error))
	c.InFlight = append(c.InFlight, bit(request.InFlight))
	c.Start = append(c.Start, e.at(bar.From))
	c.First = append(c.First, after(bar.From, bar.First))
	c.End = append(c.End, end)
	c.Late = append(c.Late, late)
	c.Input = append(c.Input, count(request.Input))
	c.Output = append(c.Output, count(request.Output))
	c.Reasoning = append(c.Reasoning, count(request.Reasoning))
	c.Cached = append(c.Cached, count(request.Cached))
	c.Theory = append(c.Theory, count(request.TheoryHit))
	c.Reach = append(c.Reach, count(request.Reach))
	c.MaxTokens = append(c.MaxTokens, count(request.MaxTokens))
	c.RecIn = append(c.RecIn, count(request.RecordedIn))
	c.RecOut = append(c.RecOut, count(request.RecordedOut))
	c.RecAPI = append(c.RecAPI, after(0, request.RecordedAPI))
	c.Gap = append(c.Gap, after(0, request.Gap))
	c.HTTP = append(c.HTTP, request.HTTPStatus)
	c.Finish = append(c.Finish, e.strings.of(request.Finish))
	c.RequestID = append(c.RequestID, page.Visible(request.RequestID))
}

func (e *encoder) wait(bar WaitBar) {
	c := &e.out.Waits
	c.Kind = append(c.Kind, int(bar.Kind))
	c.From = append(c.From, e.at(bar.From))
	c.To = append(c.To, e.at(bar.To))
}

func (e *encoder) boundaries() {
	for _, shade := range e.layout.Shades {
		e.out.Shades = append(e.out.Shades, placed{shade.Name, e.at(shade.From), e.at(shade.To)})
	}
	for _, mark := range e.layout.Marks {
		e.out.Marks = append(e.out.Marks, placed{mark.Name, e.at(mark.At), e.at(mark.At)})
	}
	for _, shift := range e.layout.Shifts {
		c := &e.out.Shifts
		c.At = append(c.At, e.at(shift.At))
		c.Skipped = append(c.Skipped, micros(shift.Skipped))
		c.Lane = append(c.Lane, shift.Lane)
	}
}

// curve writes a curve as time differences and values. Values keep four figures where they are means.
func (e *encoder) curve(curve *Curve) {
	out := curvePayload{Name: curve.Name, Unit: curve.Unit, Panel: curve.Panel, Mean: curve.Mean}
	steps := curve.Steps
	if len(steps) > curveLimit {
		steps = coarse(curve, e.layout.From, e.layout.To)
		note := fmt.Sprintf("curves are in steps of %.3g ms", float64(e.layout.To-e.layout.From)/curveLimit/1e6)
		if !slices.Contains(e.out.Notes, note) {
			e.out.Notes = append(e.out.Notes, note)
		}
	}
	figures := 9
	if curve.Mean {
		figures = 4
	}
	before := int64(0)
	for _, step := range steps {
		at := e.at(step.At)
		out.Step = append(out.Step, at-before)
		out.Value = append(out.Value, roundFigures(step.Value, figures))
		before = at
	}
	e.out.Curves = append(e.out.Curves, out)
}
