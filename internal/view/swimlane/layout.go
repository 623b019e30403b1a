package swimlane

import "cmp"

// Layout is a run in abstract units: nanoseconds to the right, rows downwards. Indices name what each
// piece stands for: Play in Run.Plays, Stream in its Streams, Request in its Requests.
type Layout struct {
	From, To   int64 // the axis, ns since run start; round numbers as counted from Origin
	Begin, End int64 // what there is to draw, inside the axis
	Focus      int64 // where a picture begins: From, or after most of a warmup that is longer than half the rest
	Origin     int64 // the axis' zero
	Rows       int

	Lanes   []LaneBand
	Plays   []PlayBox
	Streams []StreamBand
	Bars    []Bar
	Waits   []WaitBar
	Links   []Link
	Shades  []Shade
	Marks   []Mark
	Shifts  []ShiftMark
	Traces  []string // distinct traces, sorted: a play's colour is its trace's place here
}

// LaneBand is the rows of one lane.
type LaneBand struct{ First, Rows int }

// PlayBox is the area of one play. Open says that the run ended before it drained.
type PlayBox struct {
	Play, Lane, Trace int
	From, To          int64
	Row, Rows         int
	Recycled          bool // another play of the lane came before
	Open              bool
}

// StreamBand is the life of one stream on its row.
type StreamBand struct {
	Play, Stream int
	Row          int
	From, To     int64
}

// Bar is one request. First is None when no token came; Open says that its end is not known.
type Bar struct {
	Play, Stream, Request int
	Row                   int
	From, First, To       int64
	Status                Status
	Phase                 Phase
	Open                  bool
	InFlight              bool // was running when the duration ended
}

// WaitBar is one stretch of waiting.
type WaitBar struct {
	Play, Stream int
	Row          int
	Kind         WaitKind
	From, To     int64
}

// LinkKind tells spawns from joins.
type LinkKind uint8

// The kinds of links.
const (
	SpawnLink LinkKind = iota
	JoinLink
)

// Link is a vertical connector between a parent's row and a child's at one instant: where the child
// was started, or where it was over for the turn that joins it.
type Link struct {
	Kind                   LinkKind
	Play, Parent, Child    int // streams of the play
	At                     int64
	ParentRow, ChildRow    int
	SpawnTurn, JoiningTurn int // the parent's turn; -1 for the one that does not apply
}

// Shade is a stretch of the run that is set off behind everything else.
type Shade struct {
	Name     string
	From, To int64
}

// Mark is a vertical boundary.
type Mark struct {
	Name string
	At   int64
}

// ShiftMark is a jump of an idle guard over the rows [Row, Row+Rows).
type ShiftMark struct {
	At, Skipped int64
	Row, Rows   int
	Lane        int
}

// Lay computes the layout of run. It is pure: the same run gives the same layout.
func Lay(run *Run) *Layout {
	l := &Layout{Origin: run.Origin(), Traces: tracesOf(run)}
	l.Begin, l.End = span(run)
	l.From, l.To = roundAxis(l.Begin, l.End, l.Origin)
	l.Focus = l.From
	if measured := l.End - l.Origin; measured > 0 && l.Origin-l.Begin > measured/2 {
		l.Focus, l.To = roundAxis(l.Origin-measured/5, l.End, l.Origin)
	}
	rows := make([][]int, len(run.Plays)) // rows[play][stream], from the play's first row
	heights := make([]int, max(run.Lanes, 1))
	for i := range run.Plays {
		var height int
		rows[i], height = stack(&run.Plays[i], l.End)
		if lane := run.Plays[i].Lane; lane >= len(heights) {
			heights = append(heights, make([]int, lane+1-len(heights))...)
		}
		heights[run.Plays[i].Lane] = max(heights[run.Plays[i].Lane], height)
	}
	for _, height := range heights {
		l.Lanes = append(l.Lanes, LaneBand{First: l.Rows, Rows: max(height, 1)})
		l.Rows += max(height, 1)
	}
	for _, i := range playOrder(run) {
		l.addPlay(run, i, rows[i])
	}
	l.addBoundaries(run)
	return l
}

