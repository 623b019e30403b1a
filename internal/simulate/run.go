package simulate

import (
	"context"
	"fmt"

	"agentx/corpus"
	"agentx/sched"
	"agentx/sched/virtual"
)

// Observer is told what happens, in the order of the virtual clock.
type Observer interface {
	// Step comes for every step of the machine, before its requests are sent. The events are valid during
	// the call.
	Step(now int64, input sched.Input, events []sched.Event) error
	// Sent comes when a request has been handed to the server.
	Sent(x *Exchange) error
	// FirstToken comes when its first token is there, at x.FirstTokenNs.
	FirstToken(x *Exchange) error
	// Ended comes when it has ended, before the machine is told.
	Ended(x *Exchange) error
}

// Options say what is simulated.
type Options struct {
	Machine sched.Config
	Plans   []*corpus.Plan // in data set order
	Server  Server
	// Layouts gives the windows of a trace's messages, for the server's prefix cache. Without it only a
	// stream's own turns share their beginnings. It may be nil.
	Layouts func(plan int) (*corpus.Layout, error)
	// UnitTokens is the size of the server's cache units; 0: prompts are not told apart at all.
	UnitTokens int
	// MarkerTokens is what a tree's cache-bust marker adds to its prompts, by the marker's digits; nil: nothing.
	MarkerTokens func(digits string) int64
	// Place says which message of a turn's array carries the marker, and on which end; nil: the first, at
	// its start.
	Place    func(conversation *corpus.Conversation, turn int) (message int, atEnd bool)
	Observer Observer
	Stop     func(now int64) sched.Reason // asked at every step; a reason stops the run. May be nil.
}

// stepLimit bounds a simulation that would not end.
const stepLimit = 500_000_000

// Run simulates a whole run.
func Run(ctx context.Context, options Options) error {
	machine, err := sched.New(options.Machine, options.Plans)
	if err != nil {
		return err
	}
	w := &world{options: &options, open: map[sched.ExchangeID]*Exchange{}, plays: map[sched.PlayID]play{}}
	if options.UnitTokens > 0 {
		w.prompts = newPrompts(&options)
	}
	err = virtual.Run(machine, w, func(now int64, input sched.Input, events []sched.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.note(events)
		w.askStop(now)
		return options.Observer.Step(now, input, events)
	}, stepLimit)
	if w.err != nil {
		return w.err
	}
	return err
}

// world connects the machine with the server.
type world struct {
	options *Options
	prompts *prompts
	open    map[sched.ExchangeID]*Exchange
	plays   map[sched.PlayID]play
	news    []news
	stop    sched.Reason // asked for, not handed over yet
	stopped bool
	now     int64
	err     error // of the observer or the layouts; ends the run
}

// play is what the exchanges of a live tree share.
type play struct {
	pass         int
	markerTokens int64
}

// note keeps what later exchanges need of the machine's decisions.
func (w *world) note(events []sched.Event) {
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *sched.TreeOpen:
			opened := play{pass: p.Pass}
			if p.Marker != "" && w.options.MarkerTokens != nil {
				opened.markerTokens = w.options.MarkerTokens(p.Marker)
			}
			w.plays[events[i].Play] = opened
		case *sched.TreeDrained:
			delete(w.plays, events[i].Play)
		case *sched.Cancel:
			if x := w.open[events[i].Exchange]; x != nil {
				x.CancelWhy = p.Why
			}
		case *sched.StreamCompleted, *sched.StreamTerminated, *sched.StreamTruncated:
			if w.prompts != nil {
				w.prompts.forget(events[i].Stream)
			}
		}
	}
}

func (w *world) askStop(now int64) {
	if w.options.Stop != nil && !w.stopped && w.stop == "" {
		w.stop = w.options.Stop(now)
	}
}

// Send implements virtual.World.
func (w *world) Send(now int64, event *sched.Event, request *sched.Dispatch) {
	w.now = now
	plan := w.options.Plans[request.Plan]
	conversation := &plan.Conversations[request.Conversation]
	x := &Exchange{
		ID: event.Exchange, Event: *event, Dispatch: *request, Pass: w.plays[event.Play].pass, Trace: plan.Trace,
		ConvID: conversation.ID, Turn: &conversation.Turns[event.Turn], SentNs: now,
		MarkerTokens: w.plays[event.Play].markerTokens,
	}
	x.PromptTokens = x.Turn.In + x.MarkerTokens
	x.MaxTokens = x.Turn.MaxOut
	if request.MaxTokens > 0 {
		x.MaxTokens = request.MaxTokens
	}
	x.name = fmt.Sprintf("%s/%d/%d/%s/%d", request.Phase, event.Lane, x.Pass, x.ConvID, event.Turn)
	if w.prompts != nil {
		keys, err := w.prompts.keys(x)
		w.fail(err)
		x.keys = keys
	}
	w.open[x.ID] = x
	w.options.Server.send(x)
	w.fail(w.options.Observer.Sent(x))
}

// Cancel implements virtual.World.
func (w *world) Cancel(now int64, exchange sched.ExchangeID) {
	w.now = now
	if x := w.open[exchange]; x != nil {
		x.CancelNs = now
		w.options.Server.cancel(now, x)
	}
}

func (w *world) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Next implements virtual.World.
func (w *world) Next() (at int64, ok bool) {
	if w.stop != "" || w.err != nil {
		return w.now, true
	}
	return w.options.Server.next()
}

// Take implements virtual.World.
func (w *world) Take(now int64) []sched.Input {
	w.now = now
	var inputs []sched.Input
	switch {
	case w.err != nil: // the observer cannot go on: end at once
		return []sched.Input{sched.Abort(sched.ReasonLogFailure)}
	case w.stop != "":
		inputs = append(inputs, sched.Stop(w.stop))
		w.stop, w.stopped = "", true
	}
	w.news = w.options.Server.take(now, w.news[:0])
	for _, item := range w.news {
		x := item.exchange
		if item.first {
			w.fail(w.options.Observer.FirstToken(x))
			if w.options.Machine.PrefillLimit > 0 {
				inputs = append(inputs, sched.FirstToken(x.ID, x.FirstTokenNs))
			}
			continue
		}
		delete(w.open, x.ID)
		w.fail(w.options.Observer.Ended(x))
		inputs = append(inputs, sched.Ended(x.ID, x.EndNs, x.Outcome, x.Answered))
	}
	return inputs
}
