package schedtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"agentx/sched"
)

// Seconds prints an instant.
func Seconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', -1, 64) }

// word is what scripts call an event.
func word(payload any) string {
	switch payload.(type) {
	case *sched.TurnDue:
		return "due"
	case *sched.TurnRetained:
		return "retained"
	case *sched.TurnReleased:
		return "released"
	case *sched.TurnRefused:
		return "refused"
	case *sched.TurnDeferred:
		return "deferred"
	case *sched.SlotWait:
		return "queued"
	case *sched.GateBlocked:
		return "blocked"
	case *sched.GateSatisfied:
		return "satisfied"
	case *sched.GateDiscarded:
		return "discarded"
	case *sched.TurnsVoided:
		return "voided"
	case *sched.StreamCompleted:
		return "completed"
	case *sched.StreamTerminated:
		return "terminated"
	case *sched.StreamTruncated:
		return "truncated"
	case *sched.TreeDrained:
		return "drained"
	case *sched.TreeAborted:
		return "aborted"
	case *sched.Backoff:
		return "backoff"
	case nil:
		return ""
	}
	name := fmt.Sprintf("%T", payload)
	return strings.ToLower(name[strings.LastIndex(name, ".")+1:])
}

// subject names the turn or the stream that an event is about.
func (p *Played) subject(entry *Entry) string {
	event := &entry.Event
	if voided, ok := event.Payload.(*sched.TurnsVoided); ok {
		plan, _ := p.conversationOf(event.Stream, event.Play)
		return p.name(plan, voided.Conversation, int32(voided.From))
	}
	if event.Stream < 0 {
		return ""
	}
	plan, conversation := p.conversationOf(event.Stream, event.Play)
	if event.Turn < 0 {
		return Short(string(p.script.Plans[plan].Conversations[conversation].ID))
	}
	return p.name(plan, conversation, event.Turn)
}

// Log prints what a script led to, one line an event: time, lane and play, the event, its subject and
// its payload.
func (p *Played) Log() []string {
	var lines []string
	for i := range p.Entries {
		entry := &p.Entries[i]
		if entry.Input != nil {
			continue
		}
		place := "-"
		if entry.Event.Lane >= 0 {
			place = fmt.Sprint(entry.Event.Lane)
		}
		if entry.Event.Play >= 0 {
			place += "/" + fmt.Sprint(entry.Event.Play)
		}
		payload, err := json.Marshal(entry.Event.Payload)
		if err != nil {
			payload = []byte(err.Error())
		}
		subject := p.subject(entry)
		if entry.Event.Exchange >= 0 {
			subject += fmt.Sprintf(" #%d", entry.Event.Exchange)
		}
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", Seconds(entry.Now), place, word(entry.Event.Payload), subject, payload)), " "))
	}
	return lines
}
