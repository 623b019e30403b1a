package sched

// None stands in an Event for an id that does not apply.
const None = -1

// LaneID is the index of one of the slots that host trees, from 0.
type LaneID int32

// PlayID numbers the trees (live replays of a trace) of a run, dense from 0 in the order of opening.
type PlayID int32

// StreamID numbers the streams (live conversations) of a run, dense from 0 in the order of opening.
type StreamID int32

// ExchangeID numbers the requests of a run, dense from 0 in the order of dispatch, over all phases.
type ExchangeID int64

// Phase is a part of the run with counters of its own.
type Phase uint8

// The phases, in their order.
const (
	PhaseNone Phase = iota
	PhaseWarmup
	PhaseProfiling
)

// String is the name used in the log.
func (p Phase) String() string {
	switch p {
	case PhaseWarmup:
		return "warmup"
	case PhaseProfiling:
		return "profiling"
	}
	return ""
}

// MarshalText writes the name.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a name; an unknown one is PhaseNone.
func (p *Phase) UnmarshalText(text []byte) error {
	switch string(text) {
	case "warmup":
		*p = PhaseWarmup
	case "profiling":
		*p = PhaseProfiling
	default:
		*p = PhaseNone
	}
	return nil
}

// Outcome is the single end state of an exchange, as the wire reports it.
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeOverflow  Outcome = "overflow"  // the server says that the context window is too small
	OutcomeCancelled Outcome = "cancelled" // ended by our Cancel
	OutcomeAbandoned Outcome = "abandoned" // no end within ten seconds of our Cancel
)

// Reason says why something was stopped, refused, cancelled or completed.
type Reason string

// Reasons. The first block can be given to Stop and Abort; any other text is carried as it is.
const (
	ReasonUser       Reason = "user"        // Ctrl+C, SIGTERM
	ReasonLogFailure Reason = "log_failure" // the event log cannot be written

	ReasonThreshold     Reason = "failed_requests" // --failed-request-threshold
	ReasonFailFast      Reason = "fail_fast"       // --dag-fail-fast
	ReasonWarmupFailure Reason = "warmup_failure"  // a root failed in the warmup
	ReasonDrainTimeout  Reason = "drain_timeout"   // cache warmup did not drain within its grace
	ReasonDuration      Reason = "duration"
	ReasonRequestCount  Reason = "request_count"
	ReasonSessions      Reason = "num_sessions"
	ReasonGrace         Reason = "grace"          // the grace after the duration is over
	ReasonPrimersSent   Reason = "primers_sent"   // warmup: every primer went out
	ReasonCutoff        Reason = "cutoff"         // cache warmup: its duration is over
	ReasonQuota         Reason = "lane_quota"     // cache warmup: the lane's requests are used up
	ReasonSending       Reason = "sending_closed" // sending was complete already
	ReasonOverflow      Reason = "overflow"
	ReasonUnanswered    Reason = "unanswered" // a failure without one response byte
	ReasonDone          Reason = "done"
)
