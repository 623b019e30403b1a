package chat

import (
	"fmt"
	"strings"

	"agentx/corpus"
)

// Counter counts tokens.
type Counter interface{ Count(text string) int }

// Shape is what of a message decides how a template frames it.
type Shape struct {
	Role corpus.Role
	Call bool // belongs to a tool-shaped pair
}

// Lost is the error for a template that does not show every message.
type Lost struct{ Message int }

func (e *Lost) Error() string {
	return fmt.Sprintf("the template leaves out the text of message %d", e.Message)
}

// Overhead is the count of tokens that the template adds around messages of the given shapes: it
// renders every content as one word, and again as a text of its own for each message, and both must
// give the same. An error says that the template raises, loses text, or is not additive.
func (t *Template) Overhead(counter Counter, shapes []Shape) (int, error) {
	short, err := t.around(counter, shapes, func(int) string { return "x" })
	if err != nil {
		return 0, err
	}
	long, err := t.around(counter, shapes, func(i int) string { return fmt.Sprintf("message %d end", i) })
	if err != nil {
		return 0, err
	}
	if short != long {
		return 0, fmt.Errorf("the template is not additive: it adds %d tokens around short messages and %d around longer ones", short, long)
	}
	return short, nil
}

// around renders the shapes with the given contents, which begin and end with a letter, looks for all
// of them, and counts what is not content.
func (t *Template) around(counter Counter, shapes []Shape, content func(int) string) (int, error) {
	messages := make([]Message, len(shapes))
	for i, shape := range shapes {
		messages[i] = Message{Role: shape.Role, Content: content(i)}
		if shape.Call {
			messages[i].Call = "call_turn_0"
		}
	}
	text, err := t.Render(messages)
	if err != nil {
		return 0, err
	}
	tokens := counter.Count(text)
	for i := range messages {
		if !strings.Contains(text, messages[i].Content) {
			return 0, &Lost{i}
		}
		tokens -= counter.Count(messages[i].Content)
	}
	return tokens, nil
}
