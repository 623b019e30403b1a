package prep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/progress"
	"agentx/internal/synth/chat"
	"agentx/internal/synth/draw"
	"agentx/internal/synth/token"
)

// sampleMarker stands for the marker that a run puts before a tree's first message.
const sampleMarker = "[rid:0123456789ab]\n\n"

// turnKey names a turn of a bundle.
type turnKey struct{ trace, conversation, turn int }

// drift is the difference between encoded and recorded counts: how many were compared and differ.
type drift struct {
	compared, different int
	worst               int    // greatest difference in tokens
	where               string // of the first difference
}

func (d *drift) add(got, want int, where func() string) {
	d.compared++
	if got == want {
		return
	}
	if d.different == 0 {
		d.where = fmt.Sprintf("%s has %d tokens, not %d", where(), got, want)
	}
	d.different++
	d.worst = max(d.worst, got-want, want-got)
}

func (d *drift) join(other drift) {
	if d.different == 0 {
		d.where = other.where
	}
	d.compared += other.compared
	d.different += other.different
	d.worst = max(d.worst, other.worst)
}

func (d *drift) String() string {
	if d.different == 0 {
		return fmt.Sprintf("%s compared, all exact", count(d.compared))
	}
	return fmt.Sprintf("%s compared, %s differ, by up to %s; %s", count(d.compared), count(d.different), counted(d.worst, "token", "tokens"), d.where)
}

// overhead is what the template adds around a role sequence, or why it refuses it.
type overhead struct {
	tokens int
	err    error
}

// recount is what one worker compares with.
type recount struct {
	bundle    *bundle.Bundle
	tokenizer *token.Tokenizer
	template  *chat.Template // nil: none
	meter     *chat.Meter    // of the template
	overheads map[string]overhead
	// The three senses in which text is exact, and the second with a marker in front.
	alone, joined, marked, rendered drift
	raised                          int // role sequences that the template refuses
}

// retokenize encodes messages and prompts again and compares with the plan: each message alone, all
// of a request joined by one blank, with a marker in front, and through the chat template.
func retokenize(ctx context.Context, p *printer, b *bundle.Bundle, turns, workers int, show *progress.Printer) error {
	tokenizer, err := bundleTokenizer(b)
	if err != nil {
		return err
	}
	template, err := bundleTemplate(b)
	if err != nil {
		return err
	}
	keys, err := chooseTurns(b, turns)
	if err != nil {
		return err
	}
	byTrace := map[int][]turnKey{}
	var order []int
	for _, key := range keys {
		if byTrace[key.trace] == nil {
			order = append(order, key.trace)
		}
		byTrace[key.trace] = append(byTrace[key.trace], key)
	}
	var mu sync.Mutex
	total := &recount{template: template}
	work := show.Start("encoding prompts", len(keys))
	defer work.End()
	err = forEach(ctx, max(1, workers), order, func(trace int) error {
		r := &recount{bundle: b, tokenizer: tokenizer, template: template, overheads: map[string]overhead{}}
		if template != nil {
			r.meter = template.NewMeter(tokenizer)
		}
		if err := r.turns(ctx, byTrace[trace], work.Step); err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		total.join(r)
		return nil
	})
	if err != nil {
		return err
	}
	return total.report(p, len(keys))
}

func (r *recount) join(other *recount) {
	r.alone.join(other.alone)
	r.joined.join(other.joined)
	r.marked.join(other.marked)
	r.rendered.join(other.rendered)
	r.raised += other.raised
}

func (r *recount) report(p *printer, turns int) error {
	p.row("retokenized", "%s", counted(turns, "turn", "turns"))
	p.row("", "messages alone: %v", &r.alone)
	p.row("", "prompts joined by a blank: %v", &r.joined)
	p.row("", "with a marker in front: %v", &r.marked)
	if r.template != nil {
		p.row("", "through the chat template: %v", &r.rendered)
		if r.raised > 0 {
			p.row("", "the chat template refuses %s of them, or loses text (--template lists why)", count(r.raised))
		}
	}
	if r.alone.different+r.joined.different+r.marked.different+r.rendered.different > 0 {
		return classed(Damage, errors.New("the text does not have the recorded token counts: the bundle must be built again, with the tokenizer of the server"))
	}
	return p.err
}

