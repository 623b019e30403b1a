package schedtest

import (
	"fmt"
	"slices"

	"agentx/sched"
	"agentx/sched/virtual"
)

// Entry is one event of a played script, or an input (Event.Kind below 110) with its instant.
type Entry struct {
	Now   int64
	Input *sched.Input
	Event sched.Event
}

// Played is what a script led to.
type Played struct {
	script  *Script
	Entries []Entry
}

// Play runs the script's machine to its end.
func (s *Script) Play() (*Played, error) {
	played := &Played{script: s}
	err := s.Observe(func(now int64, input sched.Input, events []sched.Event) error {
		played.Entries = append(played.Entries, Entry{Now: now, Input: &input})
		for _, event := range events {
			played.Entries = append(played.Entries, Entry{Now: now, Event: event})
		}
		return nil
	})
	return played, err
}

// Observe runs the script's machine to its end and shows every step.
func (s *Script) Observe(observe virtual.Observer) error {
	machine, err := sched.New(s.Config, s.Plans)
	if err != nil {
		return err
	}
	return virtual.Run(machine, s.world(), observe, 100_000)
}

// world makes the world of the script: its latencies, outcomes and stops.
func (s *Script) world() *virtual.Replies {
	used := map[string]bool{}
	world := &virtual.Replies{Tokens: s.firstNs >= 0}
	world.Answer = func(_ int64, event *sched.Event, request *sched.Dispatch) virtual.Reply {
		if s.fate != nil {
			return s.fate(event.Exchange)
		}
		conversation := &s.Plans[request.Plan].Conversations[request.Conversation]
		name := Short(string(conversation.ID))
		turn := fmt.Sprintf("%s[%d]", name, event.Turn)
		reply := virtual.Reply{Outcome: sched.OutcomeOK, FirstTokenNs: s.firstNs, HandleNs: s.handles[turn], CancelNs: s.cancelNs}
		latency := "1"
		for _, key := range []string{"default", name, turn} {
			if value, given := s.latencies[key]; given {
				latency = value
			}
		}
		if latency == "recorded" {
			reply.LatencyNs = int64(conversation.Turns[event.Turn].APIMs.Or(0) * 1e6)
		} else {
			reply.LatencyNs, _ = nanos(latency)
		}
		for _, key := range []string{"default", name, turn} {
			if a := s.answers[key]; a != nil && !(a.once && used[key]) {
				used[key] = true
				applyAnswer(&reply, a.outcome)
			}
		}
		return reply
	}
	for _, stop := range s.stops {
		world.Add(stop.at, stop.input)
	}
	return world
}

func applyAnswer(reply *virtual.Reply, outcome string) {
	switch outcome {
	case "never":
		reply.LatencyNs = -1
	case "unanswered":
		reply.Outcome, reply.Unanswered = sched.OutcomeError, true
	default:
		reply.Outcome = sched.Outcome(outcome)
	}
}

// name is what scripts call a turn.
func (p *Played) name(plan, conversation int, turn int32) string {
	return fmt.Sprintf("%s[%d]", Short(string(p.script.Plans[plan].Conversations[conversation].ID)), turn)
}

// conversationOf finds a stream's conversation.
func (p *Played) conversationOf(stream sched.StreamID, play sched.PlayID) (plan, conversation int) {
	plan, conversation = -1, -1
	for _, entry := range p.Entries {
		if open, ok := entry.Event.Payload.(*sched.TreeOpen); ok && entry.Event.Play == play {
			plan = open.Plan
		}
		if open, ok := entry.Event.Payload.(*sched.StreamOpen); ok && entry.Event.Stream == stream {
			conversation = open.Conversation
		}
	}
	return plan, conversation
}

// sends lists the dispatches, by instant.
func (p *Played) sends() []Entry {
	return slices.DeleteFunc(slices.Clone(p.Entries), func(e Entry) bool {
		_, dispatch := e.Event.Payload.(*sched.Dispatch)
		return !dispatch
	})
}
