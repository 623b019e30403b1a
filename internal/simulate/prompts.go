package simulate

import (
	"agentx/corpus"
	"agentx/internal/servermodel"
	"agentx/sched"
)

// prompts names the contents of prompts for the modelled server's prefix cache. A window of a trace has
// the same tokens wherever it occurs; the marker is text of its tree alone, at the start of the first
// message (the tokens of a chat template are left out). Chains are kept per stream at every message
// border, so that a turn costs only its new messages.
type prompts struct {
	plans   []*corpus.Plan
	layouts func(plan int) (*corpus.Layout, error)
	loaded  map[int]*corpus.Layout
	unit    int
	marker  int64 // tokens
	streams map[sched.StreamID]*chain
}

// chain is the prompt of a stream's last turn.
type chain struct {
	turn    int                // that it stands for; -1: none
	borders []servermodel.Keys // before each message, and after the last
}

func newPrompts(plans []*corpus.Plan, layouts func(int) (*corpus.Layout, error), unit int, marker int64) *prompts {
	return &prompts{plans: plans, layouts: layouts, unit: unit, marker: marker, loaded: map[int]*corpus.Layout{}, streams: map[sched.StreamID]*chain{}}
}

// keys are the prompt's units. They are valid until the stream's next prompt, which comes after the end of
// this one's request.
func (p *prompts) keys(x *Exchange) ([]uint64, error) {
	plan := x.Dispatch.Plan
	layout, err := p.layout(plan)
	if err != nil {
		return nil, err
	}
	c := p.streams[x.Event.Stream]
	if c == nil {
		c = &chain{turn: -1, borders: []servermodel.Keys{p.start(x)}}
		p.streams[x.Event.Stream] = c
	}
	conversation := &p.plans[plan].Conversations[x.Dispatch.Conversation]
	for c.turn < int(x.Event.Turn) {
		c.turn++
		p.advance(c, plan, x.Dispatch.Conversation, &conversation.Turns[c.turn], layout)
	}
	list := c.borders[len(c.borders)-1].List()
	return list[:len(list):len(list)], nil
}

func (p *prompts) layout(plan int) (*corpus.Layout, error) {
	if p.layouts == nil {
		return nil, nil
	}
	if known, ok := p.loaded[plan]; ok {
		return known, nil
	}
	layout, err := p.layouts(plan)
	if err == nil {
		p.loaded[plan] = layout
	}
	return layout, err
}

// start is a prompt with nothing but the marker of its tree.
func (p *prompts) start(x *Exchange) servermodel.Keys {
	keys := servermodel.NewKeys(p.unit)
	for i := range p.marker {
		keys.Token(servermodel.Mix(uint64(x.Event.Play), uint64(i)) | 1<<63)
	}
	return keys
}

// advance goes from one turn's message array to the next: it keeps the first messages and adds the new.
func (p *prompts) advance(c *chain, plan, conversation int, turn *corpus.Turn, layout *corpus.Layout) {
	c.borders = c.borders[:min(turn.Keep+1, len(c.borders))]
	for m, message := range turn.New {
		keys := c.borders[len(c.borders)-1] // the longer chains that shared its memory are cut off
		if layout == nil {
			p.opaque(&keys, uint64(plan), uint64(conversation), uint64(c.turn), uint64(m), message.Tokens)
		} else {
			p.content(&keys, uint64(plan), &layout.Messages[conversation][c.turn][m], layout, p.plans[plan].BlockSize)
		}
		c.borders = append(c.borders, keys)
	}
}

// opaque stands for a message whose windows are not known: it is like no other.
func (p *prompts) opaque(keys *servermodel.Keys, plan, conversation, turn, message uint64, tokens int64) {
	name := servermodel.Mix(servermodel.Mix(plan, conversation), servermodel.Mix(turn, message))
	for i := range tokens {
		keys.Token(servermodel.Mix(name, uint64(i)))
	}
}

// content adds the windows of a message.
func (p *prompts) content(keys *servermodel.Keys, plan uint64, content *corpus.Content, layout *corpus.Layout, blockSize int) {
	for _, span := range content.Spans {
		for i := range span.Count {
			addWindow(keys, plan, uint64(span.First)+uint64(i), blockSize)
		}
	}
	if content.HasTail {
		addWindow(keys, plan, uint64(content.Tail), layout.TokensOf(content.Tail, blockSize))
	}
}

func addWindow(keys *servermodel.Keys, plan, rank uint64, tokens int) {
	name := servermodel.Mix(plan, rank)
	for i := range tokens {
		keys.Token(servermodel.Mix(name, uint64(i)))
	}
}

// forget drops the chain of a stream that sends no more.
func (p *prompts) forget(stream sched.StreamID) { delete(p.streams, stream) }
