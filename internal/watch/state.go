package watch

import (
	"agentx/eventlog"
)

// State is what is known of a run so far.
type State struct {
	config  eventlog.RunConfig
	begun   bool // the configuration was read
	lastNs  int64
	wallNs  int64 // of the last anchor: wall clock − run clock
	anchors int
	events  int64

	phase    phase
	before   []phase // phases that are over
	flying   map[int64]*flight
	lanes    map[int64]*lane
	recycled int
	client   *eventlog.ClientSample
	highest  highest
	servers  map[string]*server
	urls     []string
	errors   []*failures
	lost     int // failures of further kinds
	notices  []eventlog.Notice
	end      *eventlog.RunEnd
	died     bool   // the log has no end, and nobody writes it
	why      string // the machine's word for the end
}

// phase is what happened in one phase.
type phase struct {
	name                                             string
	startNs, durationNs, endNs                       int64
	target                                           int64
	sent, returned, ok, silent, errors, overflows    int64
	cancelled                                        int64
	input, output, prompt, cached, reach, withCached int64
	planned                                          int64 // tokens of the prompts that reach is a part of, without markers
	ttft, latency, perToken                          histogram
	recent                                           recent
	closing                                          bool
	over                                             bool
	lastAnswerNs                                     int64
}

// flight is a request in flight.
type flight struct {
	phase   string
	sentNs  int64
	lane    int64
	decodes bool // the first token came
}

// lane is one lane with its tree.
type lane struct {
	trace   string
	play    int64
	streams map[int64]*stream
	flying  int
	sent    int
	openNs  int64
	idle    bool // between two trees
}

type stream struct {
	id          string
	depth       int
	turn, turns int64
}

// highest are the client's worst figures so far.
type highest struct {
	cpu, machine          float64
	lateP99Ns, readP99Ns  int64
	queueEvents, counting int64
}

// failures are failures of one kind.
type failures struct {
	outcome, class, message string
	status                  int
	count                   int
	lastNs                  int64
}

// New is the state before the first event.
func New() *State {
	return &State{flying: map[int64]*flight{}, lanes: map[int64]*lane{}, servers: map[string]*server{}}
}

const (
	keptErrors  = 20
	keptNotices = 4
)

// Ended reports whether the run is over, in order or because its process died.
func (s *State) Ended() bool { return s.end != nil || s.died }

// lightKinds are the events that the state needs and that have no data.
func lightKinds() []eventlog.Kind {
	return []eventlog.Kind{
		eventlog.KindRunConfig, eventlog.KindAnchor, eventlog.KindNotice, eventlog.KindClientSample, eventlog.KindRunEnd,
		eventlog.KindPhaseStart, eventlog.KindTreeOpen, eventlog.KindTreeDrained, eventlog.KindStreamOpen, eventlog.KindStreamCompleted,
		eventlog.KindStreamTerminated, eventlog.KindStreamTruncated, eventlog.KindDispatch, eventlog.KindSendingComplete,
		eventlog.KindPhaseComplete, eventlog.KindRunComplete, eventlog.KindFirstContent, eventlog.KindExchangeEnd,
	}
}
