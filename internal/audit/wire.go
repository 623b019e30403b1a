package audit

import (
	"fmt"
	"slices"

	"agentx/eventlog"
	"agentx/internal/schedlog"
	"agentx/sched"
)

const checkWire = "wire"

// wireCheck holds what the machine decided and was told against what the wire saw (design: every
// dispatch has one request written or a reason why not; every end is its exchange's; no end lies outside
// its exchange). The two ends of an exchange may come in either order: the wire's is logged after its
// output was counted.
type wireCheck struct {
	result    *Result
	exchanges map[int64]*exchangeFacts // not settled yet
	next      int64                    // number that the next dispatch must have
	count     int64
	over      eventlog.Seq // the machine's last word; what ends after it, it is not told
	aborted   bool
	abortNs   int64
}

// untoldNs is how long before an abort an exchange may have ended of which the machine was not told: the abort does
// not wait for what waits to be told, nor the log for the abort. (A wake may be as late on a busy host.)
const untoldNs = 3_000_000_000

// exchangeFacts is what the log has said of one exchange so far.
type exchangeFacts struct {
	dispatched eventlog.Seq
	dispatchNs int64
	cancelled  bool
	written    eventlog.Seq // the last, where a request was sent again
	writtenNs  int64
	writes     int
	told       *schedlog.Ended
	toldSeq    eventlog.Seq
	end        *eventlog.ExchangeEnd
	endSeq     eventlog.Seq
	late       bool
}

func newWireCheck(result *Result) *wireCheck {
	return &wireCheck{result: result, exchanges: map[int64]*exchangeFacts{}}
}

var wireKinds = []eventlog.Kind{
	eventlog.KindCancel, eventlog.KindRequestWritten, eventlog.KindEnded, eventlog.KindExchangeEnd, eventlog.KindLateEnd,
}

func (w *wireCheck) row(row eventlog.Event) error {
	switch row.Kind {
	case eventlog.KindDispatch:
		w.dispatch(row)
		return nil
	case eventlog.KindAbort:
		w.aborted, w.abortNs = true, row.AtNs
	case eventlog.KindRunComplete:
		w.over = row.Seq
	}
	if !slices.Contains(wireKinds, row.Kind) {
		return nil
	}
	facts := w.exchanges[row.Exchange]
	if facts == nil {
		why := "which was not dispatched before"
		if row.Exchange >= 0 && row.Exchange < w.next {
			why = "which has ended already"
		}
		w.result.add(checkWire, row.Seq, "%v of exchange %d, %s", row.Kind, row.Exchange, why)
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
		facts.written, facts.writtenNs = row.Seq, row.AtNs
		facts.writes++
	case eventlog.KindLateEnd:
		facts.late = true
	case eventlog.KindEnded:
		told, err := eventlog.Decode[schedlog.Ended](row)
		if err != nil {
			return err
		}
		w.tell(row, facts, &told)
	case eventlog.KindExchangeEnd:
		end, err := eventlog.Decode[eventlog.ExchangeEnd](row)
		if err != nil {
			return err
		}
		if facts.end != nil {
			w.result.find(Finding{checkWire, []eventlog.Seq{facts.endSeq, row.Seq}, exchangeText(row.Exchange, "ends a second time")})
		}
		facts.end, facts.endSeq = &end, row.Seq
		w.finished(row.Exchange, facts)
	}
	if facts.end != nil && facts.told != nil {
		w.settle(row.Exchange, facts)
	}
	return nil
}

// tell checks the end that the machine was told by itself.
func (w *wireCheck) tell(row eventlog.Event, facts *exchangeFacts, told *schedlog.Ended) {
	if facts.told != nil {
		w.result.find(Finding{checkWire, []eventlog.Seq{facts.toldSeq, row.Seq}, exchangeText(row.Exchange, "is told to have ended a second time")})
	}
	facts.told, facts.toldSeq = told, row.Seq
	if told.AtNs < facts.dispatchNs || told.AtNs > row.AtNs {
		w.find(facts, row.Seq, "exchange %d ended at %d ns, outside of its dispatch at %d and this event at %d",
			row.Exchange, told.AtNs, facts.dispatchNs, row.AtNs)
	}
	if told.Outcome == sched.OutcomeCancelled && !facts.cancelled {
		w.find(facts, row.Seq, "exchange %d is told as cancelled, but no cancel came before", row.Exchange)
	}
}

