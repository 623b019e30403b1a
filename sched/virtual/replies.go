package virtual

import (
	"container/heap"

	"agentx/sched"
)

// Reply is what becomes of one request.
type Reply struct {
	LatencyNs    int64 // from the send to the end; negative: it never ends by itself
	FirstTokenNs int64 // from the send to the first token; negative: none is reported
	HandleNs     int64 // how much later than its stamp the end reaches the machine
	CancelNs     int64 // from a cancel to the cancelled end
	Outcome      sched.Outcome
	Unanswered   bool // no response byte came
}

// Replies is a world in which every request's fate is known when it is sent.
type Replies struct {
	// Answer decides what becomes of a request.
	Answer func(now int64, event *sched.Event, request *sched.Dispatch) Reply
	// Tokens asks for first tokens to be told to the machine.
	Tokens bool

	facts    facts
	sequence int
	open     map[sched.ExchangeID]Reply
}

// Add plans an input of its own, such as a Stop.
func (w *Replies) Add(at int64, input sched.Input) { w.push(at, input, false) }

func (w *Replies) push(at int64, input sched.Input, end bool) {
	heap.Push(&w.facts, fact{at: at, sequence: w.sequence, input: input, end: end})
	w.sequence++
}

// Send implements World.
func (w *Replies) Send(now int64, event *sched.Event, request *sched.Dispatch) {
	reply := w.Answer(now, event, request)
	if w.open == nil {
		w.open = map[sched.ExchangeID]Reply{}
	}
	w.open[event.Exchange] = reply
	if w.Tokens && reply.FirstTokenNs >= 0 && (reply.LatencyNs < 0 || reply.FirstTokenNs <= reply.LatencyNs) {
		at := now + reply.FirstTokenNs
		w.push(at, sched.FirstToken(event.Exchange, at), false)
	}
	if reply.LatencyNs >= 0 {
		at := now + reply.LatencyNs
		w.push(at+reply.HandleNs, sched.Ended(event.Exchange, at, reply.Outcome, !reply.Unanswered), true)
	}
}

// Cancel implements World: the cancelled end comes after the reply's delay, unless the natural end is
// there first.
func (w *Replies) Cancel(now int64, exchange sched.ExchangeID) {
	reply, open := w.open[exchange]
	if !open {
		return
	}
	at := now + reply.CancelNs
	w.push(at, sched.Ended(exchange, at, sched.OutcomeCancelled, true), true)
}

// Next implements World.
func (w *Replies) Next() (at int64, ok bool) {
	w.dropLate()
	if len(w.facts) == 0 {
		return 0, false
	}
	return w.facts[0].at, true
}

// Take implements World.
func (w *Replies) Take(now int64) []sched.Input {
	var inputs []sched.Input
	for w.dropLate(); len(w.facts) > 0 && w.facts[0].at <= now; w.dropLate() {
		taken := heap.Pop(&w.facts).(fact)
		if taken.end {
			delete(w.open, taken.input.Exchange)
		}
		inputs = append(inputs, taken.input)
	}
	return inputs
}

// dropLate forgets second ends of an exchange: each has exactly one.
func (w *Replies) dropLate() {
	for len(w.facts) > 0 && w.facts[0].end {
		if _, open := w.open[w.facts[0].input.Exchange]; open {
			return
		}
		heap.Pop(&w.facts)
	}
}

type fact struct {
	at       int64
	sequence int
	input    sched.Input
	end      bool
}

type facts []fact

func (f facts) Len() int { return len(f) }

func (f facts) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].sequence < f[j].sequence
}

func (f facts) Swap(i, j int) { f[i], f[j] = f[j], f[i] }

func (f *facts) Push(x any) { *f = append(*f, x.(fact)) }

func (f *facts) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}
