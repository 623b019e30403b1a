package sched

import "encoding/json"

// The payloads of the events. Their JSON keys are part of the log format. Instants `*_ns` are
// nanoseconds since run start, other `*_ns` are durations; conversation numbers are indices in the
// plan, plan numbers are indices in the list given to New.

// State is one stream of a tree as it stands when a phase takes the tree over.
type State struct {
	Conversation int   `json:"c"`
	Next         int   `json:"next"`              // turn that profiling begins with
	OffsetNs     int64 `json:"offset_ns"`         // of its first request, before the global minimum is taken off
	Waiting      bool  `json:"waiting,omitempty"` // suspended: the next turn joins children that are still alive
	Stream       int   `json:"stream,omitempty"`  // handoff only; 0 may be left out
}

// Boundary says how many turns of a conversation are history.
type Boundary struct {
	Conversation int `json:"c"`
	Turns        int `json:"n"`
}

// TrajectoryBuilt says where a lane's first tree starts.
type TrajectoryBuilt struct {
	Plan       int        `json:"plan"`
	Trace      string     `json:"trace"`
	Draw       int64      `json:"draw"`                // number of the sampler's draw
	TStarMs    *float64   `json:"t_star_ms,omitempty"` // trace clock; missing for a trace without timestamps
	LowMs      float64    `json:"low_ms,omitempty"`    // bounds that t* was drawn from
	HighMs     float64    `json:"high_ms,omitempty"`
	Forced     bool       `json:"forced,omitempty"` // t* was given, not drawn
	States     []State    `json:"states"`
	Boundaries []Boundary `json:"boundaries"`
}

// TraceSkipped says that a draw could not be used.
type TraceSkipped struct {
	Purpose DrawPurpose `json:"for"`
	Plan    int         `json:"plan"`
	Trace   string      `json:"trace"`
	Draw    int64       `json:"draw"`
	Why     string      `json:"why"`
}

// DrawPurpose says what a trace was drawn for.
type DrawPurpose string

// The purposes.
const (
	DrawFill    DrawPurpose = "fill"    // a lane's first tree
	DrawRecycle DrawPurpose = "recycle" // the lane's tree drained
	DrawHandoff DrawPurpose = "handoff" // the lane was empty at the end of the cache warmup
)

// TraceDrawn says which trace the sampler gave.
type TraceDrawn struct {
	Purpose DrawPurpose `json:"for"`
	Plan    int         `json:"plan"`
	Trace   string      `json:"trace"`
	Draw    int64       `json:"draw"` // number of the sampler's draw, from 0, skipped ones included
}

// PhaseStart begins a phase; its at_ns is the phase's zero.
type PhaseStart struct {
	Phase      Phase  `json:"phase"`
	Lanes      int    `json:"lanes"`
	Target     *int64 `json:"target,omitempty"` // requests to send, where known
	DurationNs *int64 `json:"duration_ns,omitempty"`
	Pressure   bool   `json:"pressure,omitempty"`  // warmup: a cache-pressure stage follows the primers
	MinimumNs  int64  `json:"minimum_ns"`          // profiling: what was taken off all first offsets
	SpreadNs   int64  `json:"spread_ns,omitempty"` // latest minus earliest first request of the lanes
	RampNs     int64  `json:"ramp_ns,omitempty"`   // warmup: from the first primer to the last
	Waiting    int    `json:"waiting,omitempty"`   // profiling: lanes whose root waits
	Rootless   int    `json:"rootless,omitempty"`  // profiling: lanes without a live root
	// Late lists, after a cache warmup and without a watchdog, the lanes whose first request comes after a
	// tenth of the duration (spec scheduling 4.6): they are worth a warning.
	Late []LaneID `json:"late,omitempty"`
}

// TreeKind says how a tree began.
type TreeKind string

// The tree kinds.
const (
	TreeFull        TreeKind = "full"         // its root sends first
	TreeWaitingRoot TreeKind = "waiting_root" // its root waits for live children
	TreeRootless    TreeKind = "rootless"     // its root is history, children are alive
	TreeRecycled    TreeKind = "recycled"     // from turn 0, on a lane that had drained
)

