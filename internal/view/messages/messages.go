// Package messages shows what was sent, turn by turn: conversations under their parents, the messages
// of each turn with what is new in it apart from what it repeats, what a cache could have held and what
// the server reports that it held, and the answer where it was stored.
//
// It promises that structure, roles, tokens, timings and hits come from the log alone; that texts, where
// a bundle gives them, stand in the page once, however often history repeats them; that whatever a text
// holds is shown and never run; and that everything left out (conversations, turns, ends of long texts)
// is counted on the page. Package fromrun makes an Input of an analysed log.
package messages

import (
	"math"

	"agentx/corpus"
)

// None marks a moment or count that did not happen or is not known, which is not 0.
const None int64 = math.MinInt64

// Input is what a page is made of. Times are nanoseconds since run start.
type Input struct {
	Title  string
	Source string // which log
	Origin int64  // zero of shown times: the start of profiling
	Plays  []Play // in the order they are shown
	Notes  []string

	Plans map[corpus.TraceID]*corpus.Plan
	// Texts gives the texts of messages; nil where no bundle was found: then WithoutTexts says why.
	Texts        Texts
	WithoutTexts string
	// Responses gives the text of answers; nil where the run did not store them.
	Responses Responses
	// Marking says which message of a turn carries the cache-bust marker; nil where none does.
	Marking Marking
}

// Texts gives the texts of traces.
type Texts interface {
	// Trace opens the texts of one trace. The error names what is missing or damaged.
	Trace(trace corpus.TraceID) (TraceText, error)
}

// TraceText gives the texts of one trace: conversation is an index in the plan, turn one of its turns,
// message an index in the turn's New. False where there is no text.
type TraceText interface {
	Text(conversation, turn, message int) (string, bool)
}

// Responses gives the text of an exchange's answer; false where it was not stored.
type Responses interface {
	Response(exchange int64) (string, bool)
}

// Marking gives the place of the marker in the message array of a turn: the index of the message that
// carries it, and whether it stands at that message's end; -1 where no message does.
type Marking interface {
	Place(conversation *corpus.Conversation, turn int) (message int, atEnd bool)
}

// Play is one live replay of a trace.
type Play struct {
	ID      int64
	Lane    int
	Trace   corpus.TraceID
	Replay  int    // how many plays of the trace came before
	Marker  string // cache-bust marker as it is sent, without its blank lines; empty without one
	Opened  int64
	Streams []Stream
}

// Stream is the live side of one conversation.
type Stream struct {
	ID           int64
	Conversation int // index in the plan; -1 where the log does not say
	Name, Kind   string
	Depth        int
	Parent       int // index in Play.Streams, -1 for none
	Fate         string
	Turns        []Turn
}

// Turn is one request, as it went.
type Turn struct {
	Index    int
	Exchange int64 // -1 when it was never sent
	Phase    string
	Outcome  string
	Error    string
	Failed   bool // error, overflow, cancelled, abandoned or unfinished

	Start, FirstToken, End int64
	Late                   int64 // ns after it was due
	Input, Output          int64 // tokens
	Reasoning              int64
	Cached, Theory, Reach  int64
	MaxTokens              int64
	HTTPStatus             int
	Finish                 string
	RequestID              string
}

// Limits bound what goes into a page.
type Limits struct {
	Conversations int // --limit-conversations; 0: all
	Turns         int // --max-turns of each conversation; 0: all
	Content       int // --content-cap: characters of each text; 0: all
}

// DefaultLimits are the peer's.
func DefaultLimits() Limits { return Limits{Conversations: 40, Turns: 60, Content: 8000} }
