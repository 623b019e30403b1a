package sched

// lane is one of the slots; it hosts at most one tree at a time.
type lane struct {
	id     LaneID
	tree   *tree
	built  *trajectory // how its first tree starts
	quota  int         // requests of the cache warmup so far
	opens  int64       // profiling: the lane takes part from here (ramp)
	barred bool        // the session quota was used up before its first tree

	hasBackoff bool
	backoffAt  int64
	hasWatch   bool // the watchdog's timer is armed
	watchAt    int64
}

// tree is one live replay of a trace.
type tree struct {
	id        PlayID
	lane      *lane
	plan      *recording
	kind      TreeKind
	marker    string
	url       int
	hasOrigin bool
	originNs  int64 // trace clock: t*, or the first request of a recycled root

	root     *stream   // nil in a rootless tree
	streams  []*stream // in order of creation
	done     []int32   // per conversation: how many turns are complete; always a prefix
	voidFrom []int32   // per conversation: turns from here on are voided
	voided   bool      // some conversation has voided turns
	retained []*stream
	branches []branchState
	gates    []gate // one per join turn with a registered branch

	outstanding int // children registered and not finished
	inFlight    int
	rootDone    bool
	aborted     bool
	drained     bool
	counted     bool // its root is a sent session of this phase
	expired     bool // its watchdog has fired and nothing went out since

	hasBackoff bool // the root's last answer asks for a pause before the lane goes on
	backoffTo  int64
	backoffWhy Reason
}

// branchState is where a group of children stands.
type branchState struct {
	started bool // children exist, or are history
	void    bool // will never be started
	open    int  // children that have not finished
}

func (b *branchState) complete() bool { return (b.started || b.void) && b.open == 0 }

// gate is a turn of the root that waits for children.
type gate struct {
	turn      int
	blocked   bool // the root has arrived
	satisfied bool
	discarded bool
}

// streamState says what a stream does now.
type streamState uint8

const (
	streamIdle     streamState = iota // between two decisions of one step, or waiting for its phase
	streamPending                     // its timer runs
	streamBlocked                     // at a gate whose children are not done; its "not before" timer may run
	streamRetained                    // due, but a predecessor is not complete
	streamQueued                      // due, waiting for a prefill slot
	streamInFlight
	streamDeferred // cache warmup: due, goes over into profiling
	streamFinished // completed, terminated or truncated
)

// stream is one live conversation.
type stream struct {
	id    StreamID
	tree  *tree
	conv  int
	rec   *recordedConversation
	state streamState
	next  int // turn that it sends next; in flight: the turn that is out
	url   int

	// The timer of the next turn. raw is the due instant without the floors of shifts: it keeps the
	// order of timers that were moved to the same instant.
	due, raw  int64
	sequence  int64
	heapIndex int   // None when no timer runs
	floor     int64 // ramp: shifts do not move the timer to before this
	hasFloor  bool

	ready    int64 // at of the fact that opened the last gate or predecessor
	hasReady bool
	queuedAt int64
	slotWait int64
	waited   Waited

	suspended bool  // counted as a suspended parent and neither resumed nor given up
	waiting   bool  // at a phase's start: its root waits for live children
	offset    int64 // at a phase's start: of its first request
}

func (s *stream) isRoot() bool { return s.conv == 0 }

func (s *stream) alive() bool { return s.state != streamFinished }

func (s *stream) final() bool { return s.next == len(s.rec.turns)-1 }

// flight is an exchange that has not ended.
type flight struct {
	id      ExchangeID
	stream  *stream
	turn    int
	primer  bool
	hasSlot bool // holds a prefill slot
}
