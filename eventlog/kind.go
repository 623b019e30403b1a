package eventlog

// Kind is the type of an event. Numbers are part of the file format: never reused, never changed.
type Kind uint16

// Kinds of the run itself.
const (
	KindRunConfig    Kind = 1  // first event: everything needed to repeat the run; payload RunConfig
	KindAnchor       Kind = 2  // wall clock against run clock; payload Anchor
	KindModelMap     Kind = 3  // models sent for one trace; payload ModelMap
	KindServerInfo   Kind = 4  // what the server says of itself; payload ServerInfo
	KindNotice       Kind = 5  // a warning or a note the user was shown; payload Notice
	KindClientSample Kind = 6  // the client's own load; payload ClientSample
	KindServerSample Kind = 7  // one scrape of a metrics page; payload ServerSample, data: the page, zstd
	KindRunEnd       Kind = 8  // last event: how the run ended; payload RunEnd
	KindStreamNames  Kind = 9  // session ids of a stream; payload StreamNames
	KindBundlePart   Kind = 10 // --export-level raw: a stretch of the bundle's file is in plans; payload BundlePart
)

// Kinds that go into the replay machine. The row of an input comes before the rows it caused.
const (
	KindStart      Kind = 100
	KindWake       Kind = 101
	KindFirstToken Kind = 102 // only with a prefill limit
	KindEnded      Kind = 103
	KindStop       Kind = 104
	KindAbort      Kind = 105
)

// Kinds that the replay machine returns. Payload keys are documented in docs/event-log.md.
const (
	KindTrajectoryBuilt  Kind = 110
	KindTraceSkipped     Kind = 111
	KindTraceDrawn       Kind = 112
	KindPhaseStart       Kind = 113
	KindTreeOpen         Kind = 114
	KindStreamOpen       Kind = 115
	KindTimerSet         Kind = 116 // after a return it rides in the payload of the ended row instead
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

// Kinds of the wire.
const (
	KindRequestWritten Kind = 200 // last request byte handed to the socket; payload RequestWritten
	KindFirstContent   Kind = 201 // first chunk with content; payload FirstContent
	KindExchangeEnd    Kind = 202 // the exchange's whole result; payload ExchangeEnd, data: chunk entries
	KindChunks         Kind = 203 // chunks of open exchanges, every 250 ms; payload none, data: chunk entries
	KindRawExchange    Kind = 204 // --export-level raw: digests of request head and response bytes
	KindNetworkSample  Kind = 205 // one connect time of the latency probe
	KindLateEnd        Kind = 206 // a real end after the machine was told abandoned
)
