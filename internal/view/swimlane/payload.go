package swimlane

import (
	"math"

	"agentx/internal/view/page"
)

// payload is what the page's script reads. Times are whole microseconds, counted from each run's own
// zero (profiling start), so that several runs share one axis. Tables are columns of equal length.
type payload struct {
	Runs    []runPayload   `json:"runs"`
	Traces  []string       `json:"traces"`
	Strings []string       `json:"strings"` // what columns marked "string" point into
	Look    look           `json:"look"`
	Option  map[string]any `json:"option"` // the chart, as go-echarts describes it
}

// runPayload is one run. Rows are the layout's; streams are in the layout's order, and requests and
// waits stand by stream.
type runPayload struct {
	Title    string         `json:"title"`
	Source   string         `json:"source"`
	Facts    []Fact         `json:"facts"`
	Notes    []string       `json:"notes"`
	Target   int            `json:"target"`
	From     int64          `json:"from"` // of the axis
	To       int64          `json:"to"`
	End      int64          `json:"end"`   // of the log
	Focus    int64          `json:"focus"` // where the first view begins
	Rows     int            `json:"rows"`
	LaneRows []int          `json:"laneRows"`
	Plays    playColumns    `json:"plays"`
	Streams  streamColumns  `json:"streams"`
	Requests requestColumns `json:"requests"`
	Waits    waitColumns    `json:"waits"`
	Links    linkColumns    `json:"links"`
	Shades   []placed       `json:"shades"`
	Marks    []placed       `json:"marks"`
	Shifts   shiftColumns   `json:"shifts"`
	Curves   []curvePayload `json:"curves"`

	Plans map[int]map[string][][]int64 `json:"plans"` // trace → conversation → turns; see encoder.plans
	Texts string                       `json:"texts"` // file name of its turn-messages page; empty without one
	Hint  string                       `json:"hint"`  // how that page is made, where it is not there yet
}

type placed struct {
	Name string `json:"name"`
	From int64  `json:"from"`
	To   int64  `json:"to"`
}

type playColumns struct {
	ID       []int64  `json:"id"`
	Lane     []int    `json:"lane"`
	Trace    []int    `json:"trace"`
	From     []int64  `json:"from"`
	To       []int64  `json:"to"`
	Rows     []int    `json:"rows"`
	Open     []int    `json:"open"`     // 1: the run ended before it drained
	Recycled []int    `json:"recycled"` // 1: the lane had another play before
	How      []string `json:"how"`
	Marker   []string `json:"marker"`
}

type streamColumns struct {
	Play      []int    `json:"play"` // index in plays
	ID        []int64  `json:"id"`
	Name      []string `json:"name"`
	Kind      []string `json:"kind"`
	Depth     []int    `json:"depth"`
	Parent    []int    `json:"parent"` // index in streams, -1 for none
	SpawnTurn []int    `json:"spawnTurn"`
	JoinTurn  []int    `json:"joinTurn"`
	Row       []int    `json:"row"`
	From      []int64  `json:"from"`
	To        []int64  `json:"to"`
	Fate      []string `json:"fate"`
	Requests  []int    `json:"requests"` // how many of them are drawn
	Waits     []int    `json:"waits"`
}

// requestColumns: -1 stands for what is not known, except in Late, where it is null.
type requestColumns struct {
	Turn      []int    `json:"turn"`
	Exchange  []int64  `json:"exchange"`
	Phase     []int    `json:"phase"`
	Status    []int    `json:"status"`
	Outcome   []int    `json:"outcome"` // string
	Error     []int    `json:"error"`   // string
	InFlight  []int    `json:"inFlight"`
	Start     []int64  `json:"start"`
	First     []int64  `json:"first"` // after start
	End       []int64  `json:"end"`   // after start; -1: the log ends before
	Late      []*int64 `json:"late"`  // start after due
	Input     []int64  `json:"input"`
	Output    []int64  `json:"output"`
	Reasoning []int64  `json:"reasoning"`
	Cached    []int64  `json:"cached"`
	Theory    []int64  `json:"theory"`
	Reach     []int64  `json:"reach"`
	MaxTokens []int64  `json:"maxTokens"`
	RecIn     []int64  `json:"recIn"`
	RecOut    []int64  `json:"recOut"`
	RecAPI    []int64  `json:"recAPI"`
	Gap       []int64  `json:"gap"`
	HTTP      []int    `json:"http"`
	Finish    []int    `json:"finish"` // string
	RequestID []string `json:"requestID"`
}

type waitColumns struct {
	Kind []int   `json:"kind"`
	From []int64 `json:"from"`
	To   []int64 `json:"to"`
}

type linkColumns struct {
	Kind   []int   `json:"kind"`
	Play   []int   `json:"play"`
	At     []int64 `json:"at"`
	Parent []int   `json:"parent"` // rows
	Child  []int   `json:"child"`
}

type shiftColumns struct {
	At      []int64 `json:"at"`
	Skipped []int64 `json:"skipped"`
	Lane    []int   `json:"lane"` // -1: all
}

type curvePayload struct {
	Name  string    `json:"name"`
	Unit  string    `json:"unit"`
	Panel string    `json:"panel"`
	Mean  bool      `json:"mean"`
	Step  []int64   `json:"step"` // time since the step before, the first since zero
	Value []float64 `json:"value"`
}

// look is the palette, so that the page's colours are the picture's.
type look struct {
	Traces   []string          `json:"traces"`
	Prefill  []string          `json:"prefill"`
	Statuses []string          `json:"statuses"` // names
	Status   []string          `json:"status"`   // colours; empty: the trace's
	Waits    []string          `json:"waits"`
	Wait     []string          `json:"wait"` // colours; empty: the trace's, paler
	Curves   []string          `json:"curves"`
	Marks    map[string]string `json:"marks"`
	Shades   map[string]string `json:"shades"`
}

// interner numbers strings in order of first use; 0 is the empty one.
type interner struct {
	list  []string
	known map[string]int
}

func newInterner() *interner { return &interner{list: []string{""}, known: map[string]int{"": 0}} }

func (n *interner) of(text string) int {
	if at, known := n.known[text]; known {
		return at
	}
	n.known[text] = len(n.list)
	n.list = append(n.list, page.Visible(text))
	return len(n.list) - 1
}

// micros rounds nanoseconds to microseconds.
func micros(ns int64) int64 { return int64(math.Round(float64(ns) / 1e3)) }

// after is the microseconds from start to at, -1 where at is not known.
func after(start, at int64) int64 {
	if at == None {
		return -1
	}
	return micros(max(at-start, 0))
}

// count is n, or -1 where nobody counted.
func count(n int64) int64 {
	if n == None {
		return -1
	}
	return n
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