// chooseTurns draws turns, or lists all.
func chooseTurns(b *bundle.Bundle, turns int) ([]turnKey, error) {
	var all []turnKey
	for trace := range b.Manifest().Traces {
		plan, err := b.Plan(trace)
		if err != nil {
			return nil, err
		}
		for c := range plan.Conversations {
			for t := range plan.Conversations[c].Turns {
				all = append(all, turnKey{trace, c, t})
			}
		}
	}
	if turns == allTurns || turns >= len(all) {
		return all, nil
	}
	draws := draw.New(0, "retokenize", b.Manifest().Key.String())
	for i := range turns {
		j := i + draws.Below(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	chosen := all[:turns]
	slices.SortFunc(chosen, func(x, y turnKey) int { return x.trace - y.trace })
	return chosen, nil
}

// turns compares turns of one trace.
func (r *recount) turns(ctx context.Context, keys []turnKey, step func()) error {
	plan, err := r.bundle.Plan(keys[0].trace)
	if err != nil {
		return err
	}
	text, err := r.bundle.Text(keys[0].trace)
	if err != nil {
		return err
	}
	var refs []bundle.MessageRef
	known := map[[3]int]bool{} // messages counted alone
	for _, key := range keys {
		if ctx.Err() != nil {
			return nil // forEach says so
		}
		conversation := &plan.Conversations[key.conversation]
		refs = bundle.AppendRefs(refs[:0], conversation, key.turn)
		messages := make([]chat.Message, len(refs))
		for i, ref := range refs {
			message := &conversation.Turns[ref.Turn].New[ref.Message]
			content := string(text.AppendPlain(nil, key.conversation, ref.Turn, ref.Message))
			messages[i] = chat.Message{Role: message.Role, Content: content, Call: callName(message)}
			if id := [3]int{key.conversation, ref.Turn, ref.Message}; !known[id] {
				known[id] = true
				r.alone.add(r.tokenizer.Count(content), int(message.Tokens), func() string {
					return fmt.Sprintf("message %d of turn %d of %s", ref.Message, ref.Turn, conversation.ID)
				})
			}
		}
		r.prompt(messages, int(conversation.Turns[key.turn].In), func() string {
			return fmt.Sprintf("turn %d of %s", key.turn, conversation.ID)
		})
		step()
	}
	return nil
}

// callName is the id of the tool call that a message belongs to, empty for none.
func callName(message *corpus.Message) string {
	if message.ToolCall == 0 {
		return ""
	}
	return fmt.Sprintf("call_turn_%d", message.ToolCall-1)
}

// prompt compares a whole message array.
func (r *recount) prompt(messages []chat.Message, in int, where func() string) {
	contents := make([]string, len(messages))
	for i := range messages {
		contents[i] = messages[i].Content
	}
	joined := strings.Join(contents, " ")
	r.joined.add(r.tokenizer.Count(joined), in, where)
	r.marked.add(r.tokenizer.Count(sampleMarker+joined), in+r.tokenizer.Count(sampleMarker), where)
	if r.template == nil {
		return
	}
	around := r.overhead(messages)
	if around.err == nil {
		rendered, err := r.template.Render(messages)
		if err == nil {
			r.rendered.add(r.tokenizer.Count(rendered), in+around.tokens, where)
			return
		}
	}
	r.raised++
}

// overhead measures each role sequence once.
func (r *recount) overhead(messages []chat.Message) overhead {
	shapes := shapesOf(messages)
	name := sequenceName(shapes)
	known, ok := r.overheads[name]
	if !ok {
		known.tokens, known.err = r.meter.Overhead(shapes)
		r.overheads[name] = known
	}
	return known
}

func shapesOf(messages []chat.Message) []chat.Shape {
	shapes := make([]chat.Shape, len(messages))
	for i := range messages {
		shapes[i] = chat.Shape{Role: messages[i].Role, Call: messages[i].Call != ""}
	}
	return shapes
}

// bundleTemplate compiles the bundle's chat template, nil if it has none.
func bundleTemplate(b *bundle.Bundle) (*chat.Template, error) {
	data, err := b.TemplateData()
	if err != nil || data == nil {
		return nil, err
	}
	settings, err := chat.Parse(data)
	if err != nil {
		return nil, err
	}
	return chat.Compile(settings)
}
