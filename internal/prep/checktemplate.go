package prep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentx/corpus"
	"agentx/corpus/bundle"
	"agentx/internal/progress"
	"agentx/internal/synth/chat"
)

// verdict is what a chat template does with a kind of role sequence.
type verdict struct {
	problem string // empty: fine
	example string // where the first one is
	turns   int
}

// checkTemplate renders each distinct role sequence of a bundle and lists those that raise, lose text
// or are not additive, by reason.
func checkTemplate(ctx context.Context, p *printer, b *bundle.Bundle, show *progress.Printer) error {
	template, err := bundleTemplate(b)
	if err != nil {
		return err
	}
	if template == nil {
		return classed(Usage, fmt.Errorf("bundle %s has no chat template; build it with --tokenizer FOLDER, a folder that has tokenizer.json and tokenizer_config.json", b.Path()))
	}
	tokenizer, err := bundleTokenizer(b)
	if err != nil {
		return err
	}
	known := map[string]string{} // role sequence → problem
	found := map[string]*verdict{}
	work := show.Start("rendering templates", len(b.Manifest().Traces))
	defer work.End()
	for trace := range b.Manifest().Traces {
		plan, err := b.Plan(trace)
		if err != nil {
			return err
		}
		for c := range plan.Conversations {
			if ctx.Err() != nil {
				return classed(Interrupted, ctx.Err())
			}
			judgeConversation(&plan.Conversations[c], template, tokenizer, known, found)
		}
		work.Step()
	}
	return reportTemplate(p, len(known), found)
}

func judgeConversation(conversation *corpus.Conversation, template *chat.Template, counter chat.Counter, known map[string]string, found map[string]*verdict) {
	var refs []bundle.MessageRef
	for turn := range conversation.Turns {
		refs = bundle.AppendRefs(refs[:0], conversation, turn)
		shapes := make([]chat.Shape, len(refs))
		var name strings.Builder
		for i, ref := range refs {
			message := &conversation.Turns[ref.Turn].New[ref.Message]
			shapes[i] = chat.Shape{Role: message.Role, Call: message.ToolCall > 0}
			name.WriteByte(message.Role[0])
			if message.ToolCall > 0 {
				name.WriteByte('!')
			}
		}
		problem, seen := known[name.String()]
		if !seen {
			if _, err := template.Overhead(counter, shapes); err != nil {
				problem = kindOfProblem(err)
			}
			known[name.String()] = problem
		}
		v := found[problem]
		if v == nil {
			v = &verdict{problem: problem, example: fmt.Sprintf("turn %d of %s", turn, conversation.ID)}
			found[problem] = v
		}
		v.turns++
	}
}

// kindOfProblem leaves out of an error what differs from one sequence to the next.
func kindOfProblem(err error) string {
	var lost *chat.Lost
	if errors.As(err, &lost) {
		return "the template leaves out the text of a message"
	}
	if text := err.Error(); strings.HasPrefix(text, "the template is not additive") {
		return "the template is not additive"
	}
	return err.Error()
}

func reportTemplate(p *printer, sequences int, found map[string]*verdict) error {
	fine := 0
	if v := found[""]; v != nil {
		fine = v.turns
	}
	p.row("template", "%s role sequences; the template takes those of %s turns", count(sequences), count(fine))
	for _, v := range slices.SortedFunc(maps.Values(found), func(a, b *verdict) int { return cmp.Or(b.turns-a.turns, strings.Compare(a.problem, b.problem)) }) {
		if v.problem != "" {
			p.row("", "%s turns: %s (first: %s)", count(v.turns), v.problem, v.example)
		}
	}
	if fine == 0 && sequences > 0 {
		p.row("", "no turn can be sent to a server with this template; see --adjacent-roles merge")
	}
	return p.err
}