// TreeOpen begins a play.
type TreeOpen struct {
	Phase    Phase    `json:"phase"`
	Plan     int      `json:"plan"`
	Trace    string   `json:"trace"`
	Kind     TreeKind `json:"kind"`
	Pass     int      `json:"pass"`                // trees of this trace opened before in this run
	Marker   string   `json:"marker,omitempty"`    // 12 hex digits; empty where the target mints none
	OriginNs *int64   `json:"origin_ns,omitempty"` // trace clock: where the play starts; missing without timestamps
}

// StreamOrigin says how a stream came to life.
type StreamOrigin string

// The origins.
const (
	OriginSnapshot    StreamOrigin = "snapshot"     // alive at t*
	OriginRoot        StreamOrigin = "root"         // turn 0 of a recycled tree
	OriginSpawnReturn StreamOrigin = "spawn_return" // its parent's turn returned
	OriginSpawnIssue  StreamOrigin = "spawn_issue"  // its parent's turn was sent
)

// StreamOpen begins a stream (for a child: child_registered).
type StreamOpen struct {
	Conversation int          `json:"c"`
	ID           string       `json:"id"` // conversation id
	Depth        int          `json:"depth"`
	Parent       StreamID     `json:"parent"` // None for a root and for children of a rootless tree
	Turns        int          `json:"turns"`
	Next         int          `json:"next"` // turn that it begins with; a primer is the turn before
	Origin       StreamOrigin `json:"origin"`
	Branch       int          `json:"branch"`              // index in the root's branches, None for a root
	Join         int          `json:"join"`                // turn of the root that waits for it, None where none does
	SpawnNs      int64        `json:"spawn_ns,omitempty"`  // instant that a spawn's offset counts from
	OffsetNs     int64        `json:"offset_ns,omitempty"` // of a spawn
	URL          int          `json:"url"`
}

// TimerWhy says what a timer waits for.
type TimerWhy string

// The timers.
const (
	TimerGap    TimerWhy = "gap"    // recorded pause after the turn before
	TimerFirst  TimerWhy = "first"  // first request of a tree's state in profiling
	TimerSpawn  TimerWhy = "spawn"  // recorded delay of a child's first turn
	TimerPrimer TimerWhy = "primer" // place on the warmup ramp
)

// TimerSet says when a turn will become due: base + gap.
type TimerSet struct {
	DueNs  int64    `json:"due_ns"`
	BaseNs int64    `json:"base_ns"`
	GapNs  int64    `json:"gap_ns"`
	Why    TimerWhy `json:"why"`
}

// ShiftScope says whose timers were moved.
type ShiftScope string

// The scopes.
const (
	ShiftGlobal ShiftScope = "global" // idle guard
	ShiftTree   ShiftScope = "tree"   // watchdog of one tree
)

// TimersShifted says that pending timers were moved earlier by ShiftNs, to now at the earliest.
type TimersShifted struct {
	Scope      ShiftScope `json:"scope"`
	ShiftNs    int64      `json:"shift_ns"`
	EarliestNs int64      `json:"earliest_ns"` // of the timer that decided, before the shift
	Count      int        `json:"n"`
}

// TurnDue says that a turn wants to go out.
type TurnDue struct {
	DueNs int64 `json:"due_ns"`
}

// TurnRef names a turn inside a tree.
type TurnRef struct {
	Conversation int `json:"c"`
	Turn         int `json:"t"`
}

// TurnRetained says which turns must complete first.
type TurnRetained struct {
	Missing []TurnRef `json:"missing"`
}

// TurnReleased says that the last predecessor of a retained turn completed.
type TurnReleased struct {
	AtNs int64 `json:"at_ns"` // of the fact that completed it
}

// TurnRefused says why a due or pending turn will not be sent.
type TurnRefused struct {
	Why Reason `json:"why"`
}

// TurnDeferred says that a turn goes over into profiling.
type TurnDeferred struct {
	Why Reason `json:"why"`
}

// SlotWait says that a turn waits for a prefill slot.
type SlotWait struct {
	Waiting int `json:"waiting"` // turns in the queue, this one included
}

