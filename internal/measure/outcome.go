package measure

// Outcome is the fate of one planned request as the exports name it: the five ends of the wire told
// apart by class and reason, plus turns that were due and never sent.
type Outcome string

// The outcomes.
const (
	OutcomeOK              Outcome = "ok"
	OutcomeNoVisibleOutput Outcome = "no_visible_output" // answered properly, nothing to see
	OutcomeHTTPError       Outcome = "http_error"
	OutcomeTransportError  Outcome = "transport_error"
	OutcomeStreamError     Outcome = "stream_error" // error inside a 2xx answer, or a stream cut short
	OutcomeTimeout         Outcome = "timeout"
	OutcomeOverflow        Outcome = "overflow"         // prompt did not fit the server's context window
	OutcomeCancelledGrace  Outcome = "cancelled_grace"  // still running when the grace period ended
	OutcomeCancelledUser   Outcome = "cancelled_user"   // Ctrl+C or SIGTERM
	OutcomeCancelledRun    Outcome = "cancelled_run"    // threshold, fail-fast, warmup failure, drain, log failure
	OutcomeCancelledPolicy Outcome = "cancelled_policy" // a request-cancellation policy, an error for the peer's files
	OutcomeAbandoned       Outcome = "abandoned"        // cancelled, and no end came
	OutcomeNeverSent       Outcome = "never_sent"       // due, but refused, voided or dropped by a stop
	OutcomeUnfinished      Outcome = "unfinished"       // sent, and the log ends before its end
)

// Outcomes lists all outcomes in the order reports show them.
func Outcomes() []Outcome {
	return []Outcome{
		OutcomeOK, OutcomeNoVisibleOutput,
		OutcomeHTTPError, OutcomeTransportError, OutcomeStreamError, OutcomeTimeout,
		OutcomeOverflow,
		OutcomeCancelledGrace, OutcomeCancelledUser, OutcomeCancelledRun, OutcomeCancelledPolicy,
		OutcomeAbandoned, OutcomeNeverSent, OutcomeUnfinished,
	}
}

// IsError reports whether the outcome is a failed request: neither an answer nor a cancellation by
// the run itself nor an overflow.
func (o Outcome) IsError() bool {
	switch o {
	case OutcomeHTTPError, OutcomeTransportError, OutcomeStreamError, OutcomeTimeout, OutcomeCancelledPolicy:
		return true
	default:
		return false
	}
}

// IsCancelled reports whether the run ended the request before the server did.
func (o Outcome) IsCancelled() bool {
	switch o {
	case OutcomeCancelledGrace, OutcomeCancelledUser, OutcomeCancelledRun, OutcomeCancelledPolicy, OutcomeAbandoned:
		return true
	default:
		return false
	}
}

// Phase is the part of a run in which a request was issued. Records belong to the phase they carry,
// whatever their times are.
type Phase string

// The phases.
const (
	PhaseWarmup    Phase = "warmup"
	PhaseProfiling Phase = "profiling"
)
