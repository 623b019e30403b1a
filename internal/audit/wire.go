package audit

import (
	"fmt"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

const checkWire = "wire"

// wireCheck holds what the machine decided and was told against what the wire saw (design: every
// dispatch has one request written or a reason why not; every end is its exchange's; no end lies outside
// its exchange).
type wireCheck struct {
	result    *Result
	exchanges map[int64]*exchangeFacts
	next      int64 // number that the next dispatch must have
	count     int64
}

// exchangeFacts is what the log has said of one exchange so far.
type exchangeFacts struct {
	dispatched eventlog.Seq
	dispatchNs int64
	cancelled  bool
	written    bool
	told       *schedlog.Ended
	toldSeq    eventlog.Seq
	toldNs     int64
	end        *eventlog.ExchangeEnd
	late       bool
}

func newWireCheck(result *Result) *wireCheck {
	return &wireCheck{result: result, exchanges: map[int64]*exchangeFacts{}}
}

func (w *wireCheck) row(row eventlog.Event) error {
	switch row.Kind {
	case eventlog.KindDispatch:
		w.dispatch(row)
		return nil
	case eventlog.KindCancel, eventlog.KindRequestWritten, eventlog.KindEnded, eventlog.KindExchangeEnd, eventlog.KindLateEnd:
	default:
		return nil
	}
	facts := w.exchanges[row.Exchange]
	if facts == nil {
		w.result.add(checkWire, row.Seq, "%v of exchange %d, which was not dispatched before", row.Kind, row.Exchange)
		return nil
	}
	return w.fact(row, facts)
}

func (w *wireCheck) dispatch(row eventlog.Event) {
	if row.Exchange != w.next {
		w.result.add(checkWire, row.Seq, "exchange %d is dispatched where %d is next", row.Exchange, w.next)
	}
	w.next = row.Exchange + 1
	w.exchanges[row.Exchange] = &exchangeFacts{dispatched: row.Seq, dispatchNs: row.AtNs}
	w.count++
}

func (w *wireCheck) fact(row eventlog.Event, facts *exchangeFacts) error {
	switch row.Kind {
	case eventlog.KindCancel:
		facts.cancelled = true
	case eventlog.KindRequestWritten:
		facts.written = true
	case eventlog.KindLateEnd:
		facts.late = true
	case eventlog.KindEnded:
		told, err := eventlog.Decode[schedlog.Ended](row)
		if err != nil {
			return err
		}
		if facts.told != nil {
			w.result.add(checkWire, row.Seq, "the machine is told a second end of exchange %d", row.Exchange)
		}
		facts.told, facts.toldSeq, facts.toldNs = &told, row.Seq, row.AtNs
		w.toldOf(row, facts)
	case eventlog.KindExchangeEnd:
		end, err := eventlog.Decode[eventlog.ExchangeEnd](row)
		if err != nil {
			return err
		}
		if facts.end != nil {
			w.result.add(checkWire, row.Seq, "exchange %d ends a second time", row.Exchange)
		}
		facts.end = &end
		w.settled(row.Exchange, facts)
	}
	return nil
}

// toldOf checks the end that the machine was told by itself.
func (w *wireCheck) toldOf(row eventlog.Event, facts *exchangeFacts) {
	if facts.told.AtNs < facts.dispatchNs || facts.told.AtNs > row.AtNs {
		w.result.add(checkWire, row.Seq, "exchange %d ended at %d ns, outside of its dispatch at %d and this event at %d",
			row.Exchange, facts.told.AtNs, facts.dispatchNs, row.AtNs)
	}
	if facts.told.Outcome == sched.OutcomeCancelled && !facts.cancelled {
		w.result.add(checkWire, row.Seq, "exchange %d is told as cancelled, but no cancel came before", row.Exchange)
	}
}

// settled compares the two ends of an exchange once both are known. The wire's is logged last, after the
// output was counted.
func (w *wireCheck) settled(exchange int64, facts *exchangeFacts) {
	end, told := facts.end, facts.told
	if !facts.written && end.WrittenNs != nil {
		w.result.add(checkWire, facts.dispatched, "exchange %d was written at %d ns, but no request_written event says so", exchange, *end.WrittenNs)
	}
	if end.WrittenNs == nil && end.Outcome == eventlog.OutcomeOK {
		w.result.add(checkWire, facts.dispatched, "exchange %d is ok, but its request was never written", exchange)
	}
	if told == nil || told.Outcome == sched.OutcomeAbandoned {
		return // the end is missing or the machine gave up before; finish reports what is odd
	}
	if string(told.Outcome) != string(end.Outcome) {
		w.result.add(checkWire, facts.toldSeq, "the machine was told %s of exchange %d, the wire says %s", told.Outcome, exchange, end.Outcome)
	}
	if told.AtNs != end.EndNs {
		w.result.add(checkWire, facts.toldSeq, "the machine was told that exchange %d ended at %d ns, the wire says %d", exchange, told.AtNs, end.EndNs)
	}
	if end.WrittenNs != nil && told.AtNs < *end.WrittenNs && !end.Early {
		w.result.add(checkWire, facts.toldSeq, "exchange %d ended at %d ns, before its request was written at %d", exchange, told.AtNs, *end.WrittenNs)
	}
	delete(w.exchanges, exchange)
}

// finish reports what is missing at the end of the log; an interrupted log may lack any end.
func (w *wireCheck) finish(interrupted bool) {
	w.result.Done = append(w.result.Done, fmt.Sprintf("wire: %d exchanges against what the machine decided and was told", w.count))
	if interrupted {
		return
	}
	for exchange := range w.next {
		facts := w.exchanges[exchange]
		switch {
		case facts == nil || facts.late:
		case facts.end == nil:
			w.result.add(checkWire, facts.dispatched, "exchange %d was dispatched and never ended", exchange)
		case facts.told == nil:
			w.result.add(checkWire, facts.dispatched, "exchange %d ended, but the machine was never told", exchange)
		}
	}
}