// GateCreated begins a gate: the root's Turn of the event waits for branches.
type GateCreated struct {
	Branches []int `json:"branches"`
}

// GateBlocked says that the parent has arrived at the gate and waits.
type GateBlocked struct {
	NotBeforeNs int64 `json:"not_before_ns"`
}

// GateSatisfied says that the gate's children are done.
type GateSatisfied struct {
	AtNs    int64 `json:"at_ns"` // of the fact that completed the last one
	Blocked bool  `json:"blocked,omitempty"`
}

// GateDiscarded says that nobody is left to pass the gate.
type GateDiscarded struct {
	Why     Reason `json:"why"`
	Blocked bool   `json:"blocked,omitempty"`
}

// Waited is a set of the things that a sent turn waited for.
type Waited uint8

// What a turn can have waited for.
const (
	WaitedGap Waited = 1 << iota
	WaitedJoin
	WaitedBarrier
	WaitedSlot
	WaitedGuard    // its timer was moved by the idle guard
	WaitedWatchdog // its timer was moved by its tree's watchdog
	WaitedSpawn    // recorded delay of a child's first turn
	WaitedFirst    // place among the first requests of the phase
)

var waitedNames = [...]string{"gap", "join", "barrier", "slot", "guard", "watchdog", "spawn", "first"}

