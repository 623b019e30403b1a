package run

import (
	"agentx/eventlog"
	"agentx/internal/prompt"
	"agentx/sched"
)

// ledger keeps what a run knows of its live trees and streams beside the machine's decisions: names,
// markers, prompts and what of them was sent before. One rule serves live and simulated runs.
type ledger struct {
	recording  *recording
	models     [][]string // by plan: sent model for each recorded one
	introduced []bool     // by plan
	keepsTexts bool       // the log gets the parts of the bundle too
	marking    marking
	names      identity
	reach      *reachScopes
	plays      map[sched.PlayID]*play
	streams    map[sched.StreamID]*stream
}

// promptFacts are what a request consists of, and what its result says of it.
type promptFacts struct {
	stream                            *stream
	turn                              int
	place                             prompt.Place
	tokens, markerTokens, reachTokens int64
	model                             string
}

func newLedger(s *session) *ledger {
	return &ledger{
		recording:  s.recording,
		models:     sentModels(s.recording, s.options.Server.Models),
		introduced: make([]bool, len(s.recording.plans)),
		keepsTexts: s.options.keepsTexts(),
		marking:    marking{s.config.CacheBust, s.recording.tokens},
		names:      s.names,
		reach:      newReachScopes(s.config.CacheBust),
		plays:      map[sched.PlayID]*play{},
		streams:    map[sched.StreamID]*stream{},
	}
}

// newcomers lists the plans that events name for the first time.
func (l *ledger) newcomers(events []sched.Event) []int {
	var plans []int
	for i := range events {
		plan := 0
		switch payload := events[i].Payload.(type) {
		case *sched.TrajectoryBuilt:
			plan = payload.Plan
		case *sched.TreeOpen:
			plan = payload.Plan
		default:
			continue
		}
		if !l.introduced[plan] {
			l.introduced[plan] = true
			plans = append(plans, plan)
		}
	}
	return plans
}

// introduction is what the log must hold before it speaks of a trace: its plan, and its models.
func (l *ledger) introduction(plan int) (planFrame, eventlog.ModelMap) {
	trace, frame := l.recording.plans[plan], l.recording.frames[plan]
	return frame, eventlog.ModelMap{Plan: plan, Trace: string(trace.Trace), Digest: frame.digest.String(), Recorded: trace.Models, Sent: l.models[plan]}
}

func (l *ledger) openTree(event *sched.Event, opened *sched.TreeOpen) {
	text, tokens := l.marking.mark(opened.Marker)
	l.plays[event.Play] = &play{
		id:           event.Play,
		plan:         l.recording.plans[opened.Plan],
		planIndex:    opened.Plan,
		text:         l.recording.texts[opened.Plan],
		models:       l.models[opened.Plan],
		marker:       text,
		markerTokens: tokens,
		reach:        l.reach.tree(opened.Plan),
	}
}

// openStream gives the stream's names.
func (l *ledger) openStream(event *sched.Event, opened *sched.StreamOpen) eventlog.StreamNames {
	play := l.plays[event.Play]
	opening := &stream{play: play, conversation: opened.Conversation, session: l.names.session(int64(event.Stream))}
	if parent := l.streams[opened.Parent]; parent != nil {
		opening.parent = parent.session
	}
	if opened.Depth == 0 || play.rootSession == "" {
		play.rootSession = opening.session
	}
	play.streams = append(play.streams, event.Stream)
	l.streams[event.Stream] = opening
	return eventlog.StreamNames{Session: opening.session, Parent: opening.parent, Root: play.rootSession}
}

// closeTree forgets a tree and gives the streams that end with it.
func (l *ledger) closeTree(id sched.PlayID) (ended []*stream) {
	for _, stream := range l.plays[id].streams {
		ended = append(ended, l.streams[stream])
		delete(l.streams, stream)
	}
	delete(l.plays, id)
	return ended
}

// dispatch brings a stream's prompt to the turn that is sent. The facts depend on the order of requests.
func (l *ledger) dispatch(event *sched.Event) promptFacts {
	stream := l.streams[event.Stream]
	conversation := &stream.play.plan.Conversations[stream.conversation]
	kept := min(stream.history.Advance(conversation, int(event.Turn)), len(stream.path))
	place := prompt.PlaceMarker(l.marking.target, stream.history.Messages)
	return promptFacts{
		stream:       stream,
		turn:         int(event.Turn),
		place:        place,
		tokens:       stream.history.Tokens() + stream.play.markerTokens,
		markerTokens: stream.play.markerTokens,
		reachTokens:  l.reach.visit(stream, kept, place),
		model:        stream.play.models[conversation.Turns[event.Turn].Model],
	}
}
