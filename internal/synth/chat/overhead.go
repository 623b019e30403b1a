package chat

import "agentx/corpus"

// Shape is what of a message decides how a template frames it.
type Shape struct {
	Role corpus.Role
	Call bool // belongs to a tool-shaped pair
}

// Overhead is that of a meter for one role sequence.
func (t *Template) Overhead(counter Counter, shapes []Shape) (int, error) {
	return t.NewMeter(counter).Overhead(shapes)
}