// Names lists the members.
func (w Waited) Names() []string {
	names := make([]string, 0, 2)
	for bit, name := range waitedNames {
		if w&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// MarshalJSON writes a list of names.
func (w Waited) MarshalJSON() ([]byte, error) { return json.Marshal(w.Names()) }

// UnmarshalJSON reads a list of names; unknown ones are ignored.
func (w *Waited) UnmarshalJSON(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return err
	}
	*w = 0
	for _, name := range names {
		for bit, known := range waitedNames {
			if name == known {
				*w |= 1 << bit
			}
		}
	}
	return nil
}

// Dispatch asks for a turn to be sent now. Lane, play, stream, turn and exchange are the event's.
type Dispatch struct {
	Phase        Phase `json:"phase"`
	Credit       int64 `json:"credit"` // number of the request in its phase, from 0
	Plan         int   `json:"plan"`
	Conversation int   `json:"c"`
	// DueNs is when the turn wanted to go out, after shifts of guard and watchdog; ReadyNs the instant of
	// the fact that opened its last gate or predecessor, DueNs where there was none.
	DueNs      int64 `json:"due_ns"`
	ReadyNs    int64 `json:"ready_ns"`
	SlotWaitNs int64 `json:"slot_wait_ns,omitempty"` // time in the prefill queue
	// MaxTokens overrides the plan's output limit where it is not 0 (1 in the warmup).
	MaxTokens int64  `json:"max,omitempty"`
	Primer    bool   `json:"primer,omitempty"`
	Final     bool   `json:"final,omitempty"` // last turn of its conversation
	Waited    Waited `json:"waited"`
	URL       int    `json:"url"`
	Marker    string `json:"marker,omitempty"`
}

// Cancel asks for an exchange to be given up. Its Ended is still to come.
type Cancel struct {
	Why Reason `json:"why"`
}

// StreamCompleted says that a stream's last turn returned.
type StreamCompleted struct {
	Outcome Outcome `json:"outcome"`
}

// StreamTerminated says that an overflow ended a stream.
type StreamTerminated struct {
	Unsent int `json:"unsent"`
}

// StreamTruncated says that a stop ended a stream before its last turn.
type StreamTruncated struct {
	Why    Reason `json:"why"`
	Unsent int    `json:"unsent"`
}

// TurnsVoided says that the turns From … To-1 of a conversation will never be sent and count as
// complete once what precedes them is.
type TurnsVoided struct {
	Conversation int    `json:"c"`
	From         int    `json:"from"`
	To           int    `json:"to"`
	Why          Reason `json:"why"`
}

// RootDone says that a tree's root sends no more.
type RootDone struct {
	Why Reason `json:"why"` // done or overflow
}

// TreeAborted says that a tree was given up.
type TreeAborted struct {
	Why    Reason   `json:"why"` // fail_fast, or num_sessions for a lane that the quota bars
	Stream StreamID `json:"by"`
}

// TreeDrained ends a play and frees its slot.
type TreeDrained struct{}

// Backoff says that the lane waits before it takes the next trace.
type Backoff struct {
	UntilNs int64  `json:"until_ns"`
	Why     Reason `json:"why"` // overflow or unanswered
}

// WarmupFailure says that a root's request failed in the warmup, which ends the run.
type WarmupFailure struct {
	Trace   string  `json:"trace"`
	Outcome Outcome `json:"outcome"`
}

// SendingComplete says that a phase starts no more requests (but for children under a session limit).
type SendingComplete struct {
	Phase  Phase  `json:"phase"`
	Reason Reason `json:"why"`
	Sent   int64  `json:"sent"`
	// Shortfall lists lanes that did not reach --warmup-requests-per-lane, with what they sent.
	Shortfall []LaneShortfall `json:"shortfall,omitempty"`
}

// LaneShortfall is a lane that ran out of work before its warmup quota.
type LaneShortfall struct {
	Lane LaneID `json:"lane"`
	Sent int    `json:"sent"`
}

// CancelInFlight says how many exchanges are cancelled now, and why.
type CancelInFlight struct {
	Count int    `json:"n"`
	Why   Reason `json:"why"`
}

// Handoff says where each lane's tree stands when the cache warmup ends.
type Handoff struct {
	Clock HandoffClock  `json:"clock"`
	Lanes []HandoffLane `json:"lanes"`
}

// HandoffLane is one lane at the handoff.
type HandoffLane struct {
	Lane   LaneID  `json:"lane"`
	Play   PlayID  `json:"play"`
	States []State `json:"states"`
}

// BranchStats are the counters of subagents of one phase (spec scheduling 8.7).
type BranchStats struct {
	Spawned      int64 `json:"children_spawned"`
	Completed    int64 `json:"children_completed"`
	Errored      int64 `json:"children_errored"`
	Truncated    int64 `json:"children_truncated"`
	Delayed      int64 `json:"children_delayed"`
	NeverSpawned int64 `json:"children_never_spawned"`
	Open         int64 `json:"children_open"` // at the phase's end
	Suspended    int64 `json:"parents_suspended"`
	Resumed      int64 `json:"parents_resumed"`
	Suppressed   int64 `json:"joins_suppressed"`
	Discarded    int64 `json:"joins_discarded"`
	FailedByFast int64 `json:"parents_failed_due_to_child_error"`
	StillWaiting int64 `json:"parents_waiting"` // at the phase's end
}

// Jumps counts shifts of timers.
type Jumps struct {
	Jumps     int64 `json:"jumps"`
	SkippedNs int64 `json:"skipped_ns"`
}

// Counts are the request and session counters of one phase (spec scheduling 7.2).
type Counts struct {
	Sent              int64 `json:"sent"`
	Completed         int64 `json:"completed"`
	Cancelled         int64 `json:"cancelled"`
	Errors            int64 `json:"errors"`    // overflows included
	Overflows         int64 `json:"overflows"` // part of Errors
	SentSessions      int64 `json:"sent_sessions"`
	CompletedSessions int64 `json:"completed_sessions"`
	CancelledSessions int64 `json:"cancelled_sessions"`
	RootSent          int64 `json:"root_sent"`
	SessionTurns      int64 `json:"session_turns"`
}

// PhaseComplete ends a phase.
type PhaseComplete struct {
	Phase        Phase       `json:"phase"`
	Counts       Counts      `json:"counts"`
	Branches     BranchStats `json:"branches"`
	Guard        Jumps       `json:"guard"`
	Watchdogs    Jumps       `json:"watchdogs"`
	WasCancelled bool        `json:"was_cancelled,omitempty"`
	TimedOut     bool        `json:"timed_out,omitempty"`  // the duration ended sending
	GraceOver    bool        `json:"grace_over,omitempty"` // the grace expired
	OpenTrees    int         `json:"open_trees"`
}

// RunComplete is the machine's last event.
type RunComplete struct {
	Reason       Reason `json:"why"`
	WasCancelled bool   `json:"was_cancelled,omitempty"`
}