// finished checks the wire's end by itself.
func (w *wireCheck) finished(exchange int64, facts *exchangeFacts) {
	end := facts.end
	switch {
	case end.WrittenNs == nil && end.Outcome == eventlog.OutcomeOK:
		w.find(facts, facts.endSeq, "exchange %d is ok, but its request was never written", exchange)
	case end.WrittenNs != nil && facts.written == 0:
		w.find(facts, facts.endSeq, "exchange %d was written at %d ns, but no request_written event says so", exchange, *end.WrittenNs)
	case end.WrittenNs == nil && facts.writes > end.Resends: // each resend may come after a whole request
		w.find(facts, facts.written, "the request of exchange %d is written, but its end does not say so", exchange)
	case end.WrittenNs != nil && *end.WrittenNs > facts.writtenNs: // the wire may learn later that it was earlier
		w.find(facts, facts.written, "the request of exchange %d was written at %d ns, its end says %d", exchange, facts.writtenNs, *end.WrittenNs)
	}
	if facts.writes > 1+end.Resends {
		w.find(facts, facts.written, "the request of exchange %d was written %d times, its end tells of %d resends", exchange, facts.writes, end.Resends)
	}
	if end.StartNs < facts.dispatchNs {
		w.find(facts, facts.endSeq, "exchange %d began at %d ns, before its dispatch at %d", exchange, end.StartNs, facts.dispatchNs)
	}
	for _, stamp := range []struct {
		name string
		at   *int64
	}{{"its first write", end.SendStartNs}, {"its last write", end.WrittenNs}, {"its first byte", end.FirstByteNs}, {"its first token", end.FirstTokenNs}, {"its last token", end.LastTokenNs}} {
		if stamp.at != nil && (*stamp.at < end.StartNs || *stamp.at > end.EndNs) {
			w.find(facts, facts.endSeq, "exchange %d has %s at %d ns, outside of %d to %d", exchange, stamp.name, *stamp.at, end.StartNs, end.EndNs)
		}
	}
}

// settle compares the two ends of an exchange, and forgets it.
func (w *wireCheck) settle(exchange int64, facts *exchangeFacts) {
	delete(w.exchanges, exchange)
	end, told := facts.end, facts.told
	if told.Outcome == sched.OutcomeAbandoned {
		return // the machine gave up before the wire was done
	}
	both := func(format string, arguments ...any) {
		w.find(&exchangeFacts{dispatched: facts.toldSeq}, facts.endSeq, format, arguments...)
	}
	if string(told.Outcome) != string(end.Outcome) {
		both("the machine was told %s of exchange %d, the wire says %s", told.Outcome, exchange, end.Outcome)
	}
	if told.AtNs != end.EndNs {
		both("the machine was told that exchange %d ended at %d ns, the wire says %d", exchange, told.AtNs, end.EndNs)
	}
	if told.Answered != (end.FirstByteNs != nil) {
		both("the machine was told that exchange %d was answered: %v, the wire's first byte says otherwise", exchange, told.Answered)
	}
	if end.WrittenNs != nil && told.AtNs < *end.WrittenNs && !end.Early {
		both("exchange %d ended at %d ns, before its request was written at %d", exchange, told.AtNs, *end.WrittenNs)
	}
}

// finish reports what is missing at the end of the log; an interrupted log may lack any end.
func (w *wireCheck) finish(interrupted bool) {
	if interrupted {
		return
	}
	for exchange := range w.next {
		facts := w.exchanges[exchange]
		switch {
		case facts == nil || facts.late:
		case facts.end == nil:
			w.result.add(checkWire, facts.dispatched, "exchange %d was dispatched and never ended", exchange)
		case facts.told == nil && !w.mayBeUntold(facts):
			w.find(facts, facts.endSeq, "exchange %d ended, but the machine was never told", exchange)
		}
	}
}

// mayBeUntold tells whether an exchange ended too late for the machine to be told.
func (w *wireCheck) mayBeUntold(facts *exchangeFacts) bool {
	return w.over != 0 && (facts.endSeq > w.over || w.aborted && facts.end.EndNs > w.abortNs-untoldNs)
}

// find reports a finding about an event of an exchange, with its dispatch.
func (w *wireCheck) find(facts *exchangeFacts, seq eventlog.Seq, format string, arguments ...any) {
	w.result.find(Finding{checkWire, []eventlog.Seq{facts.dispatched, seq}, fmt.Sprintf(format, arguments...)})
}

func exchangeText(exchange int64, text string) string {
	return fmt.Sprintf("exchange %d %s", exchange, text)
}
