package simulate

import (
	"agentx/corpus"
	"agentx/internal/servermodel"
	"agentx/sched"
)

// prompts names the contents of prompts for the modelled server's prefix cache. A window of a trace has
// the same tokens wherever it occurs; the marker is text of its tree alone, at its place in the prompt
// (the tokens of a chat template are left out). Chains are kept per stream at every message border, so
// that a turn costs only its new messages.
type prompts struct {
	options *Options
	loaded  map[int]*corpus.Layout
	streams map[sched.StreamID]*chain
}

// chain is the prompt of a stream's last turn.
type chain struct {
	turn     int                // that it stands for; -1: none
	place    place              // of the marker
	messages []messageName      // the whole array
	borders  []servermodel.Keys // before each message, and after the last
}

// messageName names a message of a conversation by the turn that brought it and its place there.
type messageName struct {
	turn, message int
	tokens        int64
}

// place says which message carries the marker, and on which end; -1: none does.
type place struct {
	message int
	atEnd   bool
}

func newPrompts(options *Options) *prompts {
	return &prompts{options: options, loaded: map[int]*corpus.Layout{}, streams: map[sched.StreamID]*chain{}}
}

// keys are the prompt's units. They are valid until the stream's next prompt, which comes after the end of
// this one's request.
func (p *prompts) keys(x *Exchange) ([]uint64, error) {
	layout, err := p.layout(x.Dispatch.Plan)
	if err != nil {
		return nil, err
	}
	c := p.streams[x.Event.Stream]
	if c == nil {
		c = &chain{turn: -1, place: place{message: -1}, borders: []servermodel.Keys{servermodel.NewKeys(p.options.UnitTokens)}}
		p.streams[x.Event.Stream] = c
	}
	conversation := &p.options.Plans[x.Dispatch.Plan].Conversations[x.Dispatch.Conversation]
	same := c.advance(conversation, int(x.Event.Turn))
	marked := p.place(conversation, x)
	if marked != c.place { // the marker is somewhere else than in the turn before
		same = min(same, max(c.place.message, 0), max(marked.message, 0))
		c.place = marked
	}
	c.borders = c.borders[:same+1] // longer chains that shared its memory are cut off
	for i := same; i < len(c.messages); i++ {
		c.borders = append(c.borders, p.message(c.borders[i], x, layout, c.place, i, c.messages[i]))
	}
	list := c.borders[len(c.borders)-1].List()
	return list[:len(list):len(list)], nil
}

// advance brings the message array to a turn and says how many messages at its beginning stayed.
func (c *chain) advance(conversation *corpus.Conversation, turn int) (same int) {
	same = len(c.borders) - 1
	for c.turn < turn {
		c.turn++
		arriving := &conversation.Turns[c.turn]
		keep := min(arriving.Keep, len(c.messages))
		same = min(same, keep)
		c.messages = c.messages[:keep]
		for m, message := range arriving.New {
			c.messages = append(c.messages, messageName{c.turn, m, message.Tokens})
		}
	}
	return same
}

func (p *prompts) place(conversation *corpus.Conversation, x *Exchange) place {
	switch {
	case x.MarkerTokens == 0:
		return place{message: -1}
	case p.options.Place == nil:
		return place{}
	}
	message, atEnd := p.options.Place(conversation, int(x.Event.Turn))
	return place{message, atEnd}
}

func (p *prompts) layout(plan int) (*corpus.Layout, error) {
	if p.options.Layouts == nil {
		return nil, nil
	}
	if known, ok := p.loaded[plan]; ok {
		return known, nil
	}
	layout, err := p.options.Layouts(plan)
	if err == nil {
		p.loaded[plan] = layout
	}
	return layout, err
}

// message adds message i of the array to the keys of what stands before it.
func (p *prompts) message(keys servermodel.Keys, x *Exchange, layout *corpus.Layout, marked place, i int, name messageName) servermodel.Keys {
	if marked.message == i && !marked.atEnd {
		addMarker(&keys, x)
	}
	plan, conversation := x.Dispatch.Plan, x.Dispatch.Conversation
	if layout == nil {
		opaque(&keys, uint64(plan), uint64(conversation), name)
	} else {
		addContent(&keys, uint64(plan), &layout.Messages[conversation][name.turn][name.message], layout, p.options.Plans[plan].BlockSize)
	}
	if marked.message == i && marked.atEnd {
		addMarker(&keys, x)
	}
	return keys
}

func addMarker(keys *servermodel.Keys, x *Exchange) {
	for i := range x.MarkerTokens {
		keys.Token(servermodel.Mix(uint64(x.Event.Play), uint64(i)) | 1<<63)
	}
}

// opaque stands for a message whose windows are not known: it is like no other.
func opaque(keys *servermodel.Keys, plan, conversation uint64, name messageName) {
	mixed := servermodel.Mix(servermodel.Mix(plan, conversation), servermodel.Mix(uint64(name.turn), uint64(name.message)))
	for i := range name.tokens {
		keys.Token(servermodel.Mix(mixed, uint64(i)))
	}
}

// addContent adds the windows of a message.
func addContent(keys *servermodel.Keys, plan uint64, content *corpus.Content, layout *corpus.Layout, blockSize int) {
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
