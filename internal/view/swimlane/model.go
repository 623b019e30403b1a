// Package swimlane draws a run: one lane for each slot of --concurrency, one box for each play of a
// trace on it, the root's requests on the first row and its subagents' below, waiting told apart by
// its cause, and curves of the whole run under the same time axis.
//
// It promises that a picture shows what the log says, not what can be guessed from it: lanes, plays,
// phases and boundaries are recorded facts; every request that was sent is drawn, whatever became of
// it, and never too small to see; what is not drawn is counted in the picture's own words. One pure
// layout (Lay) gives rows, bars, links and boundaries in nanoseconds and row numbers; the SVG, PNG
// and HTML renderers only turn these into pixels, so they cannot disagree. Package fromrun makes a Run
// of an analysed log.
package swimlane

import "math"

// None marks a moment or count that did not happen or is not known, which is not 0.
const None int64 = math.MinInt64

// Run is what a picture is made of. All times are nanoseconds since run start.
type Run struct {
	Title  string // heading, for example the run folder's name
	Source string // which log this comes from
	Lanes  int    // lane numbers are 0 … Lanes-1
	Target int    // live trees wanted (--concurrency); 0 draws no target line
	Marks  Marks
	Plays  []Play
	Shifts []Shift
	Curves []Curve
	Facts  []Fact   // headline figures, in the order they are shown
	Notes  []string // population, window, what was left out and why: one sentence each

	// Plans say what the turns of each conversation of a trace send: trace → conversation → turns. A trace
	// whose plan the log does not have is not there.
	Plans map[string]map[string][]Planned

	// Texts is the file name, beside the picture, of the page that has the texts of the messages; empty
	// for none. TextsHint says how that page is made; empty where it is there.
	Texts, TextsHint string
}

// Planned is one turn as planned: it sends the first Keep messages of the turn before, then New.
type Planned struct {
	Keep int
	New  []Message
}

// Message is one message of a turn, without its text.
type Message struct {
	Role   string
	Tokens int64
}

// Marks are the boundaries of a run; None where the run did not get that far.
type Marks struct {
	ProfilingStart int64 // T0
	RampEnd        int64 // last lane opened; None without a ramp
	DurationEnd    int64 // T0 + duration: nothing starts any more
	GraceEnd       int64 // what is still in flight is cancelled
	End            int64 // last event of the log
	Interrupted    bool  // the log ends without the closing event
}

// Fact is one headline figure.
type Fact struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Play is one live replay of a trace on a lane: a tree of streams.
type Play struct {
	ID      int64
	Lane    int
	Trace   string
	Opened  int64
	Drained int64  // last stream over; None when the run ended first
	How     string // how it came to be: full, waiting_root, rootless, recycled
	Marker  string // cache-bust marker, empty without one
	Streams []Stream
}

// Stream is the live side of one conversation.
type Stream struct {
	ID           int64
	Conversation string
	Kind         string // root, sa, fa, aux, …
	Depth        int
	Parent       int // index in Play.Streams, -1 for the root and for children of no live parent
	SpawnTurn    int // turn of the parent that started it, -1 when it was live from the beginning
	JoinTurn     int // turn of the parent that waits for it, -1 for background
	Opened       int64
	Closed       int64  // None when the run ended first
	Fate         string // completed, terminated, truncated, voided; empty when the run ended first
	Requests     []Request
	Waits        []Wait
}

// Phase is the part of the run in which a request was issued.
type Phase uint8

// The phases.
const (
	Warmup Phase = iota
	Profiling
)

// Status is the fate of a request as pictures tell it.
type Status uint8

// The statuses. Pressed are those that must stand out: a picture marks them at any size.
const (
	OK         Status = iota
	Silent            // ok without visible output
	Failed            // error of any class
	Overflow          // did not fit the server's context window
	Cancelled         // ended by the run: grace, user, threshold, fail-fast
	Abandoned         // cancelled, and no end came
	Unfinished        // the log ends before its end
	NeverSent         // due, and refused, voided or dropped by a stop
	statusCount
)

// Request is one exchange, or a turn that was due and never sent.
type Request struct {
	Turn     int
	Exchange int64 // -1 when never sent
	Phase    Phase
	Status   Status
	Outcome  string // the log's own word for the fate, with class or reason
	Error    string // message, empty without one
	InFlight bool   // was running when the duration ended

	Due        int64 // when the schedule wanted it; of a turn that was refused before that was worked out, when it was refused
	Start      int64
	FirstToken int64
	End        int64

	Input, Output, Reasoning int64 // tokens; None where nobody counted
	Cached                   int64 // cached tokens as the server reports them
	TheoryHit, Reach         int64 // tokens: theoretical hit; reachable hit
	MaxTokens                int64
	RecordedIn, RecordedOut  int64
	RecordedAPI              int64 // ns, the recording's server time
	Gap                      int64 // ns, the recorded pause before the turn
	HTTPStatus               int
	Finish                   string
	RequestID                string
}

// WaitKind is why a stream was not sending.
type WaitKind uint8

// The kinds of waiting.
const (
	Pause   WaitKind = iota // recorded pause, or what the idle guards left of it
	Join                    // blocked until its children are done
	Barrier                 // retained until another stream of the tree got as far as in the recording
	Slot                    // queued for a prefill slot
	Backoff                 // wait after an overflow or a dead server
	Late                    // the client was late
	waitCount
)

// Wait is a stretch in which a stream was not sending, and why.
type Wait struct {
	Kind     WaitKind
	From, To int64
}

// Shift is a jump of an idle guard: pending timers came forward by Skipped ns at the instant At.
type Shift struct {
	At, Skipped int64
	Lane        int // -1: all lanes
}

// Curve is a step function of time: the value of a step holds until the next one.
type Curve struct {
	Name  string
	Unit  string
	Panel string // curves of one panel share an axis
	Mean  bool   // pixels show the time-weighted mean (rates); otherwise the extremes (counts)
	Steps []Step
}

// Step is one value of a curve.
type Step struct {
	At    int64
	Value float64
}

// Pressed says whether a picture must make the status stand out.
func (s Status) Pressed() bool { return s >= Failed }

// Names of statuses and waits, for legends, filters and links.
func (s Status) String() string {
	return [statusCount]string{"ok", "no visible output", "error", "overflow", "cancelled", "abandoned", "unfinished", "never sent"}[s]
}

func (k WaitKind) String() string {
	return [waitCount]string{"recorded pause", "join wait", "barrier", "slot wait", "back-off", "client late"}[k]
}

func (p Phase) String() string { return [2]string{"warmup", "profiling"}[p] }

// Origin is the zero of the time axis: the start of profiling, so that the end of the duration stands
// at the duration; the run's start when profiling was never reached.
func (r *Run) Origin() int64 {
	if r.Marks.ProfilingStart != None {
		return r.Marks.ProfilingStart
	}
	return 0
}
