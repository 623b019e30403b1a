package sched

// Kind is the type of an input or an event. The numbers are those of the event log's kinds.
type Kind uint16

// Kinds of inputs.
const (
	KindStart      Kind = 100
	KindWake       Kind = 101
	KindFirstToken Kind = 102
	KindEnded      Kind = 103
	KindStop       Kind = 104
	KindAbort      Kind = 105
)

// Input is one fact given to Step. Build it with Start, Wake, FirstToken, Ended, Stop or Abort.
type Input struct {
	Kind     Kind
	Exchange ExchangeID // FirstToken, Ended
	At       int64      // FirstToken, Ended: the socket's stamp, ns since run start, at most now
	Outcome  Outcome    // Ended
	Answered bool       // Ended: at least one response byte came
	Reason   Reason     // Stop, Abort
}

// Start begins the run. It is the first input and comes once.
func Start() Input { return Input{Kind: KindStart, Exchange: None} }

// Wake says that the instant of NextWake has come. A Wake that is early or late does no harm.
func Wake() Input { return Input{Kind: KindWake, Exchange: None} }

// FirstToken says that the first content of an exchange came at the instant at. It is needed only
// with a prefill limit, to free the slot.
func FirstToken(exchange ExchangeID, at int64) Input {
	return Input{Kind: KindFirstToken, Exchange: exchange, At: at}
}

// Ended says how and when an exchange ended.
func Ended(exchange ExchangeID, at int64, outcome Outcome, answered bool) Input {
	return Input{Kind: KindEnded, Exchange: exchange, At: at, Outcome: outcome, Answered: answered}
}

// Stop ends the run gently: nothing more is sent, what is in flight is cancelled, and the phase is
// complete when all of it has ended. It is what the first Ctrl+C does.
func Stop(reason Reason) Input { return Input{Kind: KindStop, Exchange: None, Reason: reason} }

// Abort ends the run in this step without waiting for anything. It is what the second Ctrl+C does.
func Abort(reason Reason) Input { return Input{Kind: KindAbort, Exchange: None, Reason: reason} }