// addPlay places one play and everything in it; rows are its streams' rows, from the play's first.
func (l *Layout) addPlay(run *Run, index int, rows []int) {
	play := &run.Plays[index]
	lane := l.Lanes[play.Lane]
	box := PlayBox{
		Play: index, Lane: play.Lane, Trace: l.traceIndex(play.Trace),
		From: play.Opened, To: play.Drained, Row: lane.First, Open: play.Drained == None, Rows: 1,
	}
	for i := len(l.Plays) - 1; i >= 0 && !box.Recycled; i-- {
		box.Recycled = l.Plays[i].Lane == play.Lane
	}
	if box.Open {
		box.To = l.End
	}
	for s := range play.Streams {
		stream := &play.Streams[s]
		row := lane.First + rows[s]
		box.Rows = max(box.Rows, rows[s]+1)
		from, to := streamSpan(stream, l.End)
		l.Streams = append(l.Streams, StreamBand{Play: index, Stream: s, Row: row, From: from, To: to})
		for r := range stream.Requests {
			if bar, drawn := l.bar(&stream.Requests[r]); drawn {
				bar.Play, bar.Stream, bar.Request, bar.Row = index, s, r, row
				l.Bars = append(l.Bars, bar)
			}
		}
		for _, wait := range stream.Waits {
			if to := endOr(wait.To, l.End); to > wait.From {
				l.Waits = append(l.Waits, WaitBar{Play: index, Stream: s, Row: row, Kind: wait.Kind, From: wait.From, To: to})
			}
		}
		l.addLinks(play, index, s, lane.First, rows)
	}
	l.Plays = append(l.Plays, box)
}

// bar places one request; one that was never sent stands, without length, where it was due.
func (l *Layout) bar(request *Request) (Bar, bool) {
	bar := Bar{From: request.Start, First: request.FirstToken, To: request.End, Status: request.Status, Phase: request.Phase, InFlight: request.InFlight}
	if bar.From == None {
		bar.From, bar.First, bar.To = request.Due, None, request.Due
		return bar, request.Due != None
	}
	if bar.To == None {
		bar.To, bar.Open = l.End, true
	}
	bar.To = max(bar.To, bar.From)
	if bar.First != None {
		bar.First = min(max(bar.First, bar.From), bar.To)
	}
	return bar, true
}

// addLinks connects a child stream with its parent: at its start if a turn spawned it, and at its end
// if a turn joins it.
func (l *Layout) addLinks(play *Play, index, child, first int, rows []int) {
	stream := &play.Streams[child]
	if stream.Parent < 0 {
		return
	}
	link := Link{
		Play: index, Parent: stream.Parent, Child: child,
		ParentRow: first + rows[stream.Parent], ChildRow: first + rows[child], SpawnTurn: -1, JoiningTurn: -1,
	}
	if stream.SpawnTurn >= 0 && stream.Opened != None {
		spawn := link
		spawn.Kind, spawn.At, spawn.SpawnTurn = SpawnLink, stream.Opened, stream.SpawnTurn
		l.Links = append(l.Links, spawn)
	}
	if stream.JoinTurn >= 0 && stream.Closed != None {
		join := link
		join.Kind, join.At, join.JoiningTurn = JoinLink, stream.Closed, stream.JoinTurn
		l.Links = append(l.Links, join)
	}
}

func endOr(at, otherwise int64) int64 {
	if at == None {
		return otherwise
	}
	return at
}

// earliest and latest ignore None.
func earliest(a, b int64) int64 {
	if a == None || b != None && cmp.Less(b, a) {
		return b
	}
	return a
}

func latest(a, b int64) int64 { return max(a, b) } // None is the smallest int64
