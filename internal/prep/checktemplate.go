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
)

// roleSequence is a distinct sequence of roles, as some turns send it.
type roleSequence struct {
	shapes  []chat.Shape
	example string // where the first one is
	turns   int
	problem string // what the template does with it; empty: fine
}

// checkTemplate renders each distinct role sequence of a bundle and lists those that raise, lose text
// or are not additive, by reason.
func checkTemplate(ctx context.Context, p *printer, b *bundle.Bundle, workers int, show *progress.Printer) error {
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
	sequences, err := roleSequences(b)
	if err != nil {
		return err
	}
	// The long ones take longest, so they go first.
	order := make([]int, len(sequences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return len(sequences[y].shapes) - len(sequences[x].shapes) })
	work := show.Start("rendering templates", len(sequences))
	defer work.End()
	meters := sync.Pool{New: func() any { return template.NewMeter(tokenizer) }}
	err = forEach(ctx, max(1, workers), order, func(i int) error {
		meter := meters.Get().(*chat.Meter)
		defer meters.Put(meter)
		if _, err := meter.Overhead(sequences[i].shapes); err != nil {
			sequences[i].problem = kindOfProblem(err)
		}
		work.Step()
		return nil
	})
	if err != nil {
		return err
	}
	return reportTemplate(p, sequences)
}

// roleSequences lists the distinct role sequences in the order of their first turn.
func roleSequences(b *bundle.Bundle) ([]*roleSequence, error) {
	var all []*roleSequence
	known := map[string]*roleSequence{}
	var refs []bundle.MessageRef
	for trace := range b.Manifest().Traces {
		plan, err := b.Plan(trace)
		if err != nil {
			return nil, err
		}
		for c := range plan.Conversations {
			conversation := &plan.Conversations[c]
			for turn := range conversation.Turns {
				refs = bundle.AppendRefs(refs[:0], conversation, turn)
				shapes := sequenceOf(conversation, refs)
				name := sequenceName(shapes)
				s := known[name]
				if s == nil {
					s = &roleSequence{shapes: shapes, example: fmt.Sprintf("turn %d of %s", turn, conversation.ID)}
					known[name] = s
					all = append(all, s)
				}
				s.turns++
			}
		}
	}
	return all, nil
}

// sequenceOf lists the shapes of a message array.
func sequenceOf(conversation *corpus.Conversation, refs []bundle.MessageRef) []chat.Shape {
	shapes := make([]chat.Shape, len(refs))
	for i, ref := range refs {
		message := &conversation.Turns[ref.Turn].New[ref.Message]
		shapes[i] = chat.Shape{Role: message.Role, Call: message.ToolCall > 0}
	}
	return shapes
}

// sequenceName is a role sequence in letters.
func sequenceName(shapes []chat.Shape) string {
	var name strings.Builder
	for _, shape := range shapes {
		name.WriteByte(shape.Role[0])
		if shape.Call {
			name.WriteByte('!')
		}
	}
	return name.String()
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

func reportTemplate(p *printer, sequences []*roleSequence) error {
	fine := 0
	byProblem := map[string]*roleSequence{}
	var problems []*roleSequence
	for _, s := range sequences {
		if s.problem == "" {
			fine += s.turns
			continue
		}
		sum := byProblem[s.problem]
		if sum == nil {
			sum = &roleSequence{problem: s.problem, example: s.example}
			byProblem[s.problem] = sum
			problems = append(problems, sum)
		}
		sum.turns += s.turns
	}
	p.row("template", "%s; the template takes those of %s", counted(len(sequences), "role sequence", "role sequences"), counted(fine, "turn", "turns"))
	slices.SortStableFunc(problems, func(a, b *roleSequence) int { return b.turns - a.turns })
	for _, sum := range problems {
		p.row("", "%s: %s (first: %s)", counted(sum.turns, "turn", "turns"), sum.problem, sum.example)
	}
	if fine == 0 && len(sequences) > 0 {
		p.row("", "no turn can be sent to a server with this template; see --adjacent-roles merge")
	}
	return p.err
}
