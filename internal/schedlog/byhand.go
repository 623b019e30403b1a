package schedlog

import (
	"strconv"

	"agentx/sched"
)

// appendByHand writes the payloads that every request has as encoding/json would, which takes some three
// microseconds for each; ok is false for what it does not write.
func appendByHand(to []byte, payload any) (text []byte, ok bool) {
	o := byHand{text: append(to, '{'), ok: true}
	switch p := payload.(type) {
	case *Ended:
		o.number("at_ns", p.AtNs)
		o.word("outcome", string(p.Outcome))
		o.truth("answered", p.Answered)
		if p.Timer != nil {
			o.key("timer")
			inner := byHand{text: append(o.text, '{')}
			inner.number("due_ns", p.Timer.DueNs)
			inner.number("gap_ns", p.Timer.GapNs)
			o.text = append(inner.text, '}')
		}
	case *sched.TurnDue:
		o.number("due_ns", p.DueNs)
	case *sched.Dispatch:
		o.dispatch(p)
	default:
		return to, false
	}
	return append(o.text, '}'), o.ok
}

// byHand is a JSON object under way.
type byHand struct {
	text []byte
	more bool
	ok   bool // false: a text has something to be escaped
}

func (o *byHand) dispatch(p *sched.Dispatch) {
	o.word("phase", p.Phase.String())
	o.number("credit", p.Credit)
	o.number("plan", int64(p.Plan))
	o.number("c", int64(p.Conversation))
	o.number("due_ns", p.DueNs)
	o.number("ready_ns", p.ReadyNs)
	o.numberIf("slot_wait_ns", p.SlotWaitNs)
	o.numberIf("max", p.MaxTokens)
	o.truth("primer", p.Primer)
	o.truth("final", p.Final)
	o.key("waited")
	o.text = append(o.text, '[')
	for i, name := range p.Waited.Names() {
		if i > 0 {
			o.text = append(o.text, ',')
		}
		o.quote(name)
	}
	o.text = append(o.text, ']')
	o.number("url", int64(p.URL))
	if p.Marker != "" {
		o.word("marker", p.Marker)
	}
}

func (o *byHand) key(name string) {
	if o.more {
		o.text = append(o.text, ',')
	}
	o.more = true
	o.quote(name)
	o.text = append(o.text, ':')
}

func (o *byHand) number(name string, value int64) {
	o.key(name)
	o.text = strconv.AppendInt(o.text, value, 10)
}

func (o *byHand) numberIf(name string, value int64) {
	if value != 0 {
		o.number(name, value)
	}
}

// truth writes true, and leaves false out.
func (o *byHand) truth(name string, value bool) {
	if value {
		o.key(name)
		o.text = append(o.text, "true"...)
	}
}

func (o *byHand) word(name, value string) {
	o.key(name)
	o.quote(value)
}

func (o *byHand) quote(value string) {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			o.ok = false
		}
	}
	o.text = append(append(append(o.text, '"'), value...), '"')
}
