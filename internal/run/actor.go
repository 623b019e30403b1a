package run

import (
	"context"
	"sync"
	"time"

	"agentx/eventlog"
	"agentx/internal/prompt"
	"agentx/sched"
	"agentx/wire"
)

// actor carries the machine's decisions out: it keeps the live trees and streams, and sends and cancels
// exchanges. All methods but send run on the loop's goroutine.
type actor struct {
	clock        *clock
	client       *wire.Client
	journal      *journal
	recording    *recording
	models       [][]string // by plan: sent model for each recorded one
	introduced   []bool     // by plan
	marking      marking
	names        identity
	inputs       chan<- sched.Input
	finisher     *finisher
	lateness     *lateness
	failures     *failures
	cancellation cancellation
	stream       bool // streamed answers
	slots        bool // a prefill limit is set: the machine wants to hear of first tokens

	reach     *reachScopes
	plays     map[sched.PlayID]*play
	streams   map[sched.StreamID]*stream
	exchanges map[sched.ExchangeID]*exchange
	buffers   sync.Pool // of *prompt.Buffer
	underway  sync.WaitGroup
	observe   func(now int64, event *sched.Event)
}

func (a *actor) act(now int64, event *sched.Event) {
	a.observe(now, event)
	switch event.Kind {
	case sched.KindTreeOpen:
		a.openTree(event)
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

func (a *actor) openTree(event *sched.Event) {
	opened := event.Payload.(*sched.TreeOpen)
	text, tokens := a.marking.mark(opened.Marker)
	a.plays[event.Play] = &play{
		id:           event.Play,
		plan:         a.recording.plans[opened.Plan],
		planIndex:    opened.Plan,
		text:         a.recording.texts[opened.Plan],
		models:       a.models[opened.Plan],
		marker:       text,
		markerTokens: tokens,
		reach:        a.reach.tree(opened.Plan),
	}
}

func (a *actor) openStream(now int64, event *sched.Event) {
	opened := event.Payload.(*sched.StreamOpen)
	play := a.plays[event.Play]
	opening := &stream{
		play:         play,
		conversation: opened.Conversation,
		session:      a.names.session(int64(event.Stream)),
		digest:       new(wire.BodyDigest),
	}
	if parent := a.streams[opened.Parent]; parent != nil {
		opening.parent = parent.session
	}
	if opened.Depth == 0 || play.rootSession == "" {
		play.rootSession = opening.session
	}
	play.streams = append(play.streams, event.Stream)
	a.streams[event.Stream] = opening
	a.journal.StreamNames(now, event, eventlog.StreamNames{
		Session: opening.session, Parent: opening.parent, Root: play.rootSession,
	})
}

func (a *actor) closeTree(id sched.PlayID) {
	for _, stream := range a.plays[id].streams {
		a.client.EndSession(a.streams[stream].session)
		delete(a.streams, stream)
	}
	delete(a.plays, id)
}

// dispatch prepares an exchange and sends it on a goroutine of its own. What depends on the order of
// dispatches (the reachable prefix) is computed here.
func (a *actor) dispatch(event *sched.Event) {
	stream := a.streams[event.Stream]
	conversation := &stream.play.plan.Conversations[stream.conversation]
	turn := int(event.Turn)
	kept := stream.history.Advance(conversation, turn)
	kept = min(kept, len(stream.path))
	place := prompt.PlaceMarker(a.marking.target, stream.history.Messages)
	ctx, cancel := context.WithCancelCause(context.Background())
	x := &exchange{
		id:           event.Exchange,
		dispatch:     event.Payload.(*sched.Dispatch),
		stream:       stream,
		turn:         turn,
		kept:         prompt.KeptByNext(conversation, turn, place),
		place:        place,
		roles:        appendRoles(nil, stream.history.Messages),
		promptTokens: stream.history.Tokens() + stream.play.markerTokens,
		reachTokens:  a.reach.visit(stream, kept, place),
		maxTokens:    conversation.Turns[turn].MaxOut,
		context:      ctx,
		cancel:       cancel,
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
	defer a.underway.Done()
	defer x.cancel(nil)
	buffer, _ := a.buffers.Get().(*prompt.Buffer)
	if buffer == nil {
		buffer = &prompt.Buffer{}
	}
	request := a.request(x, buffer)
	result := a.client.Do(x.context, request)
	settleCancelled(&result)
	a.buffers.Put(buffer)
	a.failures.note(x.id, &result)
	if x.claimEnd() {
		a.inputs <- ended(x.id, &result, a.clock.Now())
	} else {
		a.journal.LateEnd(a.clock.Now(), x.id)
	}
	a.lateness.add(x, &result)
	a.finisher.finish(x, request, &result)
}

func (a *actor) request(x *exchange, buffer *prompt.Buffer) *wire.Request {
	play := x.stream.play
	turn := &play.plan.Conversations[x.stream.conversation].Turns[x.turn]
	messages := buffer.Fill(play.text, x.stream.conversation, x.stream.history.Messages, x.place, play.marker)
	return &wire.Request{
		URLIndex:        x.dispatch.URL,
		RequestID:       a.names.request(int64(x.id)),
		SessionID:       x.stream.session,
		ParentSessionID: x.stream.parent,
		TreeID:          play.rootSession,
		LastTurn:        x.dispatch.Final,
		Body: wire.Body{
			Messages:     messages,
			Model:        play.models[turn.Model],
			Stream:       a.stream,
			MaxTokens:    x.maxTokens,
			KeptMessages: x.kept,
		},
		Digest:      x.stream.digest,
		KeepRaw:     a.finisher.raw.wanted(),
		CancelAfter: a.cancellation.of(x),
		Hooks:       a.journal.Hooks(x, a.inputs, a.slots),
	}
}
