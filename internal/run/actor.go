package run

import (
	"context"
	"os"
	"sync"
	"time"

	"agentx/internal/prompt"
	"agentx/sched"
	"agentx/wire"
	"agentx/wire/idle"
)

// actor carries the machine's decisions out: it keeps the ledger, and sends and cancels exchanges. All
// methods but send run on the loop's goroutine.
type actor struct {
	clock        *clock
	client       *wire.Client
	journal      *journal
	ledger       *ledger
	inputs       chan<- sched.Input
	finisher     *finisher
	lateness     *lateness
	failures     *failures
	cancellation cancellation
	stream       bool // streamed answers
	slots        bool // a prefill limit is set: the machine wants to hear of first tokens

	burst     *wire.Burst // of the requests that the step under way sends; nil for one alone that is due
	exchanges map[sched.ExchangeID]*exchange
	buffers   *idle.List[*prompt.Buffer]
	underway  sync.WaitGroup
	observe   func(now int64, event *sched.Event)
}

// begin prepares for the decisions of one step, before any of them is in the log. The step is made for the
// instant now, which may lie ahead: its requests are made ready, and wait for release.
func (a *actor) begin(now int64, input sched.Input, events []sched.Event) {
	a.introduce(events)
	if input.Kind == sched.KindEnded {
		a.forget(input.Exchange)
	}
	a.burst = nil
	if together := len(dispatches(events)); together > 1 || together > 0 && a.clock.Now() < now {
		a.burst = wire.NewBurst(together, now)
	}
}

// release lets the requests of the step go out: they are due.
func (a *actor) release() {
	if a.burst != nil {
		a.burst.Release()
	}
}

func (a *actor) act(now int64, event *sched.Event) {
	a.observe(now, event)
	switch event.Kind {
	case sched.KindTreeOpen:
		a.ledger.openTree(event, event.Payload.(*sched.TreeOpen))
	case sched.KindStreamOpen:
		a.openStream(now, event)
	case sched.KindDispatch:
		a.dispatch(event)
	case sched.KindCancel:
		a.cancel(event)
	case sched.KindTreeDrained:
		a.closeTree(event.Play)
	}
}

// openStream gives the stream its names, and what its bodies share.
func (a *actor) openStream(now int64, event *sched.Event) {
	names := a.ledger.openStream(event, event.Payload.(*sched.StreamOpen))
	a.ledger.streams[event.Stream].body = new(wire.StreamBody)
	a.journal.StreamNames(now, event, names)
}

func (a *actor) closeTree(id sched.PlayID) {
	for _, stream := range a.ledger.closeTree(id) {
		a.client.EndSession(stream.session)
		stream.body.Release()
	}
}

// dispatch begins an exchange, on a goroutine of its own.
func (a *actor) dispatch(event *sched.Event) {
	facts := a.ledger.dispatch(event)
	stream := facts.stream
	conversation := &stream.play.plan.Conversations[stream.conversation]
	ctx, cancel := context.WithCancelCause(context.Background())
	x := &exchange{
		id:          event.Exchange,
		dispatch:    event.Payload.(*sched.Dispatch),
		promptFacts: facts,
		maxTokens:   conversation.Turns[facts.turn].MaxOut,
		burst:       a.burst,
		context:     ctx,
		cancel:      cancel,
	}
	if x.dispatch.MaxTokens != 0 {
		x.maxTokens = x.dispatch.MaxTokens
	}
	a.exchanges[x.id] = x
	a.underway.Add(1)
	go a.send(x)
}

func (a *actor) cancel(event *sched.Event) {
	x := a.exchanges[event.Exchange]
	if x == nil {
		return // it has ended; the machine will hear of it
	}
	x.cancel(&cancelledFor{event.Payload.(*sched.Cancel).Why})
	x.abandon = time.AfterFunc(abandonAfter, func() {
		if x.claimEnd() {
			a.inputs <- sched.Ended(x.id, a.clock.Now(), sched.OutcomeAbandoned, false)
		}
	})
}

// forget drops what the loop keeps of an exchange whose end it has been told.
func (a *actor) forget(id sched.ExchangeID) {
	if x := a.exchanges[id]; x != nil {
		if x.abandon != nil {
			x.abandon.Stop()
		}
		delete(a.exchanges, id)
	}
}

// send makes the exchange and reports its end; it runs on a goroutine of its own.
func (a *actor) send(x *exchange) {
	reserveStack()
	defer a.underway.Done()
	defer x.cancel(nil)
	buffer := a.buffers.Get()
	request := a.request(x, buffer)
	result := a.client.Do(x.context, request)
	settleCancelled(&result)
	a.buffers.Put(buffer)
	if x.dispatch.Phase == sched.PhaseWarmup && x.dispatch.Conversation == 0 {
		a.failures.note(x.id, &result)
	}
	if x.claimEnd() {
		a.inputs <- ended(x.id, &result, a.clock.Now())
	} else {
		a.journal.LateEnd(a.clock.Now(), x.id)
	}
	a.lateness.add(x, &result)
	a.finisher.finish(x, request, &result)
}

// reserveStack makes the goroutine's stack as large as an exchange needs, in one step, while there is next
// to nothing on it to be copied: growing it by and by makes the median of a burst of 60 requests 0.2 to 0.5 ms later.
//
//go:noinline
func reserveStack() byte {
	var space [12 << 10]byte
	return space[len(os.Args)&1]
}

func (a *actor) request(x *exchange, buffer *prompt.Buffer) *wire.Request {
	play := x.stream.play
	x.roles = appendRoles(nil, x.stream.history.Messages)
	messages := buffer.Fill(play.text, x.stream.conversation, x.stream.history.Messages, x.place, play.marker)
	return &wire.Request{
		URLIndex:        x.dispatch.URL,
		RequestID:       a.ledger.names.request(int64(x.id)),
		SessionID:       x.stream.session,
		ParentSessionID: x.stream.parent,
		TreeID:          play.rootSession,
		LastTurn:        x.dispatch.Final,
		Body: wire.Body{
			Messages:     messages,
			Model:        x.model,
			Stream:       a.stream,
			MaxTokens:    x.maxTokens,
			KeptMessages: prompt.KeptByNext(&play.plan.Conversations[x.stream.conversation], x.turn, x.place),
		},
		StreamBody:  x.stream.body,
		KeepRaw:     a.finisher.raw.wanted(),
		CancelAfter: a.cancellation.of(x),
		Burst:       x.burst,
		Hooks:       a.journal.Hooks(x, a.inputs, a.slots),
	}
}
