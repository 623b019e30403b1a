package sched

// Kinds of events. Each has one payload type, named like the kind.
const (
	KindTrajectoryBuilt  Kind = 110
	KindTraceSkipped     Kind = 111
	KindTraceDrawn       Kind = 112
	KindPhaseStart       Kind = 113
	KindTreeOpen         Kind = 114
	KindStreamOpen       Kind = 115
	KindTimerSet         Kind = 116
	KindTimersShifted    Kind = 117
	KindTurnDue          Kind = 118
	KindTurnRetained     Kind = 119
	KindTurnReleased     Kind = 120
	KindTurnRefused      Kind = 121
	KindTurnDeferred     Kind = 122
	KindGateCreated      Kind = 123
	KindGateBlocked      Kind = 124
	KindGateSatisfied    Kind = 125
	KindGateDiscarded    Kind = 126
	KindDispatch         Kind = 127
	KindCancel           Kind = 128
	KindStreamCompleted  Kind = 129
	KindStreamTerminated Kind = 130
	KindStreamTruncated  Kind = 131
	KindTurnsVoided      Kind = 132
	KindRootDone         Kind = 133
	KindTreeAborted      Kind = 134
	KindTreeDrained      Kind = 135
	KindBackoff          Kind = 136
	KindWarmupFailure    Kind = 137
	KindSendingComplete  Kind = 138
	KindCancelInFlight   Kind = 139
	KindHandoff          Kind = 140
	KindPhaseComplete    Kind = 141
	KindRunComplete      Kind = 142
	KindSlotWait         Kind = 143
)

// Event is one decision. Ids that do not apply are None. Payload is a pointer to the type of the
// kind (nil where the kind has none to tell).
type Event struct {
	Kind     Kind
	Phase    Phase
	Lane     LaneID
	Play     PlayID
	Stream   StreamID
	Turn     int32 // index in the conversation
	Exchange ExchangeID
	Payload  any
}
